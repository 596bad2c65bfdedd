/* SPDX-License-Identifier: MIT */
/*
 * Whether the kernel still lets a ring be written: it ends one whose CPU goes offline, and does not
 * begin again when that comes back. Owned by the rings, which are asked every few seconds.
 */
#ifndef SCAP_RINGS_ENABLED_H
#define SCAP_RINGS_ENABLED_H

#include <stdbool.h>
#include <stdint.h>

/* How long a perf event was enabled, by its account, when it was looked at. */
struct scap_enabled {
	uint64_t looked_ns; /* monotonic clock: when the look was over */
	uint64_t enabled_ns;
};

/* The first look, when a ring is opened: nobody is asked. */
void scap_enabled_begin(struct scap_enabled *last);

/*
 * Whether a perf event, read with PERF_FORMAT_TOTAL_TIME_ENABLED, and with nothing else but
 * PERF_FORMAT_LOST, has ended since the last look; where that cannot be read it has not. Takes an
 * interrupt on its CPU.
 */
bool scap_enabled_has_ended(struct scap_enabled *last, int fd);

/*
 * The same, of an account that was read after `began_ns` and before `over_ns`, by the monotonic
 * clock. That is slewed, by a tenth at most, while the kernel's account is not: only what was added
 * to each since the last look is compared. A look soon after the last one is none.
 */
bool scap_enabled_judge(struct scap_enabled *last, uint64_t enabled_ns, uint64_t began_ns,
			uint64_t over_ns);

#endif
