/* SPDX-License-Identifier: MIT */
/* The loop of the thread: fill a batch, send it until nothing of it is left, now and then a tick.
 */
#include "output/delivery/sender.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "output/delivery/hide.h"
#include "output/delivery/opening.h"
#include "output/delivery/sender_impl.h"
#include "output/delivery/thread.h"
#include "output/reach.h"
#include "output/target.h"
#include "util/clock.h"

enum { CHORES_NS = 1000000000, SUCCESSES_TO_GROW = 32, QUEUE_SHARE = 4, JITTER_PERCENT = 50 };

#define RETRY_AFTER_MAX_NS UINT64_C(300000000000)

void sender_report(struct sender *sender, int code, const struct error *err)
{
	if (code == -ESHUTDOWN)
		atomic_store(&sender->is_gone, true);
	if (code != -ECANCELED)
		news_set(&sender->news, code ? err : NULL);
}

/* Calls a function of the target that sends nothing; NULL: there is none. */
static void call(struct sender *sender, int (*function)(void *target, struct error *err))
{
	struct error err = {""};
	int code;

	if (!function)
		return;
	pulse_set(&sender->pulse, PULSE_IN_TARGET);
	code = function(sender->target, &err);
	pulse_set(&sender->pulse, PULSE_WORKS);
	if (code)
		sender_report(sender, code, &err);
}

void sender_do_chores(struct sender *sender)
{
	const struct output_kind *kind = sender->config->kind;
	uint64_t now = clock_ns(CLOCK_MONOTONIC);

	if (atomic_exchange(&sender->reopens, false))
		call(sender, kind->reopen);
	if (now < sender->tick_ns)
		return;
	sender->tick_ns = now + CHORES_NS;
	call(sender, kind->tick);
}

static struct block *pop(struct sender *sender, const struct queue_wish *wish)
{
	struct block *block;

	pulse_set(&sender->pulse, PULSE_WAITS);
	block = queue_pop(sender->queue, wish);
	pulse_set(&sender->pulse, PULSE_WORKS);
	return block;
}

void sender_add_drops(struct sender *sender, struct gaps *gaps)
{
	drops_add(sender->form, gaps, sender->last_number, &sender->batch);
	gaps_clear(gaps);
}

static void lose(struct sender *sender, enum gap_cause cause, uint64_t count)
{
	counter_add(&sender->counters->dropped[cause], count);
}

/* Without memory for its records. */
static void lose_block(struct sender *sender, const struct block *block)
{
	for (size_t i = 0; i < block->count; i++)
		gaps_add(&sender->missing, GAP_NO_MEMORY, &block->records[i]);
	lose(sender, GAP_NO_MEMORY, block->count);
}

static void add_block(struct sender *sender, struct block *block)
{
	hide_secrets(sender->form, block);
	sender_add_drops(sender, &block->before);
	if (block->count)
		sender->last_number = block->records[block->count - 1].number;
	if (batch_add(&sender->batch, block->records, block->count))
		lose_block(sender, block);
	batch_keep_block(&sender->batch, block);
}

bool sender_is_stopped(const struct sender *sender)
{
	return output_is_stopped(&sender->stop) || atomic_load(&sender->is_gone);
}

/*
 * Takes the first block of a batch; waits for it, but also does what else is to be done. Drop
 * records for what was rejected do not wait for a block for long.
 */
static bool begin_batch(struct sender *sender)
{
	struct block *block = NULL;
	bool over = false, due = false;

	while (!block && !over && !due) {
		bool waits = gaps_are_empty(&sender->missing);
		struct queue_wish wish = {.demand = QUEUE_HUNGRY, .until_ns = UINT64_MAX};

		if (sender_is_stopped(sender))
			return false;
		sender_do_chores(sender);
		if (sender->config->kind->tick || !waits)
			wish.until_ns = sender->tick_ns;
		block = pop(sender, &wish);
		over = !block && queue_is_over(sender->queue);
		due = !block && !waits;
	}
	sender_add_drops(sender, &sender->missing);
	if (block)
		add_block(sender, block);
	return block || batch_count(&sender->batch);
}

/* Adds blocks until the batch is large enough or too old. */
static void fill_batch(struct sender *sender)
{
	const struct output_config *config = sender->config;
	struct batch *batch = &sender->batch;
	struct block *block = batch->blocks;
	uint64_t until_ns = block ? block->begin_ns + config->batch_ns : 0;

	while (block && batch->bytes < sender->bytes_max &&
	       batch_count(batch) < sender->count_max) {
		const struct queue_wish wish = {
			.demand = QUEUE_FILLING,
			.bytes = sender->bytes_max - batch->bytes,
			.records = sender->count_max - batch_count(batch),
			.until_ns = until_ns,
		};

		block = pop(sender, &wish);
		if (block)
			add_block(sender, block);
	}
}

