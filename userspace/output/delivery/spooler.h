/* SPDX-License-Identifier: MIT */
/*
 * The thread that moves records from the queue of an output to its spool. Another thread sends what
 * is there: see sender.h.
 */
#ifndef OUTPUT_DELIVERY_SPOOLER_H
#define OUTPUT_DELIVERY_SPOOLER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "util/backoff.h"
#include "output/config.h"
#include "output/delivery/batch.h"
#include "output/delivery/account.h"
#include "output/delivery/thread.h"
#include "output/delivery/queue.h"
#include "output/spool/spool.h"
#include "util/error.h"

struct spooler {
	/* Borrowed, constant. */
	const struct output_config *config;
	const struct output_form *form;
	struct queue *queue;
	struct output_counters *counters;
	bool must_open; /* at once: the source waits for records, and would do so without end */

	struct spool *spool; /* owned; NULL: not open */
	atomic_bool is_open; /* from then on it is, and the next members are set */
	char stream[SPOOL_STREAM_BYTES + 1];
	uint64_t first_number; /* of the last record of earlier runs */
	uint64_t backlog; /* records of earlier runs that were there then, and drop records; and
			    what the power took of them */
	uint64_t backlog_last; /* position of the last one */
	bool was_interrupted; /* the run before: an unknown number of records is lost */
	atomic_bool hurries; /* to open it at once */
	pthread_t thread;
	bool is_started;
	atomic_bool has_ended; /* the thread: what the queue had is in the spool, or lost */
	atomic_bool is_gone; /* the folder: both threads end, and begin again in another one */
	struct delivery_status status; /* of the disk */
	struct output_heartbeat heartbeat;

	/* Of the thread alone. */
	struct backoff backoff; /* failed tries to open it */
	struct batch batch;
	struct gaps missing; /* that no drop record in the spool says yet */
	uint64_t last_number;
	uint64_t look_ns; /* monotonic: when to look at the folder again */
};

/*
 * The members before `spool`, but `form`, are set. Opens the spool. Where that may succeed later,
 * and need not be at once, it is the status, and the thread tries it again. Returns 0 or -errno
 * with a message.
 */
int spooler_open(struct spooler *spooler, struct error *err);

/*
 * Starts the thread, which ends after the queue was closed. Returns 0 or -errno with a message.
 */
int spooler_start(struct spooler *spooler, struct error *err);

/* Whether the spool is open. It stays open once it is. */
static inline bool spooler_is_open(const struct spooler *spooler)
{
	return atomic_load_explicit(&spooler->is_open, memory_order_acquire);
}

/* Whether others removed the folder: spooler_renew() has not succeeded since. */
static inline bool spooler_is_gone(const struct spooler *spooler)
{
	return atomic_load(&spooler->is_gone);
}

/*
 * After the end of both threads, which may then start again: makes the folder anew, and has a drop
 * record say that `count` records were lost with it. Returns 0, or -errno with a message.
 */
int spooler_renew(struct spooler *spooler, uint64_t count, struct error *err);

/* Whoever had the spool has it no more: the thread tries at once to open it. */
void spooler_hurry(struct spooler *spooler);

static inline bool spooler_has_ended(const struct spooler *spooler)
{
	return atomic_load(&spooler->has_ended);
}

/* Waits for the thread, if it was started. */
void spooler_join(struct spooler *spooler);

/* Closes the spool; no thread uses it any more. */
void spooler_finish(struct spooler *spooler);

/* What a spool says it has lost, as gaps. Without memory there are none. */
void spooler_losses(const struct spool_losses *losses, struct gaps *gaps);

/* The cause of a gap for one of the spool. */
enum gap_cause spooler_cause(enum spool_cause cause);

#endif
