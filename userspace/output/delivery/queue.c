/* SPDX-License-Identifier: MIT */
/* Blocks, a list of them behind a lock, and what happens while it is full. */
#include "output/delivery/queue.h"

#include <errno.h>
#include <stdlib.h>

#include "util/clock.h"

/* The memory of blocks. */

enum { RECORDS_MIN = 64 };

struct queue_block *queue_block_create(void)
{
	return calloc(1, sizeof(struct queue_block));
}

void queue_block_destroy(struct queue_block *block)
{
	if (!block)
		return;
	buf_finish(&block->bytes);
	gaps_clear(&block->before);
	free(block->records);
	free(block);
}

void queue_block_clear(struct queue_block *block)
{
	buf_clear(&block->bytes);
	gaps_clear(&block->before);
	block->next = NULL;
	block->count = 0;
	block->begin_ns = 0;
}

bool queue_block_grow(struct queue_block *block)
{
	size_t capacity = block->capacity ? block->capacity * 2 : RECORDS_MIN;
	struct output_record *records = realloc(block->records, capacity * sizeof(*records));

	if (!records)
		return false;
	block->records = records;
	block->capacity = capacity;
	return true;
}

void queue_block_seal(struct queue_block *block)
{
	const char *bytes = block->bytes.data;

	for (size_t i = 0; i < block->count; i++) {
		block->records[i].bytes = bytes;
		bytes += block->records[i].len;
	}
}

/* A list of blocks behind a lock, and what happens while it is full. */

enum {
	SPARE_MAX = 24, /* empty blocks that are kept */
	BLOCK_BYTES_MIN = 1 << 10,
	BLOCKS_MIN = 8, /* that a queue has room for, if it is not tiny */
	NS_PER_S = 1000000000,
	CHECK_NS = 50000000, /* how often a wait for room looks whether the run is over */
};

static size_t limit(size_t value, size_t least, size_t most)
{
	return value < least ? least : value > most ? most : value;
}

static int init_condition(pthread_cond_t *condition)
{
	pthread_condattr_t attributes;
	int r = pthread_condattr_init(&attributes);

	if (r)
		return -r;
	r = pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	if (r == 0)
		r = pthread_cond_init(condition, &attributes);
	pthread_condattr_destroy(&attributes);
	return -r;
}

int queue_init(struct queue *queue, size_t bytes_max, enum output_policy policy,
	       bool (*is_over)(void), struct output_counters *counters)
{
	int r;

	*queue = (struct queue){
		.bytes_max = bytes_max,
		.block_bytes = limit(bytes_max / BLOCKS_MIN, BLOCK_BYTES_MIN, BLOCK_BYTES),
		.policy = policy,
		.is_over = is_over,
		.counters = counters,
		.wake_bytes = SIZE_MAX,
		.wake_records = SIZE_MAX,
	};
	atomic_init(&queue->demand, QUEUE_BUSY);
	r = -pthread_mutex_init(&queue->lock, NULL);
	if (r)
		return r;
	r = init_condition(&queue->filled);
	if (r == 0) {
		r = init_condition(&queue->emptied);
		if (r)
			pthread_cond_destroy(&queue->filled);
	}
	if (r)
		pthread_mutex_destroy(&queue->lock);
	return r;
}

static void destroy_list(struct queue_block *block)
{
	while (block) {
		struct queue_block *next = block->next;

		queue_block_destroy(block);
		block = next;
	}
}

void queue_finish(struct queue *queue)
{
	destroy_list(queue->first);
	destroy_list(queue->spare);
	gaps_clear(&queue->missing);
	pthread_cond_destroy(&queue->filled);
	pthread_cond_destroy(&queue->emptied);
	pthread_mutex_destroy(&queue->lock);
}

static void wait_until(struct queue *queue, pthread_cond_t *condition, uint64_t until_ns)
{
	const struct timespec until = {(time_t)(until_ns / NS_PER_S), (long)(until_ns % NS_PER_S)};

	pthread_cond_timedwait(condition, &queue->lock, &until);
}

