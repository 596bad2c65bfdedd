/* SPDX-License-Identifier: MIT */
/*
 * Preloaded into the agent by test_wall_clock: a wall clock that is set by so many ns as the file
 * that LANNER_TEST_CLOCK names holds, while the clock of the machine stays as it is.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { NS_PER_SECOND = 1000000000 };

static const volatile int64_t *step;

__attribute__((constructor)) static void map_step(void)
{
	const char *path = getenv("LANNER_TEST_CLOCK");
	int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	void *mapped = mmap(NULL, sizeof(*step), PROT_READ, MAP_SHARED, fd, 0);

	if (mapped == MAP_FAILED)
		abort();
	close(fd);
	step = mapped;
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
	int r = (int)syscall(SYS_clock_gettime, clock, now);
	int64_t ns;

	if (r == 0 && clock == CLOCK_REALTIME && step) {
		ns = now->tv_sec * INT64_C(1000000000) + now->tv_nsec + *step;
		now->tv_sec = ns / NS_PER_SECOND;
		now->tv_nsec = ns % NS_PER_SECOND;
	}
	return r;
}
