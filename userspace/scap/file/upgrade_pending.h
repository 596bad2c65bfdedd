/* SPDX-License-Identifier: MIT */
/*
 * The entry events of calls in progress, one for each thread, for upgrade.c. Memory is bounded: if
 * there are too many, the oldest is removed.
 */
#ifndef SCAP_FILE_UPGRADE_PENDING_H
#define SCAP_FILE_UPGRADE_PENDING_H

#include <stddef.h>
#include <stdint.h>

#include "event/event.h"
#include "memory/pool.h"

enum {
	PENDING_BUCKETS = 1 << 12,
	PENDING_WAYS = 8, /* threads in a bucket, by their ids: bounds a look-up */
	PENDING_BYTES_MAX = 4 << 20,
};

struct pending_enter {
	struct pending_enter *older, *newer;
	int64_t tid;
	uint32_t bytes; /* of this block */
	uint16_t id;
	uint16_t nparams;
	uint16_t lengths[];
};

struct upgrade_pending {
	struct pending_enter **buckets; /* PENDING_BUCKETS of PENDING_WAYS each, newest first */
	struct pending_enter *oldest, *newest;
	size_t bytes;
	struct pool pool;
};

/* Returns 0 or -ENOMEM. */
int upgrade_pending_init(struct upgrade_pending *pending);
void upgrade_pending_finish(struct upgrade_pending *pending); /* accepts a zeroed one */

/* Copies the values one after the other. */
void upgrade_copy_values(uint8_t *to, const struct event_param *params, size_t nparams);

/*
 * Stores a copy and replaces the previous event of the thread. If out of memory the event is lost.
 */
void upgrade_pending_put(struct upgrade_pending *pending, int64_t tid, uint16_t id,
			 const struct event_param *params, unsigned int nparams);

/* The event of the thread, or NULL; valid until it is removed or the next one is put. */
struct pending_enter *upgrade_pending_find(const struct upgrade_pending *pending, int64_t tid);

/* Removes and frees an event. Accepts NULL. */
void upgrade_pending_forget(struct upgrade_pending *pending, struct pending_enter *enter);

/* A parameter, absent if the event has fewer. */
struct event_param pending_enter_param(const struct pending_enter *enter, unsigned int index);

#endif
