/* SPDX-License-Identifier: MIT */
/*
 * What test_profile profiles: a known call tree, through functions that allocate and align their
 * stacks, a shared library, and the C library, which calls back; or waits of known lengths.
 *
 *     profiled tree SECONDS [PAUSE_MS] | sleep SECONDS | lock | disk FILE | queue SECONDS
 */
#include <alloca.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define ALONE __attribute__((noinline, noclone))
#ifdef __clang__
#undef ALONE
#define ALONE __attribute__((noinline))
#endif

/* After a call: it is none that ends the function. */
#define GO_ON __asm__ volatile("" ::: "memory")

int profiled_library(int (*callback)(int), int n);

static volatile uint64_t sink;
static char bytes[1 << 16];

static double clock_s(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static double now(void)
{
	return clock_s(CLOCK_MONOTONIC);
}

/* Grows while the thread is off the CPU. */
static double off_cpu(void)
{
	return now() - clock_s(CLOCK_THREAD_CPUTIME_ID);
}

/* In its own code, in that of the C library, in the kernel. */
ALONE static int profiled_burn(int n)
{
	for (int i = 0; i < 20000; i++)
		sink += sink * 3 + (uint64_t)n;
	memset(bytes, n, sizeof(bytes));
	GO_ON;
	if (lseek(0, 0, SEEK_CUR) == 0)
		sink++;
	return n + 1;
}

static int compare(const void *left, const void *right)
{
	profiled_burn(1);
	GO_ON;
	return *(const int *)left - *(const int *)right;
}

ALONE static int profiled_sorts(int n)
{
	int numbers[4] = {n, 3, 2, 1};

	qsort(numbers, 4, sizeof(*numbers), compare);
	GO_ON;
	return numbers[0];
}

/* Its stack is aligned, by another register than that of the frame. */
ALONE static int profiled_aligns(int n)
{
	volatile char place[n + 1] __attribute__((aligned(64)));

	place[n] = (char)n;
	n = profiled_sorts(n) + place[n];
	GO_ON;
	return n;
}

ALONE static int profiled_allocates(int n)
{
	char *more = alloca((size_t)n * 16);

	memset(more, n, (size_t)n * 16);
	n = profiled_library(profiled_aligns, n) + more[1];
	GO_ON;
	return n;
}

ALONE static int profiled_recurses(int depth)
{
	int n = depth ? profiled_recurses(depth - 1) : profiled_allocates(7);

	GO_ON;
	return n;
}

static void pause_ms(long ms)
{
	const struct timespec time = {0, ms * 1000000};

	nanosleep(&time, NULL);
}

/* With pauses between what takes a hundredth of a second, where some samples are enough. */
static void tree(double seconds, long pause)
{
	double begin = now(), end = begin + seconds;

	while (now() < end) {
		sink += (uint64_t)profiled_recurses(5);
		if (pause && now() > begin + 0.01) {
			pause_ms(pause);
			begin = now();
		}
	}
}

/* Waits. */

/* Prints how long it was asleep, in ns. */
ALONE static void profiled_sleeps(double seconds)
{
	double begin, end = now() + seconds, slept = 0;

	while (now() < end) {
		begin = off_cpu();
		pause_ms(10);
		slept += off_cpu() - begin;
	}
	printf("%.0f\n", slept * 1e9);
	GO_ON;
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int ready[2], done[2];

ALONE static void *profiled_holds(void *unused)
{
	char byte;

	for (int i = 0; i < 10; i++) {
		pthread_mutex_lock(&lock);
		if (write(ready[1], "", 1) != 1)
			exit(1);
		pause_ms(50);
		pthread_mutex_unlock(&lock);
		if (read(done[0], &byte, 1) != 1)
			exit(1);
	}
	return unused;
}

/* Prints how long it waited for the lock, in ns. */
ALONE static void profiled_locks(void)
{
	pthread_t thread;
	double waited = 0;
	char byte;

	if (pipe(ready) || pipe(done) || pthread_create(&thread, NULL, profiled_holds, NULL))
		exit(1);
	for (int i = 0; i < 10; i++) {
		double begin;

		if (read(ready[0], &byte, 1) != 1)
			exit(1);
		begin = off_cpu();
		pthread_mutex_lock(&lock);
		waited += off_cpu() - begin;
		pthread_mutex_unlock(&lock);
		if (write(done[1], "", 1) != 1)
			exit(1);
	}
	pthread_join(thread, NULL);
	printf("%.0f\n", waited * 1e9);
}

/* Prints how long it waited in calls that write to the disk, in ns. */
ALONE static void profiled_writes(const char *path)
{
	int fd = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0600);
	double waited = 0;

	for (int i = 0; i < 50 || (waited < 0.3 && i < 5000); i++) {
		double begin;

		if (write(fd, bytes, sizeof(bytes)) != sizeof(bytes))
			exit(1);
		begin = off_cpu();
		fsync(fd);
		waited += off_cpu() - begin;
	}
	close(fd);
	printf("%.0f\n", waited * 1e9);
}

/* How long this thread could run and had no CPU, in ns, as the kernel has it. */
static uint64_t run_queue_ns(void)
{
	FILE *file = fopen("/proc/thread-self/schedstat", "re");
	unsigned long long waited = 0;

	if (!file || fscanf(file, "%*u %llu", &waited) != 1)
		exit(1);
	fclose(file);
	return waited;
}

/* Prints how long it waited for the CPU, which another thread has, too. */
ALONE static void profiled_queues(double seconds)
{
	double end = now() + seconds;
	uint64_t before = run_queue_ns();

	while (now() < end)
		profiled_burn(1);
	printf("%llu\n", (unsigned long long)(run_queue_ns() - before));
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";

	/* Before it waits it is seen: its tables are loaded then. */
	if (strcmp(mode, "tree") != 0)
		tree(0.3, 0);
	if (strcmp(mode, "tree") == 0 && argc > 2)
		tree(atof(argv[2]), argc > 3 ? atol(argv[3]) : 0);
	else if (strcmp(mode, "sleep") == 0 && argc > 2)
		profiled_sleeps(atof(argv[2]));
	else if (strcmp(mode, "lock") == 0)
		profiled_locks();
	else if (strcmp(mode, "disk") == 0 && argc > 2)
		profiled_writes(argv[2]);
	else if (strcmp(mode, "queue") == 0 && argc > 2)
		profiled_queues(atof(argv[2]));
	else
		return 2;
	return 0;
}
