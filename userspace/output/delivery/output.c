/* SPDX-License-Identifier: MIT */
/* Formats records into blocks: no allocation and no lock for each of them. */
#include "output/delivery/output.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "output/delivery/thread.h"
#include "output/redact/redact.h"
#include "output/target.h"
#include "rules/ruleset.h"
#include "sinsp/format/output_format.h"
#include "util/clock.h"
#include "util/count.h"

/* How long records wait for others while a batch is being filled. */
#define BLOCK_AGE_NS UINT64_C(25000000)

/* A queue before a spool has room for so many blocks. */
enum {
	SPOOL_BLOCKS = 8,
	SPOOL_BLOCK_BYTES_MAX = SPOOL_DATA_BYTES_MAX / 8,
};
/* Between drop records about what was left out. */
#define LEFT_OUT_NS UINT64_C(10000000000)

static void output_make_stream(char stream[OUTPUT_STREAM_BYTES])
{
	uint64_t random;

	if (getrandom(&random, sizeof(random), GRND_NONBLOCK) != sizeof(random))
		random = clock_ns(CLOCK_REALTIME);
	snprintf(stream, OUTPUT_STREAM_BYTES, "%016llx", (unsigned long long)random);
}

static void find_wanted(struct output *output)
{
	bool generic[SYSCALL_CODES_COUNT];

	if (output->config->kind->takes_metrics)
		return;
	if (output->view.filter)
		filter_event_types(output->view.filter, output->wants, generic);
	else
		memset(output->wants, true, sizeof(output->wants));
}

/* Says in an error which output has it. */
static int name_output(const struct output_config *config, const char *dashes, int code,
		       struct error *err)
{
	struct error cause;

	if (!err)
		return code;
	cause = *err;
	return error_set(err, code, "%soutput %s: %s", dashes, config->text, cause.text);
}

int output_create(struct output_config *config, struct output_view *view, struct output **output,
		  struct error *err)
{
	struct output *made = calloc(1, sizeof(*made));
	int r;

	if (!made) {
		output_config_destroy(config);
		output_view_finish(view);
		return error_set(err, -ENOMEM, "out of memory");
	}
	made->config = config;
	made->view = *view;
	find_wanted(made);
	*view = (struct output_view){0};
	r = limit_init(&made->limit, config, err);
	if (r == 0 && config->redact)
		r = redact_create((const char *const *)config->redact_patterns.items,
				  config->redact_patterns.count, &made->redact, err);
	if (made->redact)
		made->hider =
			(struct text_hider){.arguments = redact_arguments, .context = made->redact};
	if (made->redact && made->view.formatter)
		formatter_set_hider(made->view.formatter, &made->hider);
	if (r) {
		name_output(config, "--", r, err);
		output_destroy(made);
		return r;
	}
	*output = made;
	return 0;
}

void output_destroy(struct output *output)
{
	if (!output)
		return;
	if (output->is_open) {
		queue_close(&output->queue); /* also if it was not started as a whole */
		sender_join(&output->sender);
		spooler_join(&output->spooler);
		sender_finish(&output->sender);
		if (output->sender.spooler)
			spooler_finish(&output->spooler);
		queue_block_destroy(output->block);
		queue_finish(&output->queue);
	}
	gaps_clear(&output->left_out);
	limit_finish(&output->limit);
	redact_destroy(output->redact);
	output_view_finish(&output->view);
	output_config_destroy(output->config);
	free(output);
}

/* A spool that is slow may cost records, but does not hold up the capture. */
static enum output_policy choose_policy(const struct output_config *config, bool reads_file)
{
	if (config->policy != POLICY_AUTO && config->policy != POLICY_SPOOL)
		return (enum output_policy)config->policy;
	return reads_file ? POLICY_BLOCK : POLICY_DROP_NEWEST;
}

