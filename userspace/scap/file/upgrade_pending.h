/* SPDX-License-Identifier: MIT */
/*
 * The enter events of calls that have not ended yet, one for each thread, for file/upgrade.c. The memory is
 * bounded: when there are too many the oldest is forgotten.
 */
#ifndef SCAP_FILE_UPGRADE_PENDING_H
#define SCAP_FILE_UPGRADE_PENDING_H

#include <stddef.h>
#include <stdint.h>

#include "event/event.h"
#include "util/pool.h"

enum {
	PENDING_SETS = 1 << 12,
	PENDING_WAYS = 8, /* threads in a set, by their ids: a look-up is bounded */
	PENDING_BYTES_MAX = 4 << 20,
};

struct fold_enter {
	struct fold_enter *older, *newer;
	int64_t tid;
	uint32_t bytes; /* of this block */
	uint16_t id;
	uint16_t nparams;
	uint16_t lengths[];
};

struct fold_pending {
	struct fold_enter **sets; /* PENDING_SETS of PENDING_WAYS each, newest first */
	struct fold_enter *oldest, *newest;
	size_t bytes;
	struct pool pool;
};

/* Returns 0 or -ENOMEM. */
int fold_pending_init(struct fold_pending *pending);
void fold_pending_finish(struct fold_pending *pending); /* accepts a zeroed one */

/* Copies the values one behind the other. */
void fold_copy_values(uint8_t *to, const struct event_param *params, size_t nparams);

/*
 * Keeps a copy in the place of what the thread had before. Without memory nothing is kept, as if it
 * were forgotten.
 */
void fold_pending_put(struct fold_pending *pending, int64_t tid, uint16_t id,
		      const struct event_param *params, unsigned int nparams);

/* What the thread has, or NULL; valid until it is forgotten or the next one is put. */
struct fold_enter *fold_pending_find(const struct fold_pending *pending, int64_t tid);

/* Accepts NULL. */
void fold_pending_forget(struct fold_pending *pending, struct fold_enter *enter);

/* A parameter, absent when the event has fewer. */
struct event_param fold_enter_param(const struct fold_enter *enter, unsigned int index);

#endif
