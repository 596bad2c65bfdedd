/* SPDX-License-Identifier: MIT */
/* The thread of an output: from its queue or from its spool, batch by batch, to its target. */
#include "output/delivery/sender.h"
#include "output/delivery/batch.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "output/delivery/output.h"
#include "output/delivery/thread.h"
#include "output/reach.h"
#include "output/target.h"
#include "util/clock.h"

enum { SENDER_SPOOL_WAIT_MS = 100 }; /* how often a wait beside a spool looks for the end */

/* The loop of the thread: fill a batch, send it until nothing of it is left, now and then a tick.
 */

enum { CHORES_NS = 1000000000, SUCCESSES_TO_GROW = 32, QUEUE_SHARE = 4, JITTER_PERCENT = 50 };

/* Of drop records that were rejected: between tries, at first; and how many are kept. */
#define SAY_AGAIN_NS UINT64_C(1000000000)
enum { UNSAID_MAX = 4096 };

#define RETRY_AFTER_MAX_NS UINT64_C(300000000000)

/* What functions of the target return, for the agent. */
static void sender_report(struct sender *sender, int code, const struct error *err)
{
	if (code == -ESHUTDOWN)
		atomic_store(&sender->is_gone, true);
	if (code != -ECANCELED)
		delivery_status_set(&sender->status, code ? err : NULL);
}

/* A disk that stays full is as a target that is gone. */
static int leave_full_disk(struct sender *sender, int code)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);
	bool full = code == -ENOSPC || code == -EDQUOT;

	if (!full || !sender->full_since_ns)
		sender->full_since_ns = full ? now : 0;
	return full && sender->leaves_full_disk &&
			       now - sender->full_since_ns >= sender->config->retry_max_ns
		       ? -ESHUTDOWN
		       : code;
}

/* Calls a function of the target that sends nothing; NULL: there is none. */
static void call(struct sender *sender, int (*function)(void *target, struct error *err))
{
	struct error err = {""};
	int r;

	if (!function)
		return;
	output_heartbeat_set(&sender->heartbeat, HEARTBEAT_IN_TARGET);
	r = function(sender->target, &err);
	output_heartbeat_set(&sender->heartbeat, HEARTBEAT_WORKS);
	if (r)
		sender_report(sender, r, &err);
}

/* Between batches: ticks, and files that are to be opened anew. */
static void sender_do_chores(struct sender *sender)
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

static struct queue_block *sender_pop(struct sender *sender, const struct queue_wish *wish)
{
	struct queue_block *block;

	output_heartbeat_set(&sender->heartbeat, HEARTBEAT_WAITS);
	block = queue_pop(sender->queue, wish);
	output_heartbeat_set(&sender->heartbeat, HEARTBEAT_WORKS);
	return block;
}

/* Adds drop records to the batch, and forgets the gaps. */
static void sender_add_drops(struct sender *sender, struct gaps *gaps)
{
	batch_drops_add(sender->form, gaps, sender->last_number, &sender->batch);
	gaps_clear(gaps);
}

static void sender_lose(struct sender *sender, enum gap_cause cause, uint64_t count)
{
	output_counter_add(&sender->counters->dropped[cause], count);
}

/* Without memory for its records. */
static void lose_block(struct sender *sender, const struct queue_block *block)
{
	for (size_t i = 0; i < block->count; i++)
		gaps_add(&sender->missing, GAP_NO_MEMORY, &block->records[i]);
	sender_lose(sender, GAP_NO_MEMORY, block->count);
}

static void add_block(struct sender *sender, struct queue_block *block)
{
	batch_hide_secrets(sender->form, block);
	/* The end is said when all before it is delivered, or said to be missing. */
	gaps_move_end(&sender->missing, &block->before);
	sender_add_drops(sender, &block->before);
	if (block->count)
		sender->last_number = block->records[block->count - 1].number;
	if (batch_add(&sender->batch, block->records, block->count))
		lose_block(sender, block);
	batch_keep_block(&sender->batch, block);
}

/* Whether nothing is to be sent any more. */
static bool sender_is_stopped(const struct sender *sender)
{
	return output_is_stopped(&sender->stop) || atomic_load(&sender->is_gone);
}

struct rejection {
	struct sender *sender;
	enum gap_cause cause;
};