/* The life of an output with a spool goes on where an earlier run ended. */
static int open_spool(struct output *output, struct error *err)
{
	output->spooler.config = output->config;
	output->spooler.form = &output->form;
	output->spooler.queue = &output->queue;
	output->spooler.counters = &output->counters;
	output->sender.spooler = &output->spooler;
	output->sender.run = sender_run_from_spool;
	/* A block is a batch of the spool. */
	output->queue.block_bytes = (size_t)output->config->queue_bytes / SPOOL_BLOCKS;
	if (output->queue.block_bytes > output->config->batch_bytes)
		output->queue.block_bytes = (size_t)output->config->batch_bytes;
	if (output->queue.block_bytes > SPOOL_BLOCK_BYTES_MAX)
		output->queue.block_bytes = SPOOL_BLOCK_BYTES_MAX;
	output->form.stream = output->spooler.stream;
	output->spooler.must_open = output->queue.policy == POLICY_BLOCK;
	output->awaits_spool = true;
	return spooler_open(&output->spooler, err);
}

static int set_stream(struct output *output)
{
	struct formatter *formatter = output->view.formatter;

	return formatter ? formatter_set_id(formatter, output->stream) : 0;
}

/* The numbers end with the last one; earlier losses among them were said before. */
static void say_undelivered(struct output *output, uint64_t count)
{
	const struct output_past *past = &output->past;
	uint64_t now = clock_ns(CLOCK_REALTIME);
	struct gap gap = {
		.from = past->number - count + 1,
		.to = past->number,
		.count = count,
		.first_ns = now,
		.last_ns = now,
	};

	gaps_add_gap(&output->queue.missing, past->died ? GAP_TAKEN_OVER : GAP_END, &gap);
}

/* What a spool did not get of an agent that died is missing; it has all of one that ended well. */
static uint64_t count_undelivered(const struct output *output)
{
	const struct output_past *past = &output->past;

	if (!output->config->spool)
		return past->undelivered < past->number ? past->undelivered : past->number;
	return past->died && past->number > output->number ? past->number - output->number : 0;
}

/* Says what is missing, and continues the numbers: of the spool, if there is one. */
static void go_on(struct output *output)
{
	const struct output_past *past = &output->past;
	uint64_t count = count_undelivered(output);

	if (count)
		say_undelivered(output, count);
	if (past->number > output->number)
		output->first_number = output->number = past->number;
}

/* The life of the spool goes on if it is open. Returns whether it is. */
static bool join_spool(struct output *output)
{
	const struct spooler *spooler = &output->spooler;

	if (!spooler_is_open(spooler))
		return false;
	memcpy(output->stream, spooler->stream, sizeof(output->stream));
	if (set_stream(output))
		return false;
	output->first_number = output->number = spooler->first_number;
	output->awaits_spool = false;
	/* The spool of the other agent is not always the one that is there now. */
	if (output->continues && strcmp(output->stream, output->past.stream) == 0)
		go_on(output);
	return true;
}

/* Without a spool the life is that of the other agent's output, or a new one. */
static void choose_stream(struct output *output)
{
	if (!output->continues || output->config->spool) {
		output_make_stream(output->stream);
		return;
	}
	memcpy(output->stream, output->past.stream, sizeof(output->stream));
	go_on(output);
	output->sender.last_number = output->number;
}

static int output_begin_stream(struct output *output, struct error *err)
{
	int r;

	choose_stream(output);
	r = output->config->spool ? open_spool(output, err) : set_stream(output);
	if (r == -ENOMEM)
		return error_set(err, r, "%s: out of memory", output->config->text);
	if (r == 0 && output->awaits_spool)
		join_spool(output);
	return r;
}

/* Starts the threads that do not run. */
static int start(struct output *output, struct error *err)
{
	bool has_spooler = output->sender.spooler && !output->spooler.is_started;
	int r = has_spooler ? spooler_start(&output->spooler, err) : 0;

	return r || output->sender.is_started ? r : sender_start(&output->sender, err);
}

