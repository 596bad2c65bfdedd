/* SPDX-License-Identifier: MIT */
/* A run from its plan to its report. */
#include "agent/commands/commands.h"

#include "agent/input/host.h"
#include "agent/process/child.h"
#include "agent/process/memory.h"
#include "agent/run/run.h"
#include "agent/run/report.h"
#include "agent/process/signals.h"

enum { EXIT_LACKS = 3 }; /* events of the command are missing */

static void print_warnings(const struct input *input)
{
	struct buf text = {0};

	if (input->live)
		input->live->append_warnings(input, &text);
	command_print_messages(&text);
}

static int loop(struct run *run)
{
	const struct options *options = run->options;
	struct error err = {""};
	int exit_code = EXIT_SUCCESS;

	print_warnings(run->input);
	report_print_begin(run);
	if (run->processes.child)
		child_go(run->processes.child);
	service_notify(&run->service, NOTIFY_READY);
	if (loop_run(run, &err))
		exit_code = command_fail(EXIT_FAILURE, &err);
	hold_end(&run->hold, run->input);
	report_print(run);
	if (run->recorder.failed || (options->strict && report_is_incomplete(run)) ||
	    report_broke_promise(run))
		exit_code = EXIT_FAILURE;
	if (options->strict && report_lacks_of_command(run))
		exit_code = EXIT_LACKS;
	return exit_code;
}

/* The plan exists. child: the command that waits, or NULL. */
static int open_and_loop_held(struct run *run, struct child *child)
{
	struct error err = {""};
	int r;

	hold_begin(&run->hold, run->options, child ? child->pid : 0);
	/* Loading the programs takes most. */
	memory_release();
	/* The environment of a command is its own: the manager waits for the command, if for
	 * anyone. */
	if (!child)
		service_begin(&run->service);
	if (run_set_privileges(run->options, &run->outputs, &run->recorder.captures,
			       options_can_reload(run->options), &err) ||
	    run_start_loader(run->options, options_can_reload(run->options), &run->helpers.loader,
			     &err) ||
	    (!run->options->read &&
	     continuous_start(&run->options->continuous, run->options->host_root, &run->continuous,
			      &err)) ||
	    (!run->options->read &&
	     host_start_readers(run->options->host_root, &run->helpers.readers, &err)) ||
	    signals_init(options_can_reload(run->options) || run->outputs.count ||
				 run->recorder.captures.count,
			 &err) ||
	    signals_dump(&err) || (child && signals_pass_on(child->pid, &err)) ||
	    run_open(run, child, &err))
		return command_fail(EXIT_FAILURE, &err);
	r = record_open(&run->recorder, run->options, &run->plan->selection, run->state, &err);
	if (r)
		return recording_is_unread(r) ? EXIT_SUCCESS : command_fail(EXIT_FAILURE, &err);
	if (container_counters_start(run->options, &run->counters, &err) ||
	    pages_begin(run, &err) || run_drop_privileges(run->options, &run->outputs, &err))
		return command_fail(EXIT_FAILURE, &err);
	memory_release();
	return loop(run);
}

/* Also of a run that could not begin, no process stays frozen. */
static int open_and_loop(struct run *run, struct child *child)
{
	int exit_code = open_and_loop_held(run, child);

	hold_end(&run->hold, run->input);
	return exit_code;
}

/* Returns the exit code of the command, unless the capture failed. */
static int capture_command(struct run *run)
{
	struct error err = {""};
	struct child child;
	int r = child_start(run->options->command, &child, &err), exit_code;

	if (r)
		return command_fail(child_exit_code_of_error(r), &err);
	exit_code = open_and_loop(run, &child);
	if (child_went(&child)) {
		r = child_end(&child, &err);
		if (err.text[0])
			command_fail(r, &err);
		if (exit_code == EXIT_SUCCESS)
			exit_code = r;
	}
	child_finish(&child);
	return exit_code;
}

int capture_run(const struct options *options)
{
	struct error err = {""};
	struct buf messages = {0};
	struct run run;
	bool waits;
	int exit_code, r = run_plan(&run, options, &messages, &err);

	command_print_messages(&messages);
	if (r)
		exit_code = command_fail(EXIT_USAGE, &err);
	else
		exit_code = options->command ? capture_command(&run) : open_and_loop(&run, NULL);
	waits = options->takeover == TAKEOVER_WAIT && takeover_old_is_gone(&run.takeover_old);
	run_finish(&run);
	if (waits)
		signals_wait();
	return exit_code;
}
