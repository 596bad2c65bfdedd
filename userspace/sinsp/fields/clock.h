/* SPDX-License-Identifier: MIT */
/*
 * Times of events as text. Events come in time order, so the part down to the second is cached
 * until the second changes.
 */
#ifndef SINSP_FIELDS_CLOCK_H
#define SINSP_FIELDS_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

enum { CLOCK_TEXT_BYTES = 20, CLOCK_TIME_OFFSET = 11 };

/* A zeroed struct is ready for use. */
struct clock {
	bool valid;
	uint64_t second;
	char text[CLOCK_TEXT_BYTES]; /* "2026-11-21 11:36:01", NUL-terminated */
};

/* The text of a time (ns since the epoch) down to the second; valid until the next call. */
const char *clock_utc(struct clock *clock, uint64_t ns);
const char *clock_local(struct clock *clock, uint64_t ns);

/* Writes nine digits, the ns of the second, without a NUL. */
void clock_fraction(char digits[9], uint64_t ns);

/* Writes "2026-11-21T11:36:01.123456789Z" without a NUL. */
enum { CLOCK_RFC3339_BYTES = 30 };
void clock_rfc3339(struct clock *utc, uint64_t ns, char text[CLOCK_RFC3339_BYTES]);

#endif