int output_try(const struct output *output, struct error *err)
{
	int r = output_target_try(output->config, err);

	return r ? name_output(output->config, "", r, err) : 0;
}

void output_continue(struct output *output, const struct output_past *past)
{
	output->continues = true;
	output->past = *past;
}

int output_open(struct output *output, bool reads_file, bool (*is_over)(void), struct error *err)
{
	const struct output_config *config = output->config;
	int r = queue_init(&output->queue, (size_t)config->queue_bytes,
			   choose_policy(config, reads_file), is_over, &output->counters);

	if (r)
		return error_set(err, r, "output %s: %s", config->text, strerror(-r));
	output->is_open = true;
	output->form = (struct output_form){output->view.format, output->view.schema,
					    output->stream, output->redact};
	output->sender.config = config;
	output->sender.form = &output->form;
	output->sender.queue = &output->queue;
	output->sender.leaves_full_disk =
		reads_file && config->policy == POLICY_AUTO && !config->spool;
	output->sender.counters = &output->counters;
	r = sender_open(&output->sender, err);
	if (r == 0)
		r = output_begin_stream(output, err);
	if (r == 0)
		r = start(output, err);
	return r ? name_output(config, "", r, err) : 0;
}

static void output_push(struct output *output)
{
	queue_push(&output->queue, output->block);
	output->block = NULL;
}

/* Makes sure that there is a block with room for a record. */
static bool begin_record(struct output *output)
{
	if (!output->block)
		output->block = queue_new_block(&output->queue);
	return output->block && queue_block_reserve(output->block);
}

static struct output_record record_of(const struct output *output, const struct state_event *event,
				      enum rules_priority priority)
{
	return (struct output_record){
		.number = output->number + 1,
		.ts_ns = state_wall_ns(event, event->ev.ts_ns),
		.event = (uint16_t)event->ev.desc->id,
		.priority = (uint8_t)priority,
	};
}

static void end_record(struct output *output, size_t start, const struct output_record *record)
{
	struct queue_block *block = output->block;

	output->number = record->number;
	if (block->bytes.failed) {
		output_push(output);
		queue_miss(&output->queue, GAP_NO_MEMORY, record);
		return;
	}
	queue_block_end_record(block, start, record);
	if (queue_block_is_full(&output->queue, block))
		output_push(output);
}

static void output_miss(struct output *output, const struct output_record *record)
{
	output->number = record->number;
	queue_miss(&output->queue, GAP_NO_MEMORY, record);
}

/* Counts an event that the limit does not let through. Returns whether it is one. */
static bool output_leave_out(struct output *output, const struct state_event *event, long rule)
{
	struct output_record record;
	enum gap_cause cause;

	if (limit_takes(&output->limit, event, rule, &cause))
		return false;
	record = record_of(output, event, PRIORITY_INFORMATIONAL);
	record.number = 0;
	gaps_add(&output->left_out, cause, &record);
	output_counter_add(&output->counters.dropped[cause], 1);
	return true;
}

/* Counts an event of which no record can be made, for want of a number. */
static void lose_without_spool(struct output *output, const struct state_event *event)
{
	struct output_record record = record_of(output, event, PRIORITY_INFORMATIONAL);

	record.number = 0;
	output->lost_without++;
	queue_miss(&output->queue, GAP_SPOOL_CLOSED, &record);
}

/* The event has what its filter, and that of the run, say of it. */
static bool passes(const struct output *output, struct state_event *event)
{
	if (!output->view.filter)
		return true;
	if (!filter_match(output->view.filter, event))
		return false;
	state_event_note_answer(event,
				event->filter_unknown || filter_is_unknown(output->view.filter));
	return true;
}