struct rejection {
	struct sender *sender;
	enum gap_cause cause;
};

static void reject(void *context, const struct output_record *record)
{
	const struct rejection *rejection = context;
	struct sender *sender = rejection->sender;

	if (record->flags & RECORD_IS_DROP)
		return;
	/* A spool keeps it over a stop of any kind. */
	if (sender->spooler)
		spool_lose_record(sender->spooler->spool,
				  rejection->cause == GAP_TOO_LARGE ? SPOOL_LOST_TOO_LARGE
								    : SPOOL_LOST_REJECTED,
				  record);
	else
		gaps_add(&sender->missing, rejection->cause, record);
	lose(sender, rejection->cause, 1);
}

/* One record that is too large alone will never be taken. */
static void make_smaller(struct sender *sender, struct output_batch *window)
{
	if (window->count == 1)
		window->results[0] = OUTPUT_REJECTED;
	else
		sender->count_max = window->count / 2;
	sender->successes = 0;
}

/* After many successes: back to what was configured, step by step. */
static void make_larger(struct sender *sender)
{
	size_t count_max = (size_t)sender->config->batch_count;

	if (sender->count_max >= count_max || ++sender->successes < SUCCESSES_TO_GROW)
		return;
	sender->successes = 0;
	sender->count_max = sender->count_max < count_max / 2 ? sender->count_max * 2 : count_max;
}

static void count_result(struct sender *sender, const struct batch_result *result, bool failed)
{
	struct output_counters *counters = sender->counters;

	counter_add(&counters->batches, 1);
	counter_add(&counters->failures, failed);
	counter_add(&counters->delivered, result->delivered);
	counter_add(&counters->delivered_bytes, result->delivered_bytes);
	counter_add(&counters->retried, result->left);
}

/* How long to wait before the next try. At the end there is no time for long waits of our own. */
static uint64_t next_try(struct sender *sender, uint64_t retry_after_ns)
{
	const struct output_config *config = sender->config;
	const struct backoff_limits limits = {config->retry_ns, config->retry_max_ns,
					      JITTER_PERCENT};
	uint64_t now = clock_ns(CLOCK_MONOTONIC);

	backoff_failed_by(&sender->backoff, &limits, now, (uint16_t)rand_r(&sender->chance));
	if (retry_after_ns)
		return now +
		       (retry_after_ns < RETRY_AFTER_MAX_NS ? retry_after_ns : RETRY_AFTER_MAX_NS);
	return queue_is_closed(sender->queue) ? now + config->retry_ns : sender->backoff.next_ns;
}

bool sender_gives_up(const struct sender *sender)
{
	return sender->spooler && queue_is_closed(sender->queue);
}

/* The queue wakes the spooler, not this thread: the end is looked for now and then. */
static void wait_beside_spool(struct sender *sender, uint64_t until_ns)
{
	while (clock_ns(CLOCK_MONOTONIC) < until_ns && !sender_is_stopped(sender) &&
	       !sender_gives_up(sender))
		output_wait(&sender->stop, -1, 0, SENDER_SPOOL_WAIT_MS);
}

/* whole: whoever wakes this thread, but not if it is stopped. */
static void wait_beside_queue(struct sender *sender, uint64_t until_ns, bool whole)
{
	do
		queue_sleep(sender->queue, until_ns);
	while (whole && clock_ns(CLOCK_MONOTONIC) < until_ns && !sender_is_stopped(sender));
}

/* A time that the target asked for is kept, also at the end. */
static void wait_for_retry(struct sender *sender, uint64_t retry_after_ns)
{
	uint64_t until_ns = next_try(sender, retry_after_ns);

	pulse_set(&sender->pulse, PULSE_WAITS);
	if (sender->spooler)
		wait_beside_spool(sender, until_ns);
	else
		wait_beside_queue(sender, until_ns, retry_after_ns != 0);
	pulse_set(&sender->pulse, PULSE_WORKS);
}

size_t sender_send_window(struct sender *sender, struct output_batch *window)
{
	struct rejection rejection = {sender, GAP_REJECTED};
	struct batch_result result;
	struct error err = {""};
	int code;

	window->stream = sender->form->stream;
	pulse_set(&sender->pulse, PULSE_IN_TARGET);
	code = sender->config->kind->send(sender->target, window, &err);
	pulse_set(&sender->pulse, PULSE_WORKS);
	sender_report(sender, code, &err);
	if (window->too_large) {
		make_smaller(sender, window);
		rejection.cause = GAP_TOO_LARGE;
	}
	result = batch_settle(&sender->batch, window, reject, &rejection);
	count_result(sender, &result, code || result.left);
	if (window->uncertain)
		counter_add(&sender->counters->redelivered,
			    batch_redeliver(&sender->batch, result.left, drops_mark, sender->form));
	if (!result.left) {
		backoff_reset(&sender->backoff);
		make_larger(sender);
	} else if (!window->too_large && !sender_is_stopped(sender)) {
		wait_for_retry(sender, window->retry_after_ns);
	}
	return result.left;
}

