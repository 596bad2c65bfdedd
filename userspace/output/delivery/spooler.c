/* SPDX-License-Identifier: MIT */
/* Blocks become batches of the spool: one each, after drop records for what is missing before it.
 */
#include "output/delivery/spooler.h"
#include "output/delivery/batch.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "output/delivery/output.h"
#include "output/delivery/thread.h"
#include "output/reach.h"
#include "util/clock.h"

/* zstd compresses JSON to a tenth at this level, faster than most disks write. */
enum { SPOOL_LEVEL = 1 };

#define SYNC_CHECK_NS UINT64_C(200000000)
#define LOOK_NS UINT64_C(1000000000)

enum gap_cause spooler_cause(enum spool_cause cause)
{
	static const enum gap_cause causes[SPOOL_CAUSES] = {
		[SPOOL_LOST_NO_SPACE] = GAP_SPOOL_NO_SPACE,
		[SPOOL_LOST_IO] = GAP_SPOOL_IO,
		[SPOOL_LOST_LIMIT] = GAP_SPOOL_LIMIT,
		[SPOOL_LOST_CORRUPT] = GAP_SPOOL_CORRUPT,
		[SPOOL_LOST_POWER] = GAP_SPOOL_POWER,
		[SPOOL_LOST_REJECTED] = GAP_REJECTED,
		[SPOOL_LOST_TOO_LARGE] = GAP_TOO_LARGE,
	};

	return causes[cause];
}

static bool is_of_spool(enum gap_cause cause)
{
	for (unsigned int i = 0; i < SPOOL_CAUSES; i++)
		if (spooler_cause((enum spool_cause)i) == cause)
			return true;
	return false;
}

void spooler_losses(const struct spool_losses *losses, struct gaps *gaps)
{
	for (unsigned int i = 0; i < SPOOL_CAUSES; i++) {
		const struct spool_loss *loss = &losses->causes[i];
		struct gap gap = {loss->from, loss->to, loss->count, loss->first_ns, loss->last_ns};

		if (!loss->count)
			continue;
		memcpy(gap.types, losses->events[i], sizeof(gap.types));
		gaps_add_gap(gaps, spooler_cause((enum spool_cause)i), &gap);
	}
}

/* What the run before had not stored: the first drop record of this run says so. */
static void add_interruption(struct spooler *spooler, uint64_t known_ns)
{
	const struct gap unknown = {.first_ns = known_ns, .last_ns = clock_ns(CLOCK_REALTIME)};

	spooler->was_interrupted = true;
	gaps_add_gap(&spooler->missing, GAP_INTERRUPTED, &unknown);
}

static int try_to_open(struct spooler *spooler, struct error *err)
{
	const struct output_config *output = spooler->config;
	const struct spool_config config = {
		.path = output->spool,
		.limit_bytes = output->spool_bytes,
		.sync_ns = output->spool_sync_ns,
		.level = SPOOL_LEVEL,
		.when_full = SPOOL_DROP_OLDEST,
	};
	const struct spool_before *before;
	struct spool_stats stats;
	int r = spool_open(&config, &spooler->spool, err);

	if (r)
		return r;
	spool_stats(spooler->spool, &stats);
	/* The power took some of what earlier runs had. */
	spooler->backlog = stats.records + stats.lost[SPOOL_LOST_POWER];
	spooler->backlog_last = stats.last;
	spooler->first_number = spooler->last_number = spool_last_number(spooler->spool);
	memcpy(spooler->stream, spool_stream(spooler->spool), sizeof(spooler->stream));
	before = spool_before(spooler->spool);
	if (before->was_interrupted)
		add_interruption(spooler, before->known_ns);
	atomic_store_explicit(&spooler->is_open, true, memory_order_release);
	return 0;
}

/* Says that it cannot be opened now. */
static void report_closed(struct spooler *spooler, const struct error *reason)
{
	struct error err;

	error_set(&err, 0, "%s; it is tried again, and until then its records are lost",
		  reason->text);
	delivery_status_set(&spooler->status, &err);
}

int spooler_open(struct spooler *spooler, struct error *err)
{
	struct error reason = {""};
	int r = delivery_status_init(&spooler->status);

	if (r)
		return error_set(err, r, "%s: %s", spooler->config->text, strerror(-r));
	r = try_to_open(spooler, &reason);
	if (r && (spooler->must_open || !spool_may_open_later(r)))
		return error_set(err, r, "%s", reason.text);
	if (r)
		report_closed(spooler, &reason);
	return 0;
}