bool output_event(struct output *output, struct state_event *event)
{
	uint64_t number = event->num;
	struct output_record record;
	size_t start;
	bool printed;

	if (!passes(output, event))
		return false;
	if (!output->view.formatter) /* rules were removed by a reload, or it has no events */
		return !output->config->kind->takes_metrics;
	if (output->limit.is_on && output_leave_out(output, event, LIMIT_NO_RULE))
		return true;
	if (output->awaits_spool && !join_spool(output)) {
		lose_without_spool(output, event);
		return true;
	}
	record = record_of(output, event, PRIORITY_INFORMATIONAL);
	if (!begin_record(output)) {
		output_miss(output, &record);
		return true;
	}
	start = output->block->bytes.len;
	event->num = record.number;
	printed = formatter_write(output->view.formatter, event, &output->block->bytes);
	event->num = number;
	if (printed)
		end_record(output, start, &record);
	return true;
}

/* Drop records of alerts say it, from another thread. */
static void remember_hostname(struct output *output, const struct state_event *event)
{
	if (output->form.hostname || !output->view.schema || !output->view.schema->fields)
		return;
	snprintf(output->hostname, sizeof(output->hostname), "%s", state_hostname(event->state));
	output->form.hostname = output->hostname;
}

bool output_match(struct output *output, struct ruleset *ruleset, size_t rule,
		  struct state_event *event)
{
	uint64_t number = event->num;
	struct output_record record;
	size_t start;

	if (output->config->kind->takes_metrics)
		return false;
	if (!passes(output, event))
		return false;
	if (output->limit.is_on && output_leave_out(output, event, (long)rule))
		return true;
	if (output->awaits_spool && !join_spool(output)) {
		lose_without_spool(output, event);
		return true;
	}
	remember_hostname(output, event);
	record = record_of(output, event, ruleset_priority(ruleset, rule));
	if (!begin_record(output)) {
		output_miss(output, &record);
		return true;
	}
	start = output->block->bytes.len;
	event->num = record.number;
	ruleset_set_hider(ruleset, rule, output->view.line, &output->hider);
	ruleset_append(ruleset, rule, output->view.line, event, output->view.formatter,
		       &output->block->bytes);
	event->num = number;
	end_record(output, start, &record);
	return true;
}

void output_measure(struct output *output, uint64_t ts_ns, const struct buf *metric)
{
	const struct output_record record = {
		.number = output->number + 1, .ts_ns = ts_ns, .priority = PRIORITY_INFORMATIONAL};
	size_t start;

	if (output->awaits_spool && !join_spool(output)) {
		output->lost_without++;
		queue_miss(&output->queue, GAP_SPOOL_CLOSED, &record);
		return;
	}
	if (!begin_record(output)) {
		output_miss(output, &record);
		return;
	}
	start = output->block->bytes.len;
	buf_append(&output->block->bytes, metric->data, metric->len);
	if (metric->failed)
		buf_fail(&output->block->bytes);
	end_record(output, start, &record);
}

/* Now and then a drop record says what was left out, also if no other record comes. */
static void report_left_out(struct output *output, uint64_t now_ns)
{
	if (now_ns - output->left_out_ns < LEFT_OUT_NS || gaps_are_empty(&output->left_out))
		return;
	output->left_out_ns = now_ns;
	gaps_move(&output->queue.missing, &output->left_out);
}

void output_lose(struct output *output, enum gap_cause cause, struct gap *lost)
{
	lost->count = 0;
	for (unsigned int id = 0; id < EVENT_ID_MAX; id++) {
		if (!output->wants[id])
			lost->types[id] = 0;
		lost->count += lost->types[id];
	}
	if (lost->count)
		queue_lose(&output->queue, cause, lost);
}

/* What is missing is said soon, also if no record follows. */
static void push_gaps(struct output *output, enum queue_demand demand)
{
	if (demand == QUEUE_BUSY || gaps_are_empty(&output->queue.missing))
		return;
	if (!output->block)
		output->block = queue_new_block(&output->queue);
	if (output->block)
		output_push(output);
}

