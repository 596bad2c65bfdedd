/* SPDX-License-Identifier: MIT */
/* A reader with the initial state of its file. It returns all events, for any plan. */
#include "agent/input/input.h"

#include <errno.h>
#include <stdlib.h>

#include "agent/input/metrics.h"
#include "agent/process/memory.h"
#include "agent/process/signals.h"
#include "scap/file/reader.h"
#include "sinsp/sinsp.h"

struct input_file {
	struct input input;
	const struct options *options; /* borrowed */
	struct scap_reader *reader;
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
		r = scap_reader_start(input_file_of(input)->reader, state_snapshot(made), err);
	while (r == -EINTR && signals_count() == 0);
	if (r)
		state_destroy(made);
	else
		*state = made;
	return r;
}

static struct scap_source *input_file_step(struct input *input)
{
	return scap_reader_source(input_file_of(input)->reader);
}

/* A truncated file is no failure: all before its end was read. */
static int input_file_fail(struct input *input, int code, struct error *err)
{
	struct input_file *file = input_file_of(input);

	file->broken_off = code == -EPIPE;
	if (file->broken_off)
		return -ENODATA;
	return error_set(err, code, "%s: %s", options_input_name(file->options),
			 scap_reader_problem(file->reader));
}

/* Unread events need not be read. */
static struct scap_source *input_file_stop(struct input *input)
{
	return NULL;
}

static int input_file_append_counters(struct input *input, struct buf *text)
{
	struct scap_reader_stats stats;

	scap_reader_stats(input_file_of(input)->reader, &stats);
	account_file_append_counters(&stats, text);
	return 0;
}

static int input_file_append_metrics(struct input *input, const struct plan *plan,
				     struct exposition *exposition)
{
	struct scap_reader_stats stats;

	scap_reader_stats(input_file_of(input)->reader, &stats);
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
			   options_input_name(file->options), scap_reader_problem(file->reader));
	scap_reader_stats(file->reader, &stats);
	account_file_append(&stats, account, text);
	return 0;
}

static int percent_read(const struct input *input)
{
	struct scap_reader_stats stats;

	scap_reader_stats(of_const(input)->reader, &stats);
	return account_file_percent(&stats);
}

static bool input_file_is_incomplete(struct input *input, const struct state_stats *state)
{
	const struct input_file *file = input_file_of(input);
	struct scap_reader_stats stats;

	scap_reader_stats(file->reader, &stats);
	return file->broken_off || stats.corrupt_events || stats.corrupt_lists || state->corrupt ||
	       state->descriptions_corrupt;
}

static void input_file_destroy(struct input *input)
{
	scap_source_destroy(scap_reader_source(input_file_of(input)->reader));
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

int input_file_open(const struct plan *plan, struct input **input, struct error *err)
{
	struct input_file *made = calloc(1, sizeof(*made));
	int r;

	if (!made)
		return error_set(err, -ENOMEM, "out of memory");
	made->input.ops = &ops;
	made->options = plan->options;
	r = scap_reader_open(plan->options->read, &made->reader, err);
	if (r)
		free(made);
	else
		*input = &made->input;
	return r;
}