struct queue_block *queue_new_block(struct queue *queue)
{
	struct queue_block *block;

	pthread_mutex_lock(&queue->lock);
	block = queue->spare;
	if (block) {
		queue->spare = block->next;
		queue->spare_count--;
		block->next = NULL;
	}
	pthread_mutex_unlock(&queue->lock);
	return block ? block : queue_block_create();
}

/* With the lock: keeps a block for later, unless there are enough. */
static void recycle(struct queue *queue, struct queue_block *block)
{
	if (queue->spare_count == SPARE_MAX || block->bytes.capacity > 4 * queue->block_bytes) {
		queue_block_destroy(block);
		return;
	}
	queue_block_clear(block);
	block->next = queue->spare;
	queue->spare = block;
	queue->spare_count++;
}

/* Counts the records of a block as missing. */
static void miss_block(struct queue *queue, enum gap_cause cause, const struct queue_block *block,
		       struct gaps *gaps)
{
	for (size_t i = 0; i < block->count; i++)
		gaps_add(gaps, cause, &block->records[i]);
	output_counter_add(&queue->counters->dropped[cause], block->count);
}

static void unlink_first(struct queue *queue)
{
	struct queue_block *block = queue->first;

	queue->first = block->next;
	if (!queue->first)
		queue->last = NULL;
	queue->waiting_bytes -= queue_block_size(block);
	queue->waiting_records -= block->count;
	block->next = NULL;
}

static bool queue_has_room(const struct queue *queue, const struct queue_block *block)
{
	size_t used = queue->waiting_bytes + queue->taken_bytes;

	/* A block that is larger than the queue has to go somewhere. */
	return used == 0 || used + queue_block_size(block) <= queue->bytes_max;
}

/* What is missing in place of the first block stands before the one that follows it. */
static void queue_drop_oldest(struct queue *queue, struct queue_block *pushed)
{
	struct queue_block *block = queue->first, *after;

	unlink_first(queue);
	after = queue->first ? queue->first : pushed;
	gaps_move(&after->before, &block->before);
	miss_block(queue, GAP_QUEUE_FULL, block, &after->before);
	recycle(queue, block);
}

/* With the lock: makes room according to the policy. Returns the cause if there is none. */
static int queue_make_room(struct queue *queue, struct queue_block *block)
{
	while (!queue_has_room(queue, block)) {
		if (queue->policy == POLICY_BLOCK) {
			if (queue->is_over && queue->is_over())
				return GAP_END;
			wait_until(queue, &queue->emptied, clock_ns(CLOCK_MONOTONIC) + CHECK_NS);
		} else if (queue->policy == POLICY_DROP_OLDEST && queue->first) {
			queue_drop_oldest(queue, block);
		} else {
			return GAP_QUEUE_FULL;
		}
	}
	return GAP_CAUSES;
}

static bool is_enough(const struct queue *queue, size_t bytes, size_t records)
{
	return queue->waiting_bytes >= bytes || queue->waiting_records >= records;
}

static void queue_append(struct queue *queue, struct queue_block *block)
{
	if (queue->last)
		queue->last->next = block;
	else
		queue->first = block;
	queue->last = block;
	queue->waiting_bytes += queue_block_size(block);
	queue->waiting_records += block->count;
	if (is_enough(queue, queue->wake_bytes, queue->wake_records))
		pthread_cond_signal(&queue->filled);
}

void queue_push(struct queue *queue, struct queue_block *block)
{
	int cause;

	if (!block->begin_ns)
		block->begin_ns = clock_ns(CLOCK_MONOTONIC);
	gaps_move(&block->before, &queue->missing);
	pthread_mutex_lock(&queue->lock);
	cause = queue_make_room(queue, block);
	if (cause == GAP_CAUSES) {
		queue_append(queue, block);
	} else {
		gaps_move(&queue->missing, &block->before);
		miss_block(queue, (enum gap_cause)cause, block, &queue->missing);
		recycle(queue, block);
	}
	pthread_mutex_unlock(&queue->lock);
}

