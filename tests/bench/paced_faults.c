/* SPDX-License-Identifier: MIT */
/*
 * A load of known samples: THREADS threads touch pages that are not there, so that there are RATE
 * page faults a second of all together. A step that was late is made up for. Prints how many.
 *
 *   paced_faults RATE SECONDS THREADS
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { STEPS_PER_S = 100, PAGES = 4096, THREADS_MAX = 256, PAGE_BYTES = 4096 };
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

struct load {
	pthread_t thread;
	uint64_t rate, seconds, made;
};

/* No page is larger than that: each touch is a fault of its own. */
static void *make_faults(void *context)
{
	struct load *load = context;
	uint64_t begin = now_ns(), steps = load->seconds * STEPS_PER_S;
	volatile uint8_t *pages = mmap(NULL, (size_t)PAGES * PAGE_BYTES, PROT_READ | PROT_WRITE,
				       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (pages == MAP_FAILED ||
	    madvise((void *)pages, (size_t)PAGES * PAGE_BYTES, MADV_NOHUGEPAGE) != 0)
		exit(1);
	for (uint64_t step = 1; step <= steps; step++) {
		for (; load->made < load->rate * step / STEPS_PER_S; load->made++) {
			size_t page = load->made % PAGES;

			if (!page)
				madvise((void *)pages, (size_t)PAGES * PAGE_BYTES, MADV_DONTNEED);
			pages[page * PAGE_BYTES] = 1;
		}
		wait_until(begin + step * (NS_PER_S / STEPS_PER_S));
	}
	return NULL;
}

int main(int argc, char **argv)
{
	uint64_t rate = argc == 4 ? strtoull(argv[1], NULL, 10) : 0;
	uint64_t seconds = argc == 4 ? strtoull(argv[2], NULL, 10) : 0;
	uint64_t threads = argc == 4 ? strtoull(argv[3], NULL, 10) : 0, made = 0;
	static struct load loads[THREADS_MAX];

	if (!rate || !seconds || !threads || threads > THREADS_MAX) {
		fprintf(stderr, "paced_faults: RATE SECONDS THREADS\n");
		return 2;
	}
	for (uint64_t i = 0; i < threads; i++) {
		loads[i].rate = rate / threads;
		loads[i].seconds = seconds;
		if (pthread_create(&loads[i].thread, NULL, make_faults, &loads[i]) != 0)
			return 1;
	}
	for (uint64_t i = 0; i < threads; i++) {
		pthread_join(loads[i].thread, NULL);
		made += loads[i].made;
	}
	printf("%llu\n", (unsigned long long)made);
	return 0;
}