void spooler_hurry(struct spooler *spooler)
{
	atomic_store(&spooler->hurries, true);
	queue_wake(spooler->queue);
}

/* Remembers the records of a block that the spool did not take. */
static void spooler_miss(struct spooler *spooler, int code, const struct queue_block *block)
{
	enum gap_cause cause = spooler_cause(spool_cause(code));

	for (size_t i = 0; i < block->count; i++)
		gaps_add(&spooler->missing, cause, &block->records[i]);
	output_counter_add(&spooler->counters->dropped[cause], block->count);
}

/* The last number that is missing; 0: none. */
static uint64_t last_missing(const struct gaps *gaps)
{
	uint64_t last = 0;

	for (int cause = 0; cause < GAP_CAUSES; cause++)
		if (gaps->by_cause[cause] && gaps->by_cause[cause]->to > last)
			last = gaps->by_cause[cause]->to;
	return last;
}

/* Stores drop records for what is missing, and the records. */
static int store(struct spooler *spooler, const struct output_record *records, size_t count)
{
	struct batch *batch = &spooler->batch;
	struct error err = {""};
	int r = 0;

	output_heartbeat_set(&spooler->heartbeat, HEARTBEAT_IN_SPOOL);
	spool_use_numbers(spooler->spool, last_missing(&spooler->missing));
	batch_drops_add(spooler->form, &spooler->missing, spooler->last_number, batch);
	if (batch_add(batch, records, count))
		r = error_set(&err, -ENOMEM, "out of memory for the spool");
	else if (batch_count(batch))
		r = spool_append(spooler->spool, batch->records + batch->first, batch_count(batch),
				 &err);
	output_heartbeat_set(&spooler->heartbeat, HEARTBEAT_WORKS);
	batch_take_blocks(batch);
	delivery_status_set(&spooler->status, r ? &err : NULL);
	if (r == 0)
		gaps_clear(&spooler->missing);
	return r;
}

/* Says what is missing, also if no record follows. */
static void store_gaps(struct spooler *spooler)
{
	if (!gaps_are_empty(&spooler->missing))
		store(spooler, NULL, 0);
}

static void spooler_keep(struct spooler *spooler, struct queue_block *block)
{
	int r;

	batch_hide_secrets(spooler->form, block);
	gaps_move(&spooler->missing, &block->before);
	r = store(spooler, block->records, block->count);
	if (r)
		spooler_miss(spooler, r, block);
	else if (block->count)
		spooler->last_number = block->records[block->count - 1].number;
}

/* What could not be stored until the end is left to the next run. */
static void leave_gaps(struct spooler *spooler)
{
	const struct gaps *missing = &spooler->missing;

	for (unsigned int cause = 0; cause < SPOOL_CAUSES; cause++) {
		const struct gap *gap = missing->by_cause[spooler_cause((enum spool_cause)cause)];

		if (gap)
			spool_lose(spooler->spool, (enum spool_cause)cause,
				   &(struct spool_loss){gap->from, gap->to, gap->count,
							gap->first_ns, gap->last_ns});
	}
	for (unsigned int cause = 0; cause < GAP_CAUSES; cause++)
		if (missing->by_cause[cause] && !is_of_spool((enum gap_cause)cause))
			spool_set_incomplete(spooler->spool);
}

static struct queue_block *spooler_pop(struct spooler *spooler, const struct queue_wish *wish)
{
	struct queue_block *block;

	output_heartbeat_set(&spooler->heartbeat, HEARTBEAT_WAITS);
	block = queue_pop(spooler->queue, wish);
	output_heartbeat_set(&spooler->heartbeat, HEARTBEAT_WORKS);
	return block;
}

/* A try that is due, or asked for. */
static void open_again(struct spooler *spooler)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);
	struct error err = {""};

	if (!atomic_exchange(&spooler->hurries, false) && !backoff_allows(&spooler->backoff, now))
		return;
	output_heartbeat_set(&spooler->heartbeat, HEARTBEAT_IN_SPOOL);
	if (try_to_open(spooler, &err)) {
		backoff_failed(&spooler->backoff, now, 0);
		report_closed(spooler, &err);
	} else {
		delivery_status_set(&spooler->status, NULL);
	}
}

