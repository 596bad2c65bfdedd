/* SPDX-License-Identifier: MIT */
/*
 * The thread of an output: takes records from its queue, or from its spool, sends them to its
 * target in batches, and tries again what was not delivered, for as long as the output lives.
 */
#ifndef OUTPUT_DELIVERY_SENDER_H
#define OUTPUT_DELIVERY_SENDER_H

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
#include "output/delivery/spooler.h"
#include "output/stop.h"
#include "util/error.h"

struct sender {
	/* Borrowed, constant. */
	const struct output_config *config;
	const struct output_form *form;
	struct queue *queue;
	struct spooler *spooler; /* NULL: records come from the queue; else from its spool */
	void *(*run)(void *sender); /* with a spool: sender_run_from_spool() */
	bool leaves_full_disk; /* gives up after retry-max= of it: else a file is read for ever */
	struct output_counters *counters;

	struct output_stop stop;
	void *target; /* owned; NULL: not open */
	pthread_t thread;
	bool is_started;
	struct delivery_status status;
	atomic_bool reopens; /* asked for */
	atomic_bool is_gone; /* the target: nothing is sent any more */
	atomic_bool has_ended; /* the thread */
	struct output_heartbeat heartbeat;

	/* Of the thread alone. */
	struct batch batch;
	uint64_t
		position; /* in the spool, of the first record of the batch; 0: it has none of it */
	bool attempts; /* what is sent was attempted in the spool, and may be withdrawn */
	size_t count_max, bytes_max; /* of a window; count_max is smaller after one was too large */
	size_t count_most; /* count_max by the configuration, and by what the kind takes */
	unsigned int successes; /* windows since then that were not */
	size_t divided_from; /* count_max before a wrong record is looked for; 0: none is */
	struct gaps missing; /* rejected since the last drop record */
	struct batch unsaid; /* drop records that were rejected, to be sent again */
	uint64_t say_ns, say_wait_ns; /* when: monotonic; and how long after the next rejection */
	bool said_last; /* at the end there is one more try */
	uint64_t last_number; /* of the last record that was taken */
	uint64_t full_since_ns; /* the disk of the target is; 0: it is not */
	struct backoff backoff; /* failed tries since the last success */
	uint64_t tick_ns; /* when the next one is due */
	unsigned int chance; /* state of the random numbers for waits */
};

/* The borrowed members are set. Opens the target. Returns 0 or -errno with a message. */
int sender_open(struct sender *sender, struct error *err);

/* Starts the thread. Returns 0 or -errno with a message. */
int sender_start(struct sender *sender, struct error *err);

/* The function of the thread with a spool. */
void *sender_run_from_spool(void *sender);

/*
 * After the end of both threads of an open spool, and not twice: what was read from it and not
 * delivered is left to the next run, or lost if it is there no more.
 */
void sender_leave_rest(struct sender *sender);

/* Asks the thread to open the files of the target anew. */
void sender_reopen(struct sender *sender);

/*
 * Whether the thread has ended, which it does after the queue was closed and all is delivered. What
 * is in a spool can stay there: it does not wait for a target that fails.
 */
static inline bool sender_has_ended(const struct sender *sender)
{
	return atomic_load(&sender->has_ended);
}

/* Ends what the thread does now: what is left in the queue is counted as lost. */
void sender_stop(struct sender *sender);

/* Waits for the end of the thread, if it was started. */
void sender_join(struct sender *sender);

/* Closes the target; the thread has ended, or was never started. */
void sender_finish(struct sender *sender);

#endif