/* What was dropped is said again until it is taken, but not with each batch. */
static void keep_unsaid(struct sender *sender, const struct output_record *record)
{
	const struct buf bytes = {.data = (char *)record->bytes, .len = record->len};

	/* More than anybody reads, or no memory: the next run knows that something is missing. */
	if ((batch_count(&sender->unsaid) >= UNSAID_MAX ||
	     batch_add_copy(&sender->unsaid, record, &bytes)) &&
	    sender->spooler)
		spool_set_incomplete(sender->spooler->spool);
	if (!sender->say_wait_ns)
		sender->say_wait_ns = SAY_AGAIN_NS;
	sender->say_ns = clock_ns(CLOCK_MONOTONIC) + sender->say_wait_ns;
}

/* Adds them to an empty batch. Returns whether there are some. */
static bool add_unsaid(struct sender *sender)
{
	bool any = batch_count(&sender->unsaid) &&
		   batch_add_copies(&sender->batch, &sender->unsaid) == 0;

	if (!any)
		return false;
	batch_take_blocks(&sender->unsaid);
	/* Until they are taken the waits become longer. */
	sender->say_wait_ns *= 2;
	if (sender->say_wait_ns > sender->config->retry_max_ns)
		sender->say_wait_ns = sender->config->retry_max_ns;
	return true;
}

static bool is_time_to_say(const struct sender *sender)
{
	return batch_count(&sender->unsaid) && clock_ns(CLOCK_MONOTONIC) >= sender->say_ns;
}

static void sender_reject(void *context, const struct output_record *record)
{
	const struct rejection *rejection = context;
	struct sender *sender = rejection->sender;

	if (record->flags & RECORD_IS_DROP) {
		keep_unsaid(sender, record);
		return;
	}
	/* A spool keeps it over a stop of any kind. */
	if (sender->spooler)
		spool_lose_record(sender->spooler->spool,
				  rejection->cause == GAP_TOO_LARGE ? SPOOL_LOST_TOO_LARGE
								    : SPOOL_LOST_REJECTED,
				  record);
	else
		gaps_add(&sender->missing, rejection->cause, record);
	sender_lose(sender, rejection->cause, 1);
}

/*
 * Takes the first block of a batch; waits for it, but also does what else is to be done. Drop
 * records for what was rejected do not wait for a block for long.
 */
