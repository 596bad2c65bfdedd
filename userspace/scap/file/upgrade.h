/* SPDX-License-Identifier: MIT */
/*
 * Upgrade of events of old captures to the current event table, and the entry events of calls in
 * progress.
 */
#ifndef SCAP_FILE_UPGRADE_H
#define SCAP_FILE_UPGRADE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event/event.h"
#include "scap/source.h"
#include "util/pool.h"

/*
 * The entry events of calls in progress, one for each thread, for upgrade.c. Memory is bounded: if
 * there are too many, the oldest is removed.
 */

enum {
	PENDING_BUCKETS = 1 << 12,
	PENDING_WAYS = 8, /* threads in a bucket, by their ids: bounds a look-up */
	PENDING_BYTES_MAX = 4 << 20,
};

struct upgrade_enter {
	struct upgrade_enter *older, *newer;
	int64_t tid;
	uint32_t bytes; /* of this block */
	uint16_t id;
	uint16_t nparams;
	uint16_t lengths[];
};

struct upgrade_pending {
	struct upgrade_enter **buckets; /* PENDING_BUCKETS of PENDING_WAYS each, newest first */
	struct upgrade_enter *oldest, *newest;
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
struct upgrade_enter *upgrade_pending_find(const struct upgrade_pending *pending, int64_t tid);

/* Removes and frees an event. Accepts NULL. */
void upgrade_pending_forget(struct upgrade_pending *pending, struct upgrade_enter *enter);

/* A parameter, absent if the event has fewer. */
struct event_param upgrade_enter_param(const struct upgrade_enter *enter, unsigned int index);

/*
 * Upgrade of events of old captures to the current event table: parameters added since, replaced
 * events, and pairs of entry and exit that are one event now.
 */

struct scap_upgrade;

/* Returns 0 or -ENOMEM. */
int scap_upgrade_create(struct scap_upgrade **upgrade);
void scap_upgrade_destroy(struct scap_upgrade *upgrade); /* accepts NULL */

/*
 * Upgrades an event to the current form. Its frame is `event->len` unchecked bytes. Returns 1 if
 * `event` is to be returned: unchanged, or replaced by one in memory of the upgrade that is valid
 * until the next call, hidden if it only updates the state; 0 if there is none to return; -ENOENT
 * for an unknown id; -EBADMSG if it is corrupt. The caller decodes the result, which checks the
 * values.
 *
 * native: the section may have extension ids, extension parameters and latencies, and the event was
 * current when it was written. Otherwise parameters beyond those of the .scap world are from a
 * later version, and are dropped.
 */
int scap_upgrade_event(struct scap_upgrade *upgrade, bool native, struct scap_event *event);

/* The number of entry events that were not returned but merged into their exit event. */
uint64_t scap_upgrade_joined(const struct scap_upgrade *upgrade);

/*
 * The number of parameters of a frame of the first version, whose header did not contain it. The
 * frame has `len` bytes and the current header. Returns it, -ENOENT or -EBADMSG; also 0 for entry
 * events that are always dropped.
 */
int scap_upgrade_count_params(const void *frame, size_t len);

#endif
