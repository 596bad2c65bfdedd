/* SPDX-License-Identifier: MIT */
/*
 * The queue of an output: blocks of records, from the thread of events to the thread of the output,
 * bounded in bytes.
 */
#ifndef OUTPUT_DELIVERY_QUEUE_H
#define OUTPUT_DELIVERY_QUEUE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "output/config.h"
#include "output/delivery/account.h"
#include "output/delivery/gap.h"
#include "output/record.h"
#include "util/buf.h"

/*
 * Blocks carry records from the thread of events to the thread of an output. The first only
 * appends; blocks are used again, so that no memory is allocated once they are warm.
 */

/* A block of this size is full, unless the queue is too small for several. */
enum { BLOCK_BYTES = 64 << 10, BLOCK_RECORDS_MAX = 1 << 16 };

struct queue_block {
	struct queue_block *next; /* in a list of the queue or of a batch */
	struct buf bytes; /* of all records, one after the other */
	struct output_record
		*records; /* owned; their bytes are not set before queue_block_seal() */
	size_t count, capacity; /* of records */
	struct gaps before; /* what is missing before the first record */
	uint64_t begin_ns; /* monotonic: when it got its first record, or soon after; 0: none yet */
};

/* Returns NULL if out of memory. */
struct queue_block *queue_block_create(void);
void queue_block_destroy(struct queue_block *block); /* accepts NULL */

/* Empties the block for new records. */
void queue_block_clear(struct queue_block *block);

/* For queue_block_reserve(). */
bool queue_block_grow(struct queue_block *block);

/* Makes sure that queue_block_end_record() has room. Returns false if out of memory. */
static inline bool queue_block_reserve(struct queue_block *block)
{
	return block->count < block->capacity || queue_block_grow(block);
}

/* Ends a record whose bytes were appended from `start` on; its other members are those of `record`.
 */
static inline void queue_block_end_record(struct queue_block *block, size_t start,
					  const struct output_record *record)
{
	struct output_record *made = &block->records[block->count++];

	*made = *record;
	made->len = (uint32_t)(block->bytes.len - start);
}

/* The memory that it stands for in its queue. */
static inline size_t queue_block_size(const struct queue_block *block)
{
	return block->bytes.len + block->count * sizeof(block->records[0]);
}

/* Sets the bytes of the records: nothing may be appended any more. */
void queue_block_seal(struct queue_block *block);

/*
 * The queue of an output: blocks from the thread of events to the thread of the output, bounded in
 * bytes. Its lock is taken for each block, never for each record.
 */

/* What the thread of the output would like to have now. */
enum queue_demand {
	QUEUE_BUSY, /* nothing: full blocks can wait here */
	QUEUE_FILLING, /* more for a batch that has begun */
	QUEUE_HUNGRY, /* anything */
};

struct queue {
	pthread_mutex_t lock; /* of all members up to `closed` */
	pthread_cond_t filled, emptied;
	struct queue_block *first, *last; /* waiting */
	struct queue_block *spare; /* empty */
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
struct queue_block *queue_new_block(struct queue *queue);

static inline bool queue_block_is_full(const struct queue *queue, const struct queue_block *block)
{
	return block->bytes.len >= queue->block_bytes || block->count >= BLOCK_RECORDS_MAX;
}

/*
 * Hands over a block, or drops it or others if the queue is full: these are counted, and remembered
 * in the next block that is not dropped. With POLICY_BLOCK waits until there is room.
 */
void queue_push(struct queue *queue, struct queue_block *block);

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
struct queue_block *queue_pop(struct queue *queue, const struct queue_wish *wish);

/* Gives back a block from queue_pop(). */
void queue_release(struct queue *queue, struct queue_block *block);

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
