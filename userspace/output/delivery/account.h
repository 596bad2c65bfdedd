/* SPDX-License-Identifier: MIT */
/* The account of an output: what was formatted for it, what became of that, whether it delivers. */
#ifndef OUTPUT_DELIVERY_ACCOUNT_H
#define OUTPUT_DELIVERY_ACCOUNT_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "output/delivery/gap.h"
#include "util/buf.h"
#include "util/error.h"

/*
 * What the two threads of an output count, at most once for each block or batch; a third one may
 * read it at any time.
 */

struct output_counters {
	atomic_uint_least64_t delivered, delivered_bytes; /* without drop records */
	atomic_uint_least64_t batches; /* that were sent, failed ones included */
	atomic_uint_least64_t failures; /* of these, that were not delivered as a whole */
	atomic_uint_least64_t retried; /* records that were sent again */
	atomic_uint_least64_t redelivered; /* of these, marked: they may have arrived before */
	atomic_uint_least64_t old_drops; /* drop records that earlier runs left in the spool */
	atomic_uint_least64_t dropped[GAP_CAUSES];
};

static inline void output_counter_add(atomic_uint_least64_t *counter, uint64_t n)
{
	atomic_fetch_add_explicit(counter, n, memory_order_relaxed);
}

static inline uint64_t output_counter_get(const atomic_uint_least64_t *counter)
{
	return atomic_load_explicit(counter, memory_order_relaxed);
}

/* All losses that were counted. */
uint64_t output_counters_lost(const struct output_counters *counters);

/* The account of an output: what was formatted for it, and what became of that. */

/*
 * formatted + backlog = delivered + queued + dropped. After the end nothing is queued, except in a
 * spool.
 */
struct output_account {
	const char *name; /* KIND:TARGET; borrowed */
	uint64_t formatted; /* records, without drop records */
	uint64_t backlog; /* of earlier runs, found in the spool */
	uint64_t spool_bytes; /* on disk */
	uint64_t delivered, delivered_bytes;
	bool acknowledges; /* the target: otherwise delivered means no more than sent */
	uint64_t acknowledged, sent; /* `delivered` in one of them, 0 in the other */
	uint64_t dropped[GAP_CAUSES]; /* from GAP_LOSSES on: left out before they were formatted */
	uint64_t unknown_gaps; /* losses of which nobody knows how many records they cost */
	uint64_t redacted; /* secrets that were hidden */
	uint64_t redact_unfinished; /* texts hidden whole: a redact-pattern= was given up */
	uint64_t queued; /* records that are not delivered yet */
	uint64_t queued_bytes; /* memory */
	uint64_t oldest_ns; /* how long the oldest one waits; in a spool: how old its event is */
	uint64_t batches, failures; /* sent; of these, not delivered as a whole */
	uint64_t retried, redelivered; /* records sent again; of these, marked */
	/* How long each thread has been in what it does now; 0: it waits, or there is none. */
	uint64_t sender_ns, spooler_ns;
	bool is_failing;
	struct error err; /* why */
};

/* "agent: output KIND:TARGET: formatted 7 = delivered 5 + queued 0 + dropped 2", and why. */
void output_account_append(const struct output_account *account, bool verbose, struct buf *text);

/* All losses. */
uint64_t output_account_dropped(const struct output_account *account);

/* Sets what of the account follows from `delivered`, by whether the target acknowledges. */
static inline void output_account_name_delivered(struct output_account *account, bool acknowledges)
{
	account->acknowledges = acknowledges;
	account->acknowledged = acknowledges ? account->delivered : 0;
	account->sent = acknowledges ? 0 : account->delivered;
}

/*
 * Whether the output did not keep what its configuration promised: it delivered none of its
 * records, or dropped some for another reason than those that the user chose (a queue or a spool
 * that is full, a reader that went away) or that lie in earlier runs. What waits in a spool is
 * kept. may_drop: by policy=, when the queue is full.
 */
bool output_account_broke_promise(const struct output_account *account, bool may_drop);

/*
 * What the thread of an output has to say: whether it delivers, and if not why. The agent asks for
 * it from time to time, and prints it.
 */

struct delivery_status {
	pthread_mutex_t lock;
	bool is_failing, was_failing; /* now; when it was last asked for */
	bool failed; /* since it was last asked for */
	uint64_t
		failed_ns; /* monotonic: when a failure that was over was last reported; 0: never */
	struct error err; /* of the last failure */
};

enum delivery_status_kind {
	DELIVERY_STATUS_NONE,
	DELIVERY_STATUS_FAILS,
	DELIVERY_STATUS_WORKS, /* again */
	DELIVERY_STATUS_FAILED, /* and works again: at most one a minute */
};

/* Returns 0 or -errno. */
int delivery_status_init(struct delivery_status *status);
void delivery_status_finish(struct delivery_status *status);

/* Nothing has failed. */
void delivery_status_forget(struct delivery_status *status);

/* err: NULL: it works. */
void delivery_status_set(struct delivery_status *status, const struct error *err);

/* What has changed since the last call; `err` is set if it fails, or failed. */
enum delivery_status_kind delivery_status_take(struct delivery_status *status, uint64_t now_ns,
					       struct error *err);

/* Whether it fails now. */
bool delivery_status_is_failing(struct delivery_status *status, struct error *err);

#endif
