/* SPDX-License-Identifier: MIT */
/*
 * The recordings of outputs, their failures and accounts; the list of them, and how another list
 * takes its place.
 */
#include "agent/record/captures.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "output/delivery/thread.h"
#include "output/reach.h"
#include "output/targets/appended.h"
#include "output/targets/rotated.h"
#include "output/targets/scap.h"
#include "util/clock.h"

/* A receiver that fails gets nothing more; the others do. */

static int pass_container(struct scap_snapshot *snapshot, const struct scap_container *container)
{
	struct record_tee *tee = (struct record_tee *)snapshot;

	for (size_t i = 0; i < tee->count; i++)
		if (tee->to[i] && tee->codes[i] == 0)
			tee->codes[i] = tee->to[i]->ops->container(tee->to[i], container);
	return 0;
}

static int pass_user(struct scap_snapshot *snapshot, const struct scap_container_user *user)
{
	struct record_tee *tee = (struct record_tee *)snapshot;

	for (size_t i = 0; i < tee->count; i++)
		if (tee->to[i] && tee->codes[i] == 0)
			tee->codes[i] = tee->to[i]->ops->container_user(tee->to[i], user);
	return 0;
}

void record_tee_init(struct record_tee *tee)
{
	/* Others are reported with a whole state alone. */
	static const struct scap_snapshot_ops ops = {
		.container = pass_container,
		.container_user = pass_user,
	};

	tee->snapshot.ops = &ops;
	tee->count = 0;
}

size_t record_tee_add(struct record_tee *tee, struct scap_snapshot *to)
{
	tee->to[tee->count] = to;
	tee->codes[tee->count] = 0;
	return tee->count++;
}

/* The recording of an output, its failures and its account. */

#define RETRY_NS UINT64_C(10000000000)

static void captures_configure(struct capture *capture)
{
	const struct scap_keys *keys = capture->config->own;
	struct recording_config *recording = &capture->recording_config;
	struct error err;

	*recording = (struct recording_config){
		.path = capture->config->target,
		.limits = {.bytes = keys->rotate_bytes, .ns = keys->rotate_ns},
		.writer = {.compression = (enum scap_compression)keys->compress,
			   .native = keys->native,
			   .form_2022 = keys->compat == SCAP_COMPAT_2022},
		.fat = keys->fat,
		.rotates = true,
		.begins_later = true,
	};
	output_mode_read(keys->mode, &recording->mode, &err); /* it was checked */
}

int capture_create(struct output_config *config, struct filter *filter, struct capture **capture,
		   struct error *err)
{
	struct capture *made = calloc(1, sizeof(*made));

	if (!made) {
		output_config_destroy(config);
		filter_destroy(filter);
		return error_set(err, -ENOMEM, "out of memory");
	}
	made->config = config;
	made->filter = filter;
	captures_configure(made);
	*capture = made;
	return 0;
}

void capture_destroy(struct capture *capture)
{
	if (!capture)
		return;
	recording_destroy(capture->recording);
	rotated_keeper_destroy(capture->keeper);
	filter_destroy(capture->filter);
	output_config_destroy(capture->config);
	free(capture);
}

struct start {
	struct capture *capture;
	int code;
};

static void start_keeper(void *context)
{
	struct start *start = context;
	const struct scap_keys *keys = start->capture->config->own;

	start->code = rotated_keeper_create(start->capture->config->target, keys->keep,
					    COMPRESS_NONE, &start->capture->keeper);
}

/* In a thread that reaches the folder of the files, and nothing else. */
static int start_limited(struct capture *capture, struct error *err)
{
	struct start start = {.capture = capture};
	struct output_reach reach = {0};
	struct files_limits files;
	int r;

	output_reach_target(capture->config, &reach);
	files = output_reach_limits(&reach);
	r = reach.failed ? error_set(err, -ENOMEM, "out of memory")
			 : thread_call(&files, start_keeper, &start, err);
	output_reach_finish(&reach);
	if (r == 0 && start.code)
		r = error_set(err, start.code, "cannot start a thread for %s: %s",
			      capture->config->text, strerror(-start.code));
	return r;
}

