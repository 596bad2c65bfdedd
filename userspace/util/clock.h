/* SPDX-License-Identifier: MIT */
/* The kernel's clocks as one number. */
#ifndef UTIL_CLOCK_H
#define UTIL_CLOCK_H

#include <stdint.h>
#include <time.h>

enum { CLOCK_PAIRS = 16 };

static inline uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* A time, or a length of time, as calls take it. */
static inline struct timespec clock_timespec(uint64_t ns)
{
	return (struct timespec){.tv_sec = (time_t)(ns / 1000000000),
				 .tv_nsec = (long)(ns % 1000000000)};
}

/* The time of a clock in `ms` milliseconds. */
static inline struct timespec clock_after_ms(clockid_t clock, uint64_t ms)
{
	return clock_timespec(clock_ns(clock) + ms * 1000000);
}

/*
 * The current offset of the realtime clock from the boot clock, in ns: the most precise of several
 * readings.
 */
static inline uint64_t clock_boot_offset_ns(void)
{
	uint64_t tightest = UINT64_MAX, offset = 0;

	for (int i = 0; i < CLOCK_PAIRS; i++) {
		uint64_t before = clock_ns(CLOCK_BOOTTIME);
		uint64_t epoch = clock_ns(CLOCK_REALTIME);
		uint64_t took = clock_ns(CLOCK_BOOTTIME) - before;

		if (took >= tightest)
			continue;
		tightest = took;
		offset = epoch - (before + took / 2);
	}
	return offset;
}

#endif
