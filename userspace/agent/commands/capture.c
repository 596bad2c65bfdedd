/* SPDX-License-Identifier: MIT */
/* A run from its plan to its report. */
#include "agent/commands/capture.h"

#include "agent/commands/command.h"
#include "agent/run/loop.h"
#include "agent/run/record.h"
#include "agent/run/report.h"
#include "agent/run/run.h"
#include "agent/run/signals.h"

static void print_warnings(const struct input *input)
{
	struct buf text = {0};

	if (input->ops->append_warnings)
		input->ops->append_warnings(input, &text);
	command_print_messages(&text);
}

static int loop(struct run *run)
{
	const struct options *options = run->options;
	struct error err = {""};
	int exit_code = EXIT_SUCCESS;

	print_warnings(run->input);
	if (options->verbose && !options->read)
		fputs("agent: capturing\n", stderr);
	if (loop_run(run, &err))
		exit_code = command_fail(EXIT_FAILURE, &err);
	report_print(run);
	if (run->record_failed || (options->strict && report_is_damaged(run)))
		exit_code = EXIT_FAILURE;
	return exit_code;
}

/* The plan is made. */
static int open_and_loop(struct run *run)
{
	struct error err = {""};
	int code;

	if (signals_init(run->options->rules_count > 0, &err) || run_open(run, &err))
		return command_fail(EXIT_FAILURE, &err);
	code = run_record(run, &err);
	if (code)
		return record_is_unread(code) ? EXIT_SUCCESS : command_fail(EXIT_FAILURE, &err);
	return loop(run);
}

int capture_run(const struct options *options)
{
	struct error err = {""};
	struct buf messages = {0};
	struct run run;
	int exit_code, code = run_plan(&run, options, &messages, &err);

	command_print_messages(&messages);
	exit_code = code ? command_fail(EXIT_USAGE, &err) : open_and_loop(&run);
	run_finish(&run);
	return exit_code;
}