int capture_open(struct capture *capture, struct state *state, const char *read,
		 bool (*give_up)(void), struct error *err)
{
	int r = output_make_folders(capture->config, err);

	if (r)
		return r;
	capture->recording_config.read = read;
	capture->recording_config.writer.give_up = give_up;
	r = recording_create(&capture->recording_config, state, &capture->recording, err);
	if (r)
		return r;
	capture->files = 1;
	return start_limited(capture, err);
}

/* Events that passed, and of which nothing is known yet. */
static uint64_t count_open(const struct capture *capture, struct recording_stats *stats)
{
	uint64_t gone = 0;

	recording_stats(capture->recording, stats);
	gone = stats->asked + stats->asked_left_out;
	for (int i = 0; i < GAP_CAUSES; i++)
		gone += capture->dropped[i];
	return capture->asked > gone ? capture->asked - gone : 0;
}

static enum gap_cause cause_of(int code)
{
	switch (code) {
	case -ENOSPC:
	case -EDQUOT:
		return GAP_CAPTURE_NO_SPACE;
	case -ENOMEM:
		return GAP_NO_MEMORY;
	default:
		return GAP_CAPTURE_IO;
	}
}

/* What was not written is lost. */
static void captures_fail(struct capture *capture, int code)
{
	struct recording_stats stats;

	error_set(&capture->err, code, "%s", recording_problem(capture->recording));
	capture->cause = cause_of(code);
	capture->is_failing = true;
	capture->failures++;
	recording_close(capture->recording); /* the error is known */
	capture->dropped[capture->cause] += count_open(capture, &stats);
	capture->retry_ns = clock_ns(CLOCK_MONOTONIC) + RETRY_NS;
}

static void take_result(struct capture *capture, int code)
{
	if (code)
		captures_fail(capture, code);
}

/* The keeper looks for files to remove. */
static void wake_keeper(struct capture *capture)
{
	struct recording_stats stats;

	recording_stats(capture->recording, &stats);
	if (stats.files != capture->files)
		rotated_keeper_wake(capture->keeper);
	capture->files = stats.files;
}

void capture_turn(struct capture *capture, const struct scap_event *raw)
{
	take_result(capture, recording_turn(capture->recording, raw));
	wake_keeper(capture);
}

void capture_begin(struct capture *capture, uint64_t ns)
{
	take_result(capture, recording_begin(capture->recording, ns));
}

struct scap_snapshot *capture_changes(struct capture *capture, const struct state_event *event,
				      bool passed)
{
	capture->passed = passed && (!capture->filter || filter_match(capture->filter, event));
	if (capture->is_failing)
		return NULL;
	return recording_changes(capture->recording, event->ev.desc->id, capture->passed);
}

void capture_event(struct capture *capture, const struct scap_event *raw, unsigned int id, int code)
{
	capture->asked += capture->passed;
	if (capture->is_failing) {
		capture->dropped[capture->cause] += capture->passed;
		return;
	}
	if (code == 0)
		code = recording_event(capture->recording, raw, id, capture->passed);
	take_result(capture, code);
}

static void captures_try_again(struct capture *capture)
{
	int r = recording_open(capture->recording);

	if (r)
		captures_fail(capture, r);
	else
		capture->is_failing = false;
	wake_keeper(capture);
}

static void captures_append_messages(struct capture *capture, struct buf *messages)
{
	const char *name = capture->config->text;
	struct error err;

	if (capture->is_failing && !capture->was_failing)
		buf_printf(messages, "agent: output %s: %s\n", name, capture->err.text);
	/* It works again when a file has its state. */
	if (!capture->is_failing && capture->was_failing &&
	    recording_has_begun(capture->recording)) {
		buf_printf(messages, "agent: output %s delivers again\n", name);
		capture->was_failing = false;
	}
	capture->was_failing |= capture->is_failing;
	if (rotated_keeper_result(capture->keeper, &err))
		buf_printf(messages, "agent: output %s: %s\n", name, err.text);
}

