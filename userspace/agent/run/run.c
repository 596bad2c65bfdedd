/* SPDX-License-Identifier: MIT */
/* Creates and destroys the parts of a run. */
#include "agent/run/run.h"

#include <errno.h>
#include <unistd.h>

#include "agent/input/host.h"
#include "agent/process/child.h"
#include "agent/run/containers.h"
#include "agent/record/recording.h"
#include "agent/run/summary.h"
#include "sinsp/sinsp.h"

int run_plan(struct run *run, const struct options *options, struct buf *messages,
	     struct error *err)
{
	int code;

	*run = (struct run){.options = options};
	output_init(&run->output, STDOUT_FILENO);
	code = printer_init(&run->printer, options, messages, err);
	return code ? code : plan_create(options, &run->printer, &run->plan, messages, err);
}

static void set_follow(struct run *run, struct child *child)
{
	const struct options *options = run->options;

	run->child = child;
	run->follow.children = options->follow;
	if (child) {
		run->child_pid = child->pid;
		run->follow.pids = &run->child_pid;
		run->follow.count = 1;
		run->follow.from_exec = true;
	} else {
		run->follow.pids = options->pids;
		run->follow.count = options->pids_count;
	}
}

static int no_process(pid_t pid, struct error *err)
{
	return error_set(err, -ESRCH, "--pid %d: there is no such process", pid);
}

/* Checks early, since the rest takes a while. */
static int check_pids(const struct options *options, struct error *err)
{
	for (size_t i = 0; i < options->pids_count; i++)
		if (!host_has_process(options->host_root, options->pids[i]))
			return no_process(options->pids[i], err);
	return 0;
}

/* Reports ids of threads, or of processes that ended meanwhile. */
static int check_followed(const struct run *run, struct error *err)
{
	for (size_t i = 0; i < run->options->pids_count; i++)
		if (!sinsp_is_followed(run->sinsp, run->options->pids[i]))
			return no_process(run->options->pids[i], err);
	return 0;
}

int run_open(struct run *run, struct child *child, struct error *err)
{
	bool live = !run->options->read; /* in a capture file a process may begin later */
	int code = live ? check_pids(run->options, err) : 0;

	if (code)
		return code;
	if (run->options->summary && summary_create(&run->summary))
		return error_set(err, -ENOMEM, "out of memory for the tables of -S");
	set_follow(run, child);
	code = input_open(run->plan, &run->input, err);
	if (code == 0 && child)
		code = run->input->ops->find_pid(run->input, child->pid, &run->child_pid, err);
	if (code == 0)
		code = run->input->ops->create_state(run->input, &run->follow, &run->sinsp, err);
	if (code || !live)
		return code;
	code = check_followed(run, err);
	if (code == 0)
		code = containers_create(run->options, run->sinsp, run->input, &run->containers,
					 err);
	return code ? code : run_follow_containers(run, err);
}

int run_follow_containers(struct run *run, struct error *err)
{
	int code = 0;

	if (run->plan->needs_containers)
		code = containers_describe(run->containers, err);
	if (code == 0 && run->plan->needs_pods)
		code = containers_follow_pods(run->containers, err);
	return code;
}

int run_begin_recording(struct run *run, struct error *err)
{
	int code;

	if (!run->options->write)
		return 0;
	code = recording_create(run->options, run->sinsp, &run->recording, err);
	run->is_recording = code == 0;
	return code;
}

void run_finish(struct run *run)
{
	recording_destroy(run->recording);
	summary_destroy(run->summary);
	containers_destroy(run->containers);
	sinsp_destroy(run->sinsp);
	input_destroy(run->input);
	plan_destroy(run->plan);
	printer_finish(&run->printer);
	output_finish(&run->output);
	*run = (struct run){0};
}
