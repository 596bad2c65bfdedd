/* SPDX-License-Identifier: MIT */
/*
 * Rows of calls that the programs count (driver/bpf/core/call_rows.bpf.h), as the live source reads
 * them. Nothing is removed from the map, as what a program counts meanwhile would be lost with it:
 * what was read before is kept here, and the difference is new.
 */
#ifndef SCAP_LIVE_CALL_ROWS_H
#define SCAP_LIVE_CALL_ROWS_H

#include <stdint.h>

#include "abi.h"

struct live_call_rows {
	struct live_call_row *list; /* owned: a hash table; `size` is a power of two, or 0 */
	uint32_t size, count;
	void *values; /* owned: room for what the kernel copies at once */
};

/* Adds the row of calls without room, before programs run. Returns 0 or -errno. */
int live_call_rows_begin(int map, uint32_t cpus);

/*
 * Calls `take` for each row that has new calls, with these, but the longest latency of all.
 * Event 0: of all calls for which there was no room. cpus: possible ones. Returns 0 or -errno.
 */
int live_call_rows_take(struct live_call_rows *rows, int map, uint32_t cpus,
			void (*take)(void *context, const struct call_row_key *key,
				     const struct call_row *row),
			void *context);

void live_call_rows_finish(struct live_call_rows *rows);

#endif