static bool begin_batch(struct sender *sender)
{
	struct queue_block *block = NULL;
	bool over = false, due = false;

	while (!block && !over && !due) {
		bool waits = gaps_are_empty(&sender->missing) && !is_time_to_say(sender);
		struct queue_wish wish = {.demand = QUEUE_HUNGRY, .until_ns = UINT64_MAX};

		if (sender_is_stopped(sender))
			return false;
		sender_do_chores(sender);
		if (sender->config->kind->tick || !waits)
			wish.until_ns = sender->tick_ns;
		if (batch_count(&sender->unsaid) && sender->say_ns < wish.until_ns)
			wish.until_ns = sender->say_ns;
		block = sender_pop(sender, &wish);
		over = !block && queue_is_over(sender->queue);
		due = !block && !waits;
	}
	if (is_time_to_say(sender) || (over && !sender->said_last))
		add_unsaid(sender);
	sender->said_last = over;
	sender->missing.end.dropped = output_counters_lost(sender->counters);
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
	struct queue_block *block = batch->blocks;
	uint64_t until_ns = block ? block->begin_ns + config->batch_ns : 0;

	while (block && batch->bytes < sender->bytes_max &&
	       batch_count(batch) < sender->count_max) {
		const struct queue_wish wish = {
			.demand = QUEUE_FILLING,
			.bytes = sender->bytes_max - batch->bytes,
			.records = sender->count_max - batch_count(batch),
			.until_ns = until_ns,
		};

		block = sender_pop(sender, &wish);
		if (block)
			add_block(sender, block);
	}
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

/* One of the records is wrong: halves find it. */
static void divide(struct sender *sender, const struct output_batch *window)
{
	if (!sender->divided_from)
		sender->divided_from = sender->count_max;
	sender->count_max = window->count > 1 ? window->count / 2 : 1;
}

/* After many successes: back to what was configured, step by step. */
static void make_larger(struct sender *sender)
{
	size_t count_max = sender->count_most;

	if (sender->divided_from) {
		sender->count_max *= 2;
		if (sender->count_max >= sender->divided_from) {
			sender->count_max = sender->divided_from;
			sender->divided_from = 0;
		}
		return;
	}

	if (sender->count_max >= count_max || ++sender->successes < SUCCESSES_TO_GROW)
		return;
	sender->successes = 0;
	sender->count_max = sender->count_max < count_max / 2 ? sender->count_max * 2 : count_max;
}

static void count_result(struct sender *sender, const struct batch_result *result, bool failed)
{
	struct output_counters *counters = sender->counters;

	output_counter_add(&counters->batches, 1);
	output_counter_add(&counters->failures, failed);
	output_counter_add(&counters->delivered, result->delivered);
	output_counter_add(&counters->delivered_bytes, result->delivered_bytes);
	output_counter_add(&counters->retried, result->left);
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

/*
 * At the end nobody waits for a target that fails if a spool keeps the records; nor if its folder
 * was removed.
 */
static bool sender_gives_up(const struct sender *sender)
{
	return sender->spooler &&
	       (queue_is_closed(sender->queue) || spooler_is_gone(sender->spooler));
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

	output_heartbeat_set(&sender->heartbeat, HEARTBEAT_WAITS);
	if (sender->spooler)
		wait_beside_spool(sender, until_ns);
	else
		wait_beside_queue(sender, until_ns, retry_after_ns != 0);
	output_heartbeat_set(&sender->heartbeat, HEARTBEAT_WORKS);
}

/* Whether a drop record was taken. */
static bool has_said(const struct output_batch *window)
{
	for (size_t i = 0; i < window->count; i++)
		if (window->records[i].flags & RECORD_IS_DROP &&
		    window->results[i] == OUTPUT_DELIVERED)
			return true;
	return false;
}

/* Sends a window of the batch, and waits if some of it has to be sent again. Returns how much. */
static size_t sender_send_window(struct sender *sender, struct output_batch *window)
{
	struct rejection rejection = {sender, GAP_REJECTED};
	struct batch_result result;
	struct error err = {""};
	int r;

	window->stream = sender->form->stream;
	output_heartbeat_set(&sender->heartbeat, HEARTBEAT_IN_TARGET);
	r = leave_full_disk(sender, sender->config->kind->send(sender->target, window, &err));
	output_heartbeat_set(&sender->heartbeat, HEARTBEAT_WORKS);
	sender_report(sender, r, &err);
	if (window->too_large) {
		make_smaller(sender, window);
		rejection.cause = GAP_TOO_LARGE;
	}
	if (window->divide)
		divide(sender, window);
	if (sender->say_wait_ns && has_said(window))
		sender->say_wait_ns = 0;
	result = batch_settle(&sender->batch, window, sender_reject, &rejection);
	count_result(sender, &result, r || result.left);
	/* Before the wait: nobody is to think that it may have arrived. */
	if (sender->attempts && result.left == window->count && !window->uncertain)
		spool_withdraw(sender->spooler->spool);
	if (window->uncertain)
		output_counter_add(&sender->counters->redelivered,
				   batch_redeliver(&sender->batch, result.left, batch_drops_mark,
						   sender->form));
	if (!result.left) {
		backoff_reset(&sender->backoff);
		/* Of nothing but wrong records each is sent once. */
		if (result.delivered || !sender->divided_from)
			make_larger(sender);
	} else if (!window->too_large && !window->divide && !sender_is_stopped(sender)) {
		wait_for_retry(sender, window->retry_after_ns);
	}
	return result.left;
}

/* The first records of the batch, as many as may be sent at once. */
static void sender_make_window(struct sender *sender, struct output_batch *window)
{
	batch_window(&sender->batch, sender->count_max, sender->bytes_max, window);
}

/* Empties the batch, and gives its blocks back to the queue. */
static void sender_release_blocks(struct sender *sender)
{
	struct queue_block *block = batch_take_blocks(&sender->batch);

	while (block) {
		struct queue_block *next = block->next;

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
	sender_lose(sender, cause, count);
	sender_release_blocks(sender);
}

/* Nothing can be sent any more: what comes is lost, until nothing comes. */
static void lose_rest(struct sender *sender)
{
	/* Who closes a pipe wants no more; a disk that is full was to take all of it. */
	bool left = atomic_load(&sender->is_gone) && !sender->full_since_ns;
	enum gap_cause cause = left ? GAP_GONE : GAP_END;
	const struct queue_wish wish = {.demand = QUEUE_BUSY, .until_ns = UINT64_MAX};

	lose_batch(sender, cause);
	while (!queue_is_over(sender->queue)) {
		struct queue_block *block = sender_pop(sender, &wish);

		if (!block)
			continue;
		sender_lose(sender, cause, block->count);
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
	output_heartbeat_set(&sender->heartbeat, HEARTBEAT_WAITS);
	atomic_store(&sender->has_ended, true);
	return NULL;
}

static size_t requests_max(const struct output_config *config)
{
	return config->kind->requests_max ? config->kind->requests_max(config) : 1;
}

/* The most records of a window. */
static size_t records_max(const struct output_config *config)
{
	size_t count = (size_t)config->batch_count;
	size_t of_kind = config->kind->records_max ? config->kind->records_max(config) : count;

	return (of_kind < count ? of_kind : count) * requests_max(config);
}

int sender_open(struct sender *sender, struct error *err)
{
	const struct output_config *config = sender->config;
	size_t queue_share = (size_t)config->queue_bytes / QUEUE_SHARE;
	size_t batch_bytes = (size_t)config->batch_bytes * requests_max(config);
	int r = output_stop_init(&sender->stop);

	if (r)
		return error_set(err, r, "%s: %s", config->text, strerror(-r));
	/* A batch that is most of the queue would leave no room for others. */
	sender->bytes_max = batch_bytes < queue_share ? batch_bytes : queue_share;
	sender->count_most = records_max(config);
	sender->count_max = sender->count_most;
	if (getrandom(&sender->chance, sizeof(sender->chance), GRND_NONBLOCK) < 0)
		sender->chance = (unsigned int)clock_ns(CLOCK_MONOTONIC);
	r = delivery_status_init(&sender->status);
	if (r)
		return error_set(err, r, "%s: %s", config->text, strerror(-r));
	return output_target_open(config, &sender->stop, &sender->target, err);
}

int sender_start(struct sender *sender, struct error *err)
{
	struct output_reach reach;
	struct files_limits files;
	int r = output_target_reach(sender->config, &reach, err);

	if (r)
		return r;
	files = output_reach_limits(&reach);
	r = thread_start(&sender->thread, &files, sender->spooler ? sender->run : run_from_queue,
			 sender);
	output_reach_finish(&reach);
	if (r)
		return error_set(err, r, "%s: cannot start a thread: %s", sender->config->text,
				 strerror(-r));
	sender->is_started = true;
	return 0;
}

static void sender_wake(struct sender *sender)
{
	queue_wake(sender->queue);
	if (sender->spooler && spooler_is_open(sender->spooler))
		spool_wake(sender->spooler->spool);
}

void sender_reopen(struct sender *sender)
{
	atomic_store(&sender->reopens, true);
	sender_wake(sender);
}

void sender_stop(struct sender *sender)
{
	output_stop_now(&sender->stop);
	sender_wake(sender);
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
	batch_take_blocks(&sender->unsaid);
	batch_finish(&sender->unsaid);
	gaps_clear(&sender->missing);
	delivery_status_finish(&sender->status);
	output_stop_finish(&sender->stop);
}

/* The loop of a thread that sends what is in a spool, and says there what came of it. */

/* How long it waits for records before it does something else. */
#define READ_NS UINT64_C(1000000000)

/* What is in a batch beside a spool. */
enum spooled {
	SPOOLED_RECORDS, /* of the spool */
	SPOOLED_LOSSES, /* drop records for what the spool lost */
	SPOOLED_UNSAID, /* drop records that were rejected before */
};

/* Something of the spool failed: it is tried again after a while. */
static void wait_for_spool(struct sender *sender, int code, const struct error *err)
{
	sender_report(sender, code, err);
	output_heartbeat_set(&sender->heartbeat, HEARTBEAT_WAITS);
	output_wait(&sender->stop, -1, 0, SENDER_SPOOL_WAIT_MS);
	output_heartbeat_set(&sender->heartbeat, HEARTBEAT_WORKS);
}

/* Says that all before what is left of the batch is done. */
static void acknowledge(struct sender *sender, uint64_t position)
{
	const struct batch *batch = &sender->batch;
	struct error err;

	/* What cannot be stored now will be with the next call. */
	output_heartbeat_set(&sender->heartbeat, HEARTBEAT_IN_SPOOL);
	spool_acknowledge_record(sender->spooler->spool, position,
				 batch->records[batch->first - 1].number,
				 batch_count(batch) ? batch->records[batch->first].ts_ns : 0, &err);
	output_heartbeat_set(&sender->heartbeat, HEARTBEAT_WORKS);
}

/* Has the spool know that the window is about to be sent. Returns 0, or -errno with a message. */
static int spooled_attempt(struct sender *sender, enum spooled what,
			   const struct output_batch *window, struct error *err)
{
	struct spool *spool = sender->spooler->spool;
	int r = 0;

	output_heartbeat_set(&sender->heartbeat, HEARTBEAT_IN_SPOOL);
	if (what == SPOOLED_RECORDS)
		r = spool_attempt(spool, sender->position + sender->batch.first + window->count - 1,
				  err);
	else if (what == SPOOLED_LOSSES)
		r = spool_attempt_lost(spool, err);
	output_heartbeat_set(&sender->heartbeat, HEARTBEAT_WORKS);
	return r;
}

/* Sends what is in the batch. Returns whether all of it was settled. */
static bool send_spooled(struct sender *sender, enum spooled what)
{
	struct batch *batch = &sender->batch;
	struct output_batch window;
	struct error err = {""};
	int r;

	while (batch_count(batch) && !sender_is_stopped(sender) &&
	       !spooler_is_gone(sender->spooler)) {
		size_t left;

		sender_make_window(sender, &window);
		r = spooled_attempt(sender, what, &window, &err);
		if (r) {
			wait_for_spool(sender, r, &err);
			continue;
		}
		sender->attempts = what != SPOOLED_UNSAID;
		left = sender_send_window(sender, &window);
		sender->attempts = false;
		/* Halves do not wait for the target. */
		if (left && !window.too_large && !window.divide && sender_gives_up(sender))
			return false;
		if (!left && what == SPOOLED_RECORDS)
			acknowledge(sender, sender->position + batch->first - 1);
	}
	return !batch_count(batch);
}

/* Those that an earlier run may have sent are marked; they come first. */
static void mark_attempted(struct sender *sender)
{
	struct batch *batch = &sender->batch;
	size_t count = 0;

	while (count < batch_count(batch) &&
	       batch->records[batch->first + count].flags & RECORD_REDELIVERED)
		batch->records[batch->first + count++].flags &= (uint8_t)~RECORD_REDELIVERED;
	output_counter_add(&sender->counters->redelivered,
			   batch_redeliver(batch, count, batch_drops_mark, sender->form));
}

/* Says what the spool has lost, or the target rejected; NULL: nothing. */
static bool send_lost(struct sender *sender, const struct spool_losses *lost, bool redelivered)
{
	struct gaps gaps = {0};
	struct error err = {""};
	bool settled;

	if (!lost)
		return true;
	spooler_losses(lost, &gaps);
	sender_add_drops(sender, &gaps);
	if (redelivered)
		batch_redeliver(&sender->batch, batch_count(&sender->batch), batch_drops_mark,
				sender->form);
	settled = send_spooled(sender, SPOOLED_LOSSES);
	sender_release_blocks(sender);
	if (!settled)
		return false;
	/* What cannot be stored now is said again by the next run. */
	spool_lost_reported(sender->spooler->spool, &err);
	return true;
}

/* What is said to be in the spool counts records. */
static void count_old_drops(struct sender *sender, const struct spool_batch *read)
{
	uint64_t drops = 0;

	for (size_t i = 0; i < read->count && read->first + i <= sender->spooler->backlog_last; i++)
		drops += (read->records[i].flags & RECORD_IS_DROP) != 0;
	output_counter_add(&sender->counters->old_drops, drops);
}

/* Adds what was read to the batch. Returns false if the thread ends before there is memory. */
static bool take_read(struct sender *sender, const struct spool_batch *read)
{
	struct error err = {""};

	while (batch_add(&sender->batch, read->records, read->count)) {
		wait_for_spool(sender, error_set(&err, -ENOMEM, "out of memory"), &err);
		if (sender_is_stopped(sender) || spooler_is_gone(sender->spooler))
			return false;
	}
	count_old_drops(sender, read);
	sender->last_number = read->records[read->count - 1].number;
	return true;
}

static bool has_room(const struct sender *sender)
{
	return sender->batch.bytes < sender->bytes_max &&
	       batch_count(&sender->batch) < sender->count_max;
}

/* Waits for what follows, but not when nothing can. */
static int read_next(struct sender *sender, uint64_t until_ns, struct spool_batch *next)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);
	struct error err;
	int got;

	output_heartbeat_set(&sender->heartbeat, HEARTBEAT_WAITS);
	got = spool_read(sender->spooler->spool,
			 until_ns > now && !queue_is_closed(sender->queue) ? until_ns - now : 0,
			 next, &err);
	output_heartbeat_set(&sender->heartbeat, HEARTBEAT_WORKS);
	return got;
}

/*
 * The spool has a frame for each block, which would make a request of its own: those that follow
 * `read` become part of its batch, until that is large or old enough. Returns 1 if `read` is then
 * what comes next, which has to wait since something is missing before it; 0; or -ECANCELED.
 */
static int merge_reads(struct sender *sender, struct spool_batch *read)
{
	uint64_t until_ns = clock_ns(CLOCK_MONOTONIC) + sender->config->batch_ns;
	uint64_t next_position = read->first + read->count;
	struct spool_batch next;

	while (has_room(sender) && !sender_is_stopped(sender) &&
	       batch_own(&sender->batch, read->count) == 0 &&
	       read_next(sender, until_ns, &next) == 1) {
		*read = next;
		if (next.lost || next.first != next_position)
			return 1;
		if (!take_read(sender, &next))
			return -ECANCELED;
		next_position += next.count;
	}
	return 0;
}

/*
 * Returns false if the thread ends: then the batch has what is left of it; what was read behind it
 * is with the spool.
 */
static bool send_read(struct sender *sender, struct spool_batch *read)
{
	int more;

	do {
		if (!send_lost(sender, read->lost, read->lost_redelivered) ||
		    !take_read(sender, read))
			return false;
		sender->position = read->first;
		more = merge_reads(sender, read);
		if (more < 0)
			return false;
		mark_attempted(sender);
		if (!send_spooled(sender, SPOOLED_RECORDS))
			return false;
		sender->position = 0;
		sender_release_blocks(sender);
	} while (more);
	return true;
}

void sender_leave_rest(struct sender *sender)
{
	const struct batch *batch = &sender->batch;

	if (sender->position)
		spool_leave(sender->spooler->spool, sender->position + batch->first,
			    batch->records + batch->first, batch_count(batch));
	else
		spool_leave(sender->spooler->spool, 0, NULL, 0);
}

/* Drop records that were rejected, if that is due; at the end once more. */
static bool send_unsaid(struct sender *sender, bool last)
{
	bool settled;

	if (!(last && !sender->said_last) && !is_time_to_say(sender))
		return true;
	sender->said_last = last;
	if (!add_unsaid(sender))
		return true;
	settled = send_spooled(sender, SPOOLED_UNSAID);
	if (!settled)
		spool_set_incomplete(sender->spooler->spool);
	sender_release_blocks(sender);
	return settled;
}

/* What is missing is said soon, also if no record follows. */
static bool send_rest(struct sender *sender, bool ended)
{
	bool redelivered;
	const struct spool_losses *lost = spool_lost(sender->spooler->spool, &redelivered);

	return send_lost(sender, lost, redelivered) && send_unsaid(sender, ended);
}

/* Returns whether there is a spool to read. */
static bool sender_wait_until_open(struct sender *sender)
{
	const struct spooler *spooler = sender->spooler;

	while (!spooler_is_open(spooler) && !spooler_has_ended(spooler) &&
	       !sender_is_stopped(sender)) {
		sender_do_chores(sender);
		output_heartbeat_set(&sender->heartbeat, HEARTBEAT_WAITS);
		output_wait(&sender->stop, -1, 0, SENDER_SPOOL_WAIT_MS);
	}
	if (!spooler_is_open(spooler))
		return false;
	sender->last_number = spooler->first_number;
	return true;
}

void *sender_run_from_spool(void *context)
{
	struct sender *sender = context;
	struct spooler *spooler = sender->spooler;
	bool over = !sender_wait_until_open(sender);

	/* What the folder took with it, if the thread starts again with another one. */
	sender->position = 0;
	sender_release_blocks(sender);
	while (!over && !sender_is_stopped(sender) && !spooler_is_gone(spooler)) {
		/* Asked before: what is there after its end is all that there is. */
		bool ended = spooler_has_ended(spooler);
		struct spool_batch read;
		struct error err = {""};
		int got;

		sender_do_chores(sender);
		output_heartbeat_set(&sender->heartbeat, HEARTBEAT_IN_SPOOL);
		got = spool_read(spooler->spool, ended ? 0 : READ_NS, &read, &err);
		output_heartbeat_set(&sender->heartbeat, HEARTBEAT_WORKS);
		if (got < 0)
			wait_for_spool(sender, got, &err);
		else if (got == 1)
			over = !send_read(sender, &read) || !send_unsaid(sender, false);
		else
			over = !send_rest(sender, ended) || ended;
	}
	/* The next run says that something is missing, if not what. */
	if (batch_count(&sender->unsaid))
		spool_set_incomplete(spooler->spool);
	output_heartbeat_set(&sender->heartbeat, HEARTBEAT_WAITS);
	atomic_store(&sender->has_ended, true);
	return NULL;
}
