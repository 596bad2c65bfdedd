/* SPDX-License-Identifier: MIT */
/*
 * The queue of an output: blocks from the thread of events to the thread of the output, bounded in
 * bytes. Its lock is taken for each block, never for each record.
 */
#ifndef OUTPUT_DELIVERY_QUEUE_H
#define OUTPUT_DELIVERY_QUEUE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "output/config.h"
#include "output/delivery/block.h"
#include "output/delivery/counters.h"

/* What the thread of the output would like to have now. */
enum queue_demand {
	QUEUE_BUSY, /* nothing: full blocks can wait here */
	QUEUE_FILLING, /* more for a batch that has begun */
	QUEUE_HUNGRY, /* anything */
};

struct queue {
	pthread_mutex_t lock; /* of all members up to `closed` */
	pthread_cond_t filled, emptied;
	struct block *first, *last; /* waiting */
	struct block *spare; /* empty */
	size_t spare_count;
	size_t waiting_bytes, waiting_records;
	size_t taken_bytes; /* with the thread of the output, not yet released */
	size_t wake_bytes, wake_records; /* that thread waits until there is so much of one */
	bool woken, closed;
	atomic_int demand; /* enum queue_demand */
	/* Of the thread of events alone. */
	struct gaps missing; /* before the next block */
	/* Constant. */
	size_t bytes_max, block_bytes;
	enum output_policy policy; /* drop-newest, drop-oldest or block */
	bool (*is_over)(void); /* ends the wait of `block`; NULL: never */
	struct output_counters *counters; /* borrowed */
};

/* Returns 0 or -errno. */
int queue_init(struct queue *queue, size_t bytes_max, enum output_policy policy,
	       bool (*is_over)(void), struct output_counters *counters);
/* No thread uses it any more. */
void queue_finish(struct queue *queue);

/* The thread of events: */

/* An empty block, or NULL if out of memory. */
struct block *queue_new_block(struct queue *queue);

static inline bool queue_block_is_full(const struct queue *queue, const struct block *block)
{
	return block->bytes.len >= queue->block_bytes || block->count >= BLOCK_RECORDS_MAX;
}

/*
 * Hands over a block, or drops it or others if the queue is full: these are counted, and remembered
 * in the next block that is not dropped. With POLICY_BLOCK waits until there is room.
 */
void queue_push(struct queue *queue, struct block *block);

/* Says that no block follows. What is missing after the last one comes in an empty block. */
void queue_close(struct queue *queue);

/* Counts a record that was not put into a block, and remembers it as missing. */
void queue_miss(struct queue *queue, enum gap_cause cause, const struct output_record *record);

/* Remembers records that were lost before they had a number. */
static inline void queue_lose(struct queue *queue, enum gap_cause cause, const struct gap *gap)
{
	gaps_add_gap(&queue->missing, cause, gap);
}

static inline enum queue_demand queue_demand(const struct queue *queue)
{
	return (enum queue_demand)atomic_load_explicit(&queue->demand, memory_order_relaxed);
}

/* The thread of the output: */

/* How long to wait for blocks. */
struct queue_wish {
	enum queue_demand demand;
	size_t bytes, records; /* until so much waits; 0: until anything does */
	uint64_t until_ns; /* or until this monotonic time */
};

/*
 * Takes the first block, sealed, after a wait that also queue_wake() and queue_close() end. Returns
 * NULL if there is none.
 */
struct block *queue_pop(struct queue *queue, const struct queue_wish *wish);

/* Gives back a block from queue_pop(). */
void queue_release(struct queue *queue, struct block *block);

/* Waits for the monotonic time; queue_wake() and queue_close() end the wait. */
void queue_sleep(struct queue *queue, uint64_t until_ns);

/* Whether nothing follows what was popped. */
bool queue_is_over(struct queue *queue);
/* Whether queue_close() was called; blocks may still wait. */
bool queue_is_closed(struct queue *queue);

/* Any thread: */

/* Ends the current wait of the thread of the output, or else its next one. */
void queue_wake(struct queue *queue);

struct queue_stats {
	uint64_t records, bytes; /* bytes: also those that are being sent */
	uint64_t oldest_ns; /* monotonic: since when the first block waits; 0: none waits */
};
void queue_stats(struct queue *queue, struct queue_stats *stats);

#endif