void capture_step(struct capture *capture, uint64_t now_ns, bool idle, struct buf *messages)
{
	if (capture->is_failing && now_ns >= capture->retry_ns)
		captures_try_again(capture);
	else if (!capture->is_failing && recording_has_begun(capture->recording))
		take_result(capture, recording_flush(capture->recording, now_ns, idle));
	captures_append_messages(capture, messages);
}

void capture_reopen(struct capture *capture)
{
	if (!capture->is_failing && !recording_has_moved(capture->recording))
		return;
	captures_try_again(capture);
}

void capture_close(struct capture *capture)
{
	struct recording_stats stats;
	int r = 0;

	if (!capture->recording)
		return;
	if (capture_waits_to_begin(capture))
		capture_begin(capture, clock_ns(CLOCK_REALTIME));
	if (!capture->is_failing)
		r = recording_close(capture->recording);
	if (r)
		captures_fail(capture, r);
	else
		capture->dropped[GAP_FORM] += count_open(capture, &stats);
}

void capture_account(const struct capture *capture, struct output_account *account)
{
	struct recording_stats stats;
	uint64_t open = count_open(capture, &stats);

	*account = (struct output_account){
		.name = capture->config->text,
		.formatted = capture->asked - stats.asked_left_out - capture->dropped[GAP_FORM],
		.delivered = stats.asked,
		.delivered_bytes = stats.bytes,
		.queued = open,
		.batches = stats.files,
		.failures = capture->failures,
		.is_failing = capture->is_failing,
		.err = capture->err,
	};
	output_account_name_delivered(account, capture->config->kind->acknowledges);
	memcpy(account->dropped, capture->dropped, sizeof(account->dropped));
	account->dropped[GAP_FORM] += stats.asked_left_out;
}

/* The list of captures, and how another list takes its place. */

int captures_add(struct captures *captures, struct capture *capture, struct error *err)
{
	int r = 0;

	for (size_t i = 0; i < captures->count && r == 0; i++)
		if (strcmp(captures->list[i]->config->target, capture->config->target) == 0)
			r = error_set(err, -EINVAL, "two outputs write %s: name another file",
				      capture->config->target);
	if (r == 0 && captures->count == CAPTURES_MAX)
		r = error_set(err, -EINVAL, "more than %d outputs scap:", CAPTURES_MAX);
	if (r)
		capture_destroy(capture);
	else
		captures->list[captures->count++] = capture;
	return r;
}

static int open_capture(const struct captures *captures, struct capture *capture, struct error *err)
{
	return capture_open(capture, captures->state, captures->read, captures->give_up, err);
}

int captures_open(struct captures *captures, struct state *state, const char *read,
		  bool (*give_up)(void), struct error *err)
{
	int r = 0;

	captures->state = state;
	captures->read = read;
	captures->give_up = give_up;
	for (size_t i = 0; i < captures->count && r == 0; i++)
		r = open_capture(captures, captures->list[i], err);
	return r;
}

void captures_close(struct captures *captures)
{
	for (size_t i = 0; i < captures->count; i++)
		capture_close(captures->list[i]);
}

bool captures_broke_promise(const struct captures *captures)
{
	struct output_account account;
	bool broke = false;

	for (size_t i = 0; i < captures->count && !broke; i++) {
		capture_account(captures->list[i], &account);
		broke = output_account_broke_promise(&account, false);
	}
	return broke;
}

void captures_finish(struct captures *captures)
{
	for (size_t i = 0; i < captures->count; i++)
		capture_destroy(captures->list[i]);
	*captures = (struct captures){0};
}

unsigned int captures_needs(const struct captures *captures)
{
	unsigned int needs = 0;

	for (size_t i = 0; i < captures->count; i++)
		if (captures->list[i]->filter)
			needs |= filter_needs(captures->list[i]->filter);
	return needs;
}

bool captures_have_filters(const struct captures *captures)
{
	for (size_t i = 0; i < captures->count; i++)
		if (!captures->list[i]->filter)
			return false;
	return true;
}