void sender_make_window(struct sender *sender, struct output_batch *window)
{
	batch_window(&sender->batch, sender->count_max, sender->bytes_max, window);
}

void sender_release_blocks(struct sender *sender)
{
	struct block *block = batch_take_blocks(&sender->batch);

	while (block) {
		struct block *next = block->next;

		queue_release(sender->queue, block);
		block = next;
	}
}

static void lose_batch(struct sender *sender, enum gap_cause cause)
{
	const struct batch *batch = &sender->batch;
	uint64_t count = 0;

	for (size_t i = batch->first; i < batch->end; i++)
		count += !(batch->records[i].flags & RECORD_IS_DROP);
	lose(sender, cause, count);
	sender_release_blocks(sender);
}

/* Nothing can be sent any more: what comes is lost, until nothing comes. */
static void lose_rest(struct sender *sender)
{
	enum gap_cause cause = atomic_load(&sender->is_gone) ? GAP_GONE : GAP_END;
	const struct queue_wish wish = {.demand = QUEUE_BUSY, .until_ns = UINT64_MAX};

	lose_batch(sender, cause);
	while (!queue_is_over(sender->queue)) {
		struct block *block = pop(sender, &wish);

		if (!block)
			continue;
		lose(sender, cause, block->count);
		queue_release(sender->queue, block);
	}
}

static void *run_from_queue(void *context)
{
	struct sender *sender = context;
	struct output_batch window;

	while (begin_batch(sender)) {
		fill_batch(sender);
		while (batch_count(&sender->batch) && !sender_is_stopped(sender)) {
			sender_make_window(sender, &window);
			sender_send_window(sender, &window);
		}
		if (batch_count(&sender->batch))
			break;
		sender_release_blocks(sender);
	}
	lose_rest(sender);
	pulse_set(&sender->pulse, PULSE_WAITS);
	atomic_store(&sender->has_ended, true);
	return NULL;
}

int sender_open(struct sender *sender, struct error *err)
{
	const struct output_config *config = sender->config;
	size_t queue_share = (size_t)config->queue_bytes / QUEUE_SHARE;
	int code = output_stop_init(&sender->stop);

	if (code)
		return error_set(err, code, "%s: %s", config->text, strerror(-code));
	/* A batch that is most of the queue would leave no room for others. */
	sender->bytes_max = (size_t)config->batch_bytes < queue_share ? (size_t)config->batch_bytes
								      : queue_share;
	sender->count_max = (size_t)config->batch_count;
	if (getrandom(&sender->chance, sizeof(sender->chance), GRND_NONBLOCK) < 0)
		sender->chance = (unsigned int)clock_ns(CLOCK_MONOTONIC);
	code = news_init(&sender->news);
	if (code)
		return error_set(err, code, "%s: %s", config->text, strerror(-code));
	return opening_open(config, &sender->stop, &sender->target, err);
}

int sender_start(struct sender *sender, struct error *err)
{
	struct output_reach reach;
	struct files_limits files;
	int code = opening_reach(sender->config, &reach, err);

	if (code)
		return code;
	files = output_reach_limits(&reach);
	code = thread_start(&sender->thread, &files, sender->spooler ? sender->run : run_from_queue,
			    sender);
	output_reach_finish(&reach);
	if (code)
		return error_set(err, code, "%s: cannot start a thread: %s", sender->config->text,
				 strerror(-code));
	sender->is_started = true;
	return 0;
}

static void wake(struct sender *sender)
{
	queue_wake(sender->queue);
	if (sender->spooler && spooler_is_open(sender->spooler))
		spool_wake(sender->spooler->spool);
}

void sender_reopen(struct sender *sender)
{
	atomic_store(&sender->reopens, true);
	wake(sender);
}

void sender_stop(struct sender *sender)
{
	output_stop_now(&sender->stop);
	wake(sender);
}

void sender_join(struct sender *sender)
{
	if (sender->is_started)
		pthread_join(sender->thread, NULL);
	sender->is_started = false;
}

void sender_finish(struct sender *sender)
{
	sender->config->kind->close(sender->target);
	sender_release_blocks(sender);
	batch_finish(&sender->batch);
	gaps_clear(&sender->missing);
	news_finish(&sender->news);
	output_stop_finish(&sender->stop);
}
