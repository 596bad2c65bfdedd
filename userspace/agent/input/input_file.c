/* SPDX-License-Identifier: MIT */
/* A reader with the initial state of its file. It returns all events, for any plan. */
#include "agent/input/input.h"

#include <errno.h>
#include <stdlib.h>

#include "agent/input/metrics.h"
#include "agent/process/memory.h"
#include "agent/process/signals.h"
#include "scap/file/reader.h"
#include "scap/file/stream.h"
#include "scap/recorded/reader.h"
#include "sinsp/sinsp.h"

struct input_file {
	struct input input;
	const struct options *options; /* borrowed */
	struct scap_reader *reader; /* of a capture file, or: */
	struct recorded_reader *recorded; /* of a perf.data */
	bool broken_off; /* the file is truncated */
};

static struct input_file *input_file_of(struct input *input)
{
	return (struct input_file *)input;
}

static const struct input_file *of_const(const struct input *input)
{
	return (const struct input_file *)input;
}

static struct scap_source *source_of(const struct input_file *file)
{
	return file->recorded ? recorded_reader_source(file->recorded)
			      : scap_reader_source(file->reader);
}

static const char *problem_of(const struct input_file *file)
{
	return file->recorded ? recorded_reader_problem(file->recorded)
			      : scap_reader_problem(file->reader);
}

static void stats_of(const struct input_file *file, struct scap_reader_stats *stats)
{
	if (file->recorded)
		recorded_reader_stats(file->recorded, stats);
	else
		scap_reader_stats(file->reader, stats);
}

static int start_of(struct input_file *file, struct scap_snapshot *to, struct error *err)
{
	return file->recorded ? recorded_reader_start(file->recorded, to, err)
			      : scap_reader_start(file->reader, to, err);
}

static int input_file_create_state(struct input *input, const struct state_follow *follow,
				   struct state **state, struct error *err)
{
	/* From the file, not from this machine. */
	const struct state_config config = {
		.follow = *follow,
		.memory_max =
			memory_limit_of_state(input_file_of(input)->options->memory_limit, false),
		.hostname = "",
		.boot_id = "",
		.container_env = input_file_of(input)->options->container_env,
		.cluster = input_file_of(input)->options->k8s_cluster};
	struct state *made;
	int r = state_create(&config, &made, err);

	if (r)
		return r;
	state_keep_ended(made);
	do
		r = start_of(input_file_of(input), state_snapshot(made), err);
	while (r == -EINTR && signals_count() == 0);
	if (r)
		state_destroy(made);
	else
		*state = made;
	return r;
}

static struct scap_source *input_file_step(struct input *input)
{
	return source_of(input_file_of(input));
}

/* A truncated file is no failure: all before its end was read. */
static int input_file_fail(struct input *input, int code, struct error *err)
{
	struct input_file *file = input_file_of(input);

	file->broken_off = code == -EPIPE;
	if (file->broken_off)
		return -ENODATA;
	return error_set(err, code, "%s: %s", options_input_name(file->options), problem_of(file));
}

/* Unread events need not be read. */
static struct scap_source *input_file_stop(struct input *input)
{
	return NULL;
}

static int input_file_append_counters(struct input *input, struct buf *text)
{
	struct scap_reader_stats stats;

	stats_of(input_file_of(input), &stats);
	account_file_append_counters(&stats, text);
	return 0;
}

static int input_file_append_metrics(struct input *input, const struct plan *plan,
				     struct exposition *exposition)
{
	struct scap_reader_stats stats;

	stats_of(input_file_of(input), &stats);
	metrics_file_append(&stats, exposition);
	return 0;
}

static int input_file_append_report(struct input *input, const struct account *account,
				    struct buf *text, struct error *err)
{
	const struct input_file *file = input_file_of(input);
	struct scap_reader_stats stats;

	if (file->broken_off)
		buf_printf(text, "agent: %s%s: %s\n", file->options->strict ? "" : "warning: ",
			   options_input_name(file->options), problem_of(file));
	stats_of(file, &stats);
	account_file_append(&stats, account, text);
	return 0;
}

static int percent_read(const struct input *input)
{
	struct scap_reader_stats stats;

	stats_of(of_const(input), &stats);
	return account_file_percent(&stats);
}

static bool input_file_is_incomplete(struct input *input, const struct state_stats *state)
{
	const struct input_file *file = input_file_of(input);
	struct scap_reader_stats stats;

	stats_of(file, &stats);
	return file->broken_off || stats.corrupt_events || stats.corrupt_lists || stats.lost ||
	       state->corrupt || state->descriptions_corrupt;
}

static void input_file_destroy(struct input *input)
{
	scap_source_destroy(source_of(input_file_of(input)));
	free(input);
}

static const struct input_ops ops = {
	.create_state = input_file_create_state,
	.step = input_file_step,
	.fail = input_file_fail,
	.stop = input_file_stop,
	.append_counters = input_file_append_counters,
	.append_metrics = input_file_append_metrics,
	.append_report = input_file_append_report,
	.percent_read = percent_read,
	.is_incomplete = input_file_is_incomplete,
	.destroy = input_file_destroy,
};

/* What kind of file it is, its first bytes say. */
static int open_reader(const struct plan *plan, struct input_file *file, struct error *err)
{
	const char *path = plan->options->read;
	struct scap_stream *stream;
	int r = scap_stream_open(path, &stream, err);

	if (r)
		return r;
	(void)scap_stream_need(stream, sizeof(uint64_t), -1);
	return recorded_reader_is(stream)
		       ? recorded_reader_open(path, stream,
					      plan->needs_symbols ? "/proc/kallsyms" : NULL,
					      &file->recorded, err)
		       : scap_reader_open_stream(path, stream, &file->reader, err);
}

int input_file_open(const struct plan *plan, struct input **input, struct error *err)
{
	struct input_file *made = calloc(1, sizeof(*made));
	int r;

	if (!made)
		return error_set(err, -ENOMEM, "out of memory");
	made->input.ops = &ops;
	made->options = plan->options;
	r = open_reader(plan, made, err);
	if (r)
		free(made);
	else
		*input = &made->input;
	return r;
}
