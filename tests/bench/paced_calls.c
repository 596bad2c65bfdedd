/* SPDX-License-Identifier: MIT */
/*
 * A load of a known size: opens and closes /etc/hostname, so that there are RATE events of openat
 * and close in each second; without a file, of read of /dev/zero and getppid. A step that was late is
 * made up for. Prints how many events that were.
 *
 *   paced_calls RATE SECONDS [FILE]
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { STEPS_PER_S = 1000, EVENTS_PER_ROUND = 2 };
#define NS_PER_S UINT64_C(1000000000)

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * NS_PER_S + (uint64_t)ts.tv_nsec;
}

static void wait_until(uint64_t ns)
{
	struct timespec ts = {(time_t)(ns / NS_PER_S), (long)(ns % NS_PER_S)};

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL);
}

static void open_it(const char *path)
{
	long fd = syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);

	syscall(SYS_close, fd);
}

static void read_it(int fd)
{
	char bytes[8];

	if (syscall(SYS_read, fd, bytes, sizeof(bytes)) != sizeof(bytes))
		exit(1);
	syscall(SYS_getppid);
}

int main(int argc, char **argv)
{
	const bool is_complete = argc == 3 || argc == 4;
	uint64_t rate = is_complete ? strtoull(argv[1], NULL, 10) : 0;
	uint64_t seconds = is_complete ? strtoull(argv[2], NULL, 10) : 0;
	int zeros = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	uint64_t steps = seconds * STEPS_PER_S, begin = now_ns(), made = 0;

	if (!rate || !seconds) {
		fprintf(stderr, "paced_calls: RATE SECONDS [FILE]\n");
		return 2;
	}
	for (uint64_t step = 1; step <= steps; step++) {
		for (; made < rate * step / STEPS_PER_S; made += EVENTS_PER_ROUND)
			if (argc == 4)
				open_it(argv[3]);
			else
				read_it(zeros);
		wait_until(begin + step * (NS_PER_S / STEPS_PER_S));
	}
	printf("%llu\n", (unsigned long long)made);
	return 0;
}