void output_step(struct output *output, uint64_t now_ns)
{
	enum queue_demand demand = queue_demand(&output->queue);
	struct queue_block *block = output->block;

	report_left_out(output, now_ns);
	if (!block || !block->count) {
		push_gaps(output, demand);
		return;
	}
	if (!block->begin_ns)
		block->begin_ns = now_ns;
	if (demand == QUEUE_HUNGRY ||
	    (demand == QUEUE_FILLING && now_ns - block->begin_ns >= BLOCK_AGE_NS))
		output_push(output);
}

bool output_has_more(struct output *output)
{
	return (output->block && output->block->count) || !gaps_are_empty(&output->left_out) ||
	       !gaps_are_empty(&output->queue.missing);
}

/* Records that are with neither thread. */
static uint64_t count_waiting(struct output *output)
{
	struct queue_stats queue;

	queue_stats(&output->queue, &queue);
	return queue.records + (output->block ? output->block->count : 0);
}

static bool have_both_ended(const struct output *output)
{
	return sender_has_ended(&output->sender) &&
	       (!output->sender.spooler || spooler_has_ended(&output->spooler));
}

/*
 * The folder of the spool was removed, and both threads have ended: they can reach no other folder
 * that is made in its place, so others start. Returns 0 or -errno.
 */
static int output_renew(struct output *output)
{
	struct output_account account;
	struct error err = {""};
	uint64_t waiting = count_waiting(output), lost;
	int r;

	output_account(output, &account);
	lost = account.queued > waiting ? account.queued - waiting : 0;
	sender_join(&output->sender);
	spooler_join(&output->spooler);
	r = spooler_renew(&output->spooler, lost, &err);
	if (r)
		return r;
	output_counter_add(&output->counters.dropped[GAP_SPOOL_REMOVED], lost);
	atomic_store(&output->sender.has_ended, false);
	output->awaits_threads = start(output, &err) != 0;
	return 0;
}

/* Another try to start the threads of the new spool. */
static void start_again(struct output *output)
{
	struct error err = {""};

	output->awaits_threads = start(output, &err) != 0;
}

void output_check_spool(struct output *output)
{
	if (output->awaits_threads)
		start_again(output);
	else if (output->sender.spooler && spooler_is_gone(&output->spooler) &&
		 have_both_ended(output))
		output_renew(output);
}

static void lose_queued(struct output *output)
{
	struct output_account account;

	output_account(output, &account);
	output_counter_add(&output->counters.dropped[GAP_SPOOL_REMOVED], account.queued);
}

/* The same at the end, when there is no other try: what waits is lost, too. */
static bool renew_at_the_end(struct output *output)
{
	if (!output->sender.spooler || !spooler_is_gone(&output->spooler))
		return false;
	if (!output_is_stopped(&output->sender.stop) && output_renew(output) == 0)
		return true;
	lose_queued(output);
	return false;
}

/* At the end there is one more try. A thread that does not start then has ended. */
static void start_at_the_end(struct output *output)
{
	bool stores;

	start_again(output);
	if (!output->awaits_threads)
		return;
	output->awaits_threads = false;
	stores = output->spooler.is_started;
	atomic_store(&output->sender.has_ended, true);
	if (stores)
		return;
	atomic_store(&output->spooler.has_ended, true);
	lose_queued(output);
}

/* Whether this run has said anything, or has yet to do so. */
static bool has_stream(struct output *output)
{
	return output->number != output->first_number || output->lost_without ||
	       !gaps_are_empty(&output->queue.missing) || output->spooler.was_interrupted;
}

/* Behind all records, and what is missing of them. Without numbers there is no stream to end. */
static void end_stream(struct output *output, const char *reason)
{
	struct output_account account;

	if ((output->awaits_spool && !join_spool(output)) || !has_stream(output))
		return;
	output_account(output, &account);
	output->queue.missing.end = (struct gap_end){
		.reason = reason,
		.last = output->number,
		.records = account.formatted,
		.dropped = output_account_dropped(&account),
		.ts_ns = clock_ns(CLOCK_REALTIME),
	};
}

