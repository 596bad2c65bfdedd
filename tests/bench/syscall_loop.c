/* SPDX-License-Identifier: MIT */
/*
 * The load of the overhead benchmark: one system call in a loop on one CPU. Prints the median, over
 * batches, of the nanoseconds that a round took.
 *
 *   syscall_loop getppid|openat CPU BATCHES
 */
#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 20000, BATCHES_MAX = 1000 };

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

static void round_getppid(void)
{
	syscall(SYS_getppid);
}

static void round_openat(void)
{
	long fd = syscall(SYS_openat, AT_FDCWD, "/etc/hostname", O_RDONLY | O_CLOEXEC);

	syscall(SYS_close, fd);
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
	double batch_ns[BATCHES_MAX];
	void (*round)(void);
	cpu_set_t cpus;
	int batches;

	if (argc != 4) {
		fprintf(stderr, "usage: syscall_loop getppid|openat CPU BATCHES\n");
		return 2;
	}
	round = strcmp(argv[1], "openat") == 0 ? round_openat : round_getppid;
	batches = (int)strtol(argv[3], NULL, 10);
	if (batches < 1 || batches > BATCHES_MAX)
		return 2;
	CPU_ZERO(&cpus);
	CPU_SET((size_t)strtol(argv[2], NULL, 10), &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus)) {
		perror("sched_setaffinity");
		return 1;
	}
	for (int i = 0; i < ROUNDS; i++)
		round();
	for (int batch = 0; batch < batches; batch++) {
		uint64_t start = now_ns();

		for (int i = 0; i < ROUNDS; i++)
			round();
		batch_ns[batch] = (double)(now_ns() - start) / ROUNDS;
	}
	qsort(batch_ns, (size_t)batches, sizeof(batch_ns[0]), compare);
	printf("%.1f\n", batch_ns[batches / 2]);
	return 0;
}
