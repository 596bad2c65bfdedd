/* SPDX-License-Identifier: MIT */
/*
 * Rows of calls that the programs count (driver/bpf/call_rows.bpf.h), as the live source reads
 * them. What a program counts while a row is removed would be lost: what was read before is kept
 * here, and the difference is new. Only rows of threads that have ended are removed.
 */
#ifndef SCAP_LIVE_CALL_ROWS_H
#define SCAP_LIVE_CALL_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "abi.h"

/* The maps, and how they are read. */
struct live_call_maps {
	int rows, users; /* descriptors */
	uint32_t cpus; /* possible ones: of which a row has parts, but that of a thread */
	uint32_t by; /* enum call_rows_by bits */
};

struct live_call_rows {
	struct live_call_maps maps; /* set by the user */
	uint64_t offset_ns; /* likewise: of the times of events from the boot clock */
	struct live_call_row *list; /* owned: a hash table; `size` is a power of two, or 0 */
	uint32_t size, count;
	void *values; /* owned: room for what the kernel copies at once */
	struct live_call_row
		*fresh; /* owned: those that have new calls, in order of the last one */
	uint32_t fresh_count, fresh_room;
	struct call_row_key *old; /* owned: those that have none */
	uint32_t old_count, old_room;
	uint32_t removed[CALL_ROW_USERS]; /* see call_row_users */
};

/* Who takes rows. */
struct live_call_taker {
	void *context;
	/*
	 * Given a row that has new calls, with these, but the longest latency of all, and what is
	 * of the last call, whose time is as that of events. Event 0: of all calls for which there
	 * was no room, by the cause. Returns false to have them again the next time; there is none
	 * with is_last, as the row was removed.
	 */
	bool (*take)(void *context, const struct call_row_key *key, const struct call_row *row,
		     bool is_last);
	/* Whether a row without new ones can go: its thread has ended. NULL: none goes. */
	bool (*is_over)(void *context, const struct call_row_key *key, const struct call_row *row);
};

/* Adds the rows of calls without room, before programs run. Returns 0 or -errno. */
int live_call_rows_begin(int map, uint32_t cpus);

/* maps: by enum live_map; cpus: possible ones. */
void live_call_rows_use(struct live_call_rows *rows, const int *maps, uint32_t cpus);

/* Gives all that is new, rows of threads by the time of their last call. Returns 0 or -errno. */
int live_call_rows_take(struct live_call_rows *rows, const struct live_call_taker *taker);

void live_call_rows_finish(struct live_call_rows *rows);

#endif