void output_end(struct output *output, const char *reason, uint64_t now_ns)
{
	gaps_move(&output->queue.missing, &output->left_out);
	if (output->block && output->block->count)
		output_push(output);
	end_stream(output, reason);
	queue_close(&output->queue);
	output->closed_ns = now_ns;
}

/* Nothing is stored or sent any more. */
static void output_conclude(struct output *output)
{
	if (output->sender.spooler && spooler_is_open(&output->spooler) &&
	    !spooler_is_gone(&output->spooler))
		sender_leave_rest(&output->sender);
	output->is_over = true;
}

bool output_has_ended(struct output *output, uint64_t now_ns, bool hurry)
{
	if (output->awaits_threads)
		start_at_the_end(output);
	if (!output->is_over && have_both_ended(output) && !renew_at_the_end(output))
		output_conclude(output);
	if (output->is_over)
		return true;
	if ((hurry || now_ns - output->closed_ns >= output->config->stop_ns) &&
	    !output_is_stopped(&output->sender.stop))
		sender_stop(&output->sender);
	return false;
}

/* What the spool lost of what it had; what it did not take was counted before. */
static void account_spool(struct output *output, struct output_account *account)
{
	static const enum spool_cause causes[] = {SPOOL_LOST_LIMIT, SPOOL_LOST_CORRUPT,
						  SPOOL_LOST_POWER};
	uint64_t now = clock_ns(CLOCK_REALTIME);
	struct spool_stats stats;

	if (!spooler_is_open(&output->spooler))
		return;
	spool_stats(output->spooler.spool, &stats);
	/* What waits there is older than what waits in memory. */
	if (stats.oldest_ns && stats.oldest_ns < now)
		account->oldest_ns = now - stats.oldest_ns;
	account->backlog = output->spooler.backlog -
			   output_counter_get(&output->counters.old_drops) - stats.lost_old_drops;
	account->spool_bytes = stats.bytes;
	account->unknown_gaps = output->spooler.was_interrupted;
	for (size_t i = 0; i < COUNT(causes); i++)
		account->dropped[spooler_cause(causes[i])] += stats.lost[causes[i]];
}

void output_account(struct output *output, struct output_account *account)
{
	const struct output_counters *counters = &output->counters;
	uint64_t now = clock_ns(CLOCK_MONOTONIC), gone;
	struct queue_stats queue;

	queue_stats(&output->queue, &queue);
	*account = (struct output_account){
		.name = output->config->text,
		.formatted = output->number - output->first_number + output->lost_without,
		.delivered = output_counter_get(&counters->delivered),
		.delivered_bytes = output_counter_get(&counters->delivered_bytes),
		.queued_bytes = queue.bytes,
		.oldest_ns = queue.oldest_ns && queue.oldest_ns < now ? now - queue.oldest_ns : 0,
		.batches = output_counter_get(&counters->batches),
		.failures = output_counter_get(&counters->failures),
		.retried = output_counter_get(&counters->retried),
		.redelivered = output_counter_get(&counters->redelivered),
	};
	for (int i = 0; i < GAP_CAUSES; i++)
		account->dropped[i] = output_counter_get(&counters->dropped[i]);
	if (output->sender.spooler)
		account_spool(output, account);
	for (int i = 0; output->redact && i < REDACT_UNFINISHED; i++)
		account->redacted += redact_count(output->redact, (enum redact_kind)i);
	if (output->redact)
		account->redact_unfinished = redact_count(output->redact, REDACT_UNFINISHED);
	gone = account->delivered + output_account_dropped(account);
	account->queued = account->formatted + account->backlog > gone
				  ? account->formatted + account->backlog - gone
				  : 0;
	output_account_name_delivered(account, output->config->kind->acknowledges);
	output_heartbeat_get(&output->sender.heartbeat, now, &account->sender_ns);
	output_heartbeat_get(&output->spooler.heartbeat, now, &account->spooler_ns);
	account->is_failing = delivery_status_is_failing(&output->sender.status, &account->err);
}