void queue_miss(struct queue *queue, enum gap_cause cause, const struct output_record *record)
{
	gaps_add(&queue->missing, cause, record);
	output_counter_add(&queue->counters->dropped[cause], 1);
}

void queue_close(struct queue *queue)
{
	struct queue_block *block = gaps_are_empty(&queue->missing) ? NULL : queue_new_block(queue);

	pthread_mutex_lock(&queue->lock);
	if (block) {
		gaps_move(&block->before, &queue->missing);
		queue_append(queue, block);
	}
	queue->closed = queue->woken = true;
	pthread_cond_broadcast(&queue->filled);
	pthread_mutex_unlock(&queue->lock);
}

/* With the lock. */
static void wait_for_blocks(struct queue *queue, const struct queue_wish *wish)
{
	queue->wake_bytes = wish->bytes;
	queue->wake_records = wish->records;
	atomic_store_explicit(&queue->demand, (int)wish->demand, memory_order_relaxed);
	while (!queue->closed && !queue->woken &&
	       !(queue->first && is_enough(queue, wish->bytes, wish->records)) &&
	       clock_ns(CLOCK_MONOTONIC) < wish->until_ns)
		wait_until(queue, &queue->filled, wish->until_ns);
	atomic_store_explicit(&queue->demand, QUEUE_BUSY, memory_order_relaxed);
	queue->wake_bytes = queue->wake_records = SIZE_MAX;
	queue->woken = false;
}

struct queue_block *queue_pop(struct queue *queue, const struct queue_wish *wish)
{
	struct queue_block *block;

	pthread_mutex_lock(&queue->lock);
	wait_for_blocks(queue, wish);
	block = queue->first;
	if (block) {
		unlink_first(queue);
		queue->taken_bytes += queue_block_size(block);
	}
	pthread_mutex_unlock(&queue->lock);
	if (block)
		queue_block_seal(block);
	return block;
}

void queue_release(struct queue *queue, struct queue_block *block)
{
	pthread_mutex_lock(&queue->lock);
	queue->taken_bytes -= queue_block_size(block);
	recycle(queue, block);
	pthread_cond_signal(&queue->emptied);
	pthread_mutex_unlock(&queue->lock);
}

void queue_sleep(struct queue *queue, uint64_t until_ns)
{
	pthread_mutex_lock(&queue->lock);
	while (!queue->woken && clock_ns(CLOCK_MONOTONIC) < until_ns)
		wait_until(queue, &queue->filled, until_ns);
	queue->woken = false;
	pthread_mutex_unlock(&queue->lock);
}

bool queue_is_over(struct queue *queue)
{
	bool over;

	pthread_mutex_lock(&queue->lock);
	over = queue->closed && !queue->first;
	pthread_mutex_unlock(&queue->lock);
	return over;
}

bool queue_is_closed(struct queue *queue)
{
	bool closed;

	pthread_mutex_lock(&queue->lock);
	closed = queue->closed;
	pthread_mutex_unlock(&queue->lock);
	return closed;
}

void queue_wake(struct queue *queue)
{
	pthread_mutex_lock(&queue->lock);
	queue->woken = true;
	pthread_cond_signal(&queue->filled);
	pthread_mutex_unlock(&queue->lock);
}

void queue_stats(struct queue *queue, struct queue_stats *stats)
{
	pthread_mutex_lock(&queue->lock);
	*stats = (struct queue_stats){
		.records = queue->waiting_records,
		.bytes = queue->waiting_bytes + queue->taken_bytes,
		.oldest_ns = queue->first ? queue->first->begin_ns : 0,
	};
	pthread_mutex_unlock(&queue->lock);
}