void captures_append_filters(const struct captures *captures, struct buf *text)
{
	for (size_t i = 0; i < captures->count; i++)
		buf_printf(text, "%s(%s)", i ? " or " : "", captures->list[i]->config->filter);
}

bool captures_are_due(const struct captures *captures, const struct scap_event *raw)
{
	bool due = false;

	for (size_t i = 0; i < captures->count; i++)
		due |= raw ? capture_is_due(captures->list[i], raw)
			   : capture_waits_to_begin(captures->list[i]);
	return due;
}

void captures_turn(const struct captures *captures, const struct scap_event *raw)
{
	for (size_t i = 0; i < captures->count; i++) {
		struct capture *capture = captures->list[i];

		if (!raw && capture_waits_to_begin(capture))
			capture_begin(capture, clock_ns(CLOCK_REALTIME));
		else if (raw && capture_is_due(capture, raw))
			capture_turn(capture, raw);
	}
}

void captures_changes(const struct captures *captures, const struct state_event *event, bool passed,
		      struct record_tee *tee)
{
	for (size_t i = 0; i < captures->count; i++)
		record_tee_add(tee, capture_changes(captures->list[i], event, passed));
}

void captures_changes_alone(const struct captures *captures, struct record_tee *tee)
{
	for (size_t i = 0; i < captures->count; i++) {
		const struct capture *capture = captures->list[i];
		bool gets_them = !capture->is_failing && recording_has_begun(capture->recording);

		record_tee_add(tee,
			       gets_them ? recording_changes(capture->recording, EVENT_NONE, false)
					 : NULL);
	}
}

void captures_event(const struct captures *captures, const struct scap_event *raw, unsigned int id,
		    const int *codes)
{
	for (size_t i = 0; i < captures->count; i++)
		capture_event(captures->list[i], raw, id, codes[i]);
}

void captures_step(const struct captures *captures, uint64_t now_ns, bool idle,
		   struct buf *messages)
{
	for (size_t i = 0; i < captures->count; i++)
		capture_step(captures->list[i], now_ns, idle, messages);
}

void captures_reopen(const struct captures *captures)
{
	for (size_t i = 0; i < captures->count; i++)
		capture_reopen(captures->list[i]);
}

/* The index of the capture with the same configuration, or count. */
static size_t captures_find_equal(const struct captures *captures, const struct capture *capture)
{
	size_t i = 0;

	while (i < captures->count &&
	       !output_config_equals(captures->list[i]->config, capture->config))
		i++;
	return i;
}

static void swap(struct capture **a, struct capture **b)
{
	struct capture *other = *a;

	*a = *b;
	*b = other;
}

int captures_prepare(const struct captures *captures, struct captures *next, struct error *err)
{
	int r = 0;

	for (size_t i = 0; i < next->count && r == 0; i++)
		if (captures_find_equal(captures, next->list[i]) == captures->count)
			r = open_capture(captures, next->list[i], err);
	return r;
}

/* Ends a capture; its account is the last that is said of it. */
static void end_capture(struct capture *capture, struct buf *ended)
{
	struct output_account account;

	capture_close(capture);
	capture_account(capture, &account);
	buf_printf(ended, "agent: output %s: ended by a reload\n", account.name);
	output_account_append(&account, false, ended);
}

void captures_replace(struct captures *captures, struct captures *next, struct buf *ended)
{
	struct capture *list[CAPTURES_MAX];
	size_t count = captures->count;

	/* Those that go on change places with their equals, which were never opened. */
	for (size_t i = 0; i < next->count; i++) {
		size_t at = captures_find_equal(captures, next->list[i]);

		if (at < captures->count)
			swap(&captures->list[at], &next->list[i]);
	}
	for (size_t i = 0; i < count; i++)
		if (captures->list[i]->recording)
			end_capture(captures->list[i], ended);
	memcpy(list, captures->list, sizeof(list));
	memcpy(captures->list, next->list, sizeof(list));
	memcpy(next->list, list, sizeof(list));
	captures->count = next->count;
	next->count = count;
}