/* Until it is open no records come, but what is missing does at the end. */
static void spooler_wait_until_open(struct spooler *spooler)
{
	struct queue *queue = spooler->queue;

	while (!spooler_is_open(spooler) && !queue_is_over(queue)) {
		const struct queue_wish wish = {.demand = QUEUE_BUSY,
						.until_ns = spooler->backoff.next_ns};
		struct queue_block *block = spooler_pop(spooler, &wish);

		if (block)
			queue_release(queue, block);
		else
			open_again(spooler);
	}
}

/* Looks now and then whether the folder is still there; at the end in any case. */
static bool finds_folder(struct spooler *spooler, bool at_once)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);

	if (!at_once && now < spooler->look_ns)
		return true;
	spooler->look_ns = now + LOOK_NS;
	output_heartbeat_set(&spooler->heartbeat, HEARTBEAT_IN_SPOOL);
	if (spool_look(spooler->spool) == -ESTALE)
		atomic_store(&spooler->is_gone, true);
	output_heartbeat_set(&spooler->heartbeat, HEARTBEAT_WORKS);
	return !spooler_is_gone(spooler);
}

/* Moves what comes to the spool, until nothing comes or its folder is removed. */
static void store_all(struct spooler *spooler)
{
	struct queue *queue = spooler->queue;

	store_gaps(spooler);
	while (finds_folder(spooler, false) && !queue_is_over(queue)) {
		const struct queue_wish wish = {
			.demand = QUEUE_FILLING,
			.until_ns = clock_ns(CLOCK_MONOTONIC) + SYNC_CHECK_NS,
		};
		struct queue_block *block = spooler_pop(spooler, &wish);

		if (block) {
			spooler_keep(spooler, block);
			queue_release(queue, block);
		} else {
			store_gaps(spooler);
			output_heartbeat_set(&spooler->heartbeat, HEARTBEAT_IN_SPOOL);
			spool_sync(spooler->spool);
		}
	}
	if (!finds_folder(spooler, true))
		return;
	store_gaps(spooler);
	leave_gaps(spooler);
}

int spooler_renew(struct spooler *spooler, uint64_t count, struct error *err)
{
	struct spool_loss lost;
	struct gap gap;
	int r = output_make_folders(spooler->config, err);

	if (r == 0)
		r = spool_renew(spooler->spool, &lost, err);
	if (r) {
		delivery_status_set(&spooler->status, err);
		return r;
	}
	gap = (struct gap){lost.from, lost.to, count, lost.first_ns, lost.last_ns};
	if (count && lost.from <= lost.to)
		gaps_add_gap(&spooler->missing, GAP_SPOOL_REMOVED, &gap);
	error_set(err, 0,
		  "the folder of its spool was removed, and with it %" PRIu64
		  " records; it is made anew",
		  count);
	delivery_status_set(&spooler->status, err);
	atomic_store(&spooler->has_ended, false);
	atomic_store(&spooler->is_gone, false);
	return 0;
}

static void *spooler_run_thread(void *context)
{
	struct spooler *spooler = context;

	spooler_wait_until_open(spooler);
	if (spooler_is_open(spooler))
		store_all(spooler);
	output_heartbeat_set(&spooler->heartbeat, HEARTBEAT_WAITS);
	atomic_store(&spooler->has_ended, true);
	if (spooler_is_open(spooler))
		spool_wake(spooler->spool);
	return NULL;
}

int spooler_start(struct spooler *spooler, struct error *err)
{
	struct output_reach reach = {0};
	struct files_limits files;
	int r = -ENOMEM;

	output_reach_spool(spooler->config, &reach);
	files = output_reach_limits(&reach);
	if (!reach.failed)
		r = thread_start(&spooler->thread, &files, spooler_run_thread, spooler);
	output_reach_finish(&reach);
	if (r)
		return error_set(err, r, "%s: cannot start a thread: %s", spooler->config->text,
				 strerror(-r));
	spooler->is_started = true;
	return 0;
}

void spooler_join(struct spooler *spooler)
{
	if (spooler->is_started)
		pthread_join(spooler->thread, NULL);
	spooler->is_started = false;
}

void spooler_finish(struct spooler *spooler)
{
	spool_close(spooler->spool);
	spooler->spool = NULL;
	batch_finish(&spooler->batch);
	gaps_clear(&spooler->missing);
	delivery_status_finish(&spooler->status);
}
