/* SPDX-License-Identifier: MIT */
/* The recording of an output, its failures and its account. */
#include "agent/record/capture.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "output/delivery/thread.h"
#include "output/files/keeper.h"
#include "output/files/mode.h"
#include "output/reach.h"
#include "output/targets/scap.h"
#include "util/clock.h"

#define RETRY_NS UINT64_C(10000000000)

static void configure(struct capture *capture)
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
	file_mode_read(keys->mode, &recording->mode, &err); /* it was checked */
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
	configure(made);
	*capture = made;
	return 0;
}

void capture_destroy(struct capture *capture)
{
	if (!capture)
		return;
	recording_destroy(capture->recording);
	keeper_destroy(capture->keeper);
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

	start->code = keeper_create(start->capture->config->target, keys->keep, COMPRESS_NONE,
				    &start->capture->keeper);
}

/* In a thread that reaches the folder of the files, and nothing else. */
static int start_limited(struct capture *capture, struct error *err)
{
	struct start start = {.capture = capture};
	struct output_reach reach = {0};
	struct files_limits files;
	int code;

	output_reach_target(capture->config, &reach);
	files = output_reach_limits(&reach);
	code = reach.failed ? error_set(err, -ENOMEM, "out of memory")
			    : thread_call(&files, start_keeper, &start, err);
	output_reach_finish(&reach);
	if (code == 0 && start.code)
		code = error_set(err, start.code, "cannot start a thread for %s: %s",
				 capture->config->text, strerror(-start.code));
	return code;
}

int capture_open(struct capture *capture, struct sinsp *sinsp, const char *read,
		 bool (*give_up)(void), struct error *err)
{
	int code;

	capture->recording_config.read = read;
	capture->recording_config.writer.give_up = give_up;
	code = recording_create(&capture->recording_config, sinsp, &capture->recording, err);
	if (code)
		return code;
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
static void fail(struct capture *capture, int code)
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
		fail(capture, code);
}

/* The keeper looks for files to remove. */
static void wake_keeper(struct capture *capture)
{
	struct recording_stats stats;

	recording_stats(capture->recording, &stats);
	if (stats.files != capture->files)
		keeper_wake(capture->keeper);
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

struct scap_snapshot *capture_changes(struct capture *capture, const struct sinsp_event *event,
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

static void try_again(struct capture *capture)
{
	int code = recording_open(capture->recording);

	if (code)
		fail(capture, code);
	else
		capture->is_failing = false;
	wake_keeper(capture);
}

static void append_news(struct capture *capture, struct buf *messages)
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
	if (keeper_result(capture->keeper, &err))
		buf_printf(messages, "agent: output %s: %s\n", name, err.text);
}

void capture_step(struct capture *capture, uint64_t now_ns, bool idle, struct buf *messages)
{
	if (capture->is_failing && now_ns >= capture->retry_ns)
		try_again(capture);
	else if (!capture->is_failing && recording_has_begun(capture->recording))
		take_result(capture, recording_flush(capture->recording, now_ns, idle));
	append_news(capture, messages);
}

void capture_reopen(struct capture *capture)
{
	if (!capture->is_failing && !recording_has_moved(capture->recording))
		return;
	try_again(capture);
}

void capture_close(struct capture *capture)
{
	struct recording_stats stats;
	int code = 0;

	if (!capture->recording)
		return;
	if (capture_waits_to_begin(capture))
		capture_begin(capture, clock_ns(CLOCK_REALTIME));
	if (!capture->is_failing)
		code = recording_close(capture->recording);
	if (code)
		fail(capture, code);
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
	memcpy(account->dropped, capture->dropped, sizeof(account->dropped));
	account->dropped[GAP_FORM] += stats.asked_left_out;
}
