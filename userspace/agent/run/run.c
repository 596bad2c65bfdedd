/* SPDX-License-Identifier: MIT */
/* Creates and destroys the parts of a run. */
#include "agent/run/run.h"

#include <errno.h>
#include <malloc.h>
#include <unistd.h>

#include "agent/input/host.h"
#include "agent/plan/output_views.h"
#include "agent/process/child.h"
#include "agent/process/signals.h"
#include "agent/run/containers.h"
#include "agent/run/summary.h"
#include "agent/plan/pushdown.h"
#include "agent/run/view_threads.h"
#include "agent/run/viewer.h"
#include "sinsp/sinsp.h"
#include "util/waker.h"

/*
 * glibc raises the size from which memory is mapped by itself to that of what is freed. Then the
 * blocks of a queue that was full once stay in the heap, in pieces: with a size that is set they go
 * back, and so do their lists of records. It also gives each thread a heap of its own, which keeps
 * 200 KiB, up to eight for each CPU: two are enough for all threads, since most of them wait.
 */
static void keep_little_memory(void)
{
#ifdef M_MMAP_THRESHOLD
	enum { MAPPED_BYTES = 16 << 10, HEAPS = 2 };

	(void)mallopt(M_MMAP_THRESHOLD, MAPPED_BYTES);
	(void)mallopt(M_ARENA_MAX, HEAPS);
#endif
}

int run_plan(struct run *run, const struct options *options, struct buf *messages,
	     struct error *err)
{
	int r;

	*run = (struct run){.options = options};
	keep_little_memory();
	line_writer_init(&run->line_writer, options->trace ? options->trace->fd : STDOUT_FILENO);
	r = printer_init(&run->printer, options, messages, err);
	if (r == 0)
		r = output_views_make(options, &run->printer, &run->outputs,
				      &run->recorder.captures, messages, err);
	return r ? r : plan_create(options, &run->printer, &run->plan, messages, err);
}

static void follow_processes(struct run *run, struct child *child)
{
	const struct options *options = run->options;

	run->processes.child = child;
	run->processes.follow.children = options->follow;
	if (child) {
		run->processes.child_pid = child->pid;
		run->processes.follow.pids = &run->processes.child_pid;
		run->processes.follow.count = 1;
		run->processes.follow.from_exec = true;
	} else {
		run->processes.follow.pids = options->pids;
		run->processes.follow.count = options->pids_count;
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
		if (!state_is_followed(run->state, run->options->pids[i]))
			return no_process(run->options->pids[i], err);
	return 0;
}

/* Whether an output may not hold up the run any more. */
static bool run_gives_up(void)
{
	return signals_count() > 1;
}

/*
 * What one agent alone can have. First, since what is wrong with it is found early, and it costs
 * little; but from another agent it is taken over last, and only tried first.
 */
static int run_claim(struct run *run, struct error *err)
{
	const struct options *options = run->options;
	int r = 0;

	if (options->pid_file && !run->pid_file.path)
		r = pid_file_open(&run->pid_file, options->pid_file, err);
	return r ? r : outputs_open(&run->outputs, options->read, run_gives_up, err);
}

static int claim_from_other(struct run *run, struct error *err)
{
	int r = takeover_new_complete(run, err);

	if (r)
		return r;
	takeover_new_continue_outputs(run);
	r = run_claim(run, err);
	return r ? r : takeover_new_open(run, err);
}

/* Who reads a file is not waited for as an event is. */
static int run_create_waker(struct run *run, struct error *err)
{
	int r = waker_create(&run->helpers.waker);

	if (r)
		return error_set(err, r, "cannot make a descriptor to wait for: %s", strerror(-r));
	if (!run->outputs.count)
		waker_watch_reader(run->helpers.waker, run->line_writer.fd);
	signals_set_waker(run->helpers.waker);
	return 0;
}

static int run_create_request_metrics(struct run *run, struct error *err)
{
	const struct options *options = run->options;
	uint64_t series =
		options->metrics_series ? options->metrics_series : REQUEST_METRICS_SERIES;
	unsigned int parts = (options->request_metrics ? METRICS_OF_REQUESTS : 0) |
			     (options->tcp_metrics ? METRICS_OF_TCP : 0);
	int r = parts ? request_metrics_create(options->metrics_schema, parts, (uint32_t)series,
					       &run->request_metrics)
		      : 0;

	return r ? error_set(err, r, "cannot make metrics: %s", strerror(-r)) : 0;
}

/* What counts events, or prints them in a form of its own. */
static int run_create_tables(struct run *run, struct error *err)
{
	const struct options *options = run->options;
	int r = 0;

	if (options->summary && summary_create(&run->summary))
		return error_set(err, -ENOMEM, "out of memory for the tables of -S");
	if (options->view) {
		const struct viewer_config config = {options, run->printer.redact,
						     &run->counts.formatted};

		r = viewer_create(&config, &run->viewer);
		if (r)
			return error_set(err, r, "cannot make the tables of the view: %s",
					 strerror(-r));
		if (pushdown_counts_kinds(run->plan))
			viewer_lack_descriptors(run->viewer);
		view_threads_begin(run);
	}
	if (options->trace)
		r = trace_create(options->trace, run->printer.redact, &run->trace);
	return r ? error_set(err, r, "out of memory") : 0;
}

int run_open(struct run *run, struct child *child, struct error *err)
{
	bool live = !run->options->read; /* in a capture file a process may begin later */
	int r = live ? check_pids(run->options, err) : 0;

	if (r == 0 && live)
		r = run_create_waker(run, err);

	if (r == 0 && live)
		r = budget_open(&run->budget, run->options->budget, err);
	if (r)
		return r;
	r = run_create_request_metrics(run, err);
	if (r)
		return r;
	r = run_create_tables(run, err);
	if (r)
		return r;
	r = takeover_new_ask(run, err);
	if (r == 0)
		r = run->takeover_new.is_active ? outputs_try(&run->outputs, err)
						: run_claim(run, err);
	if (r)
		return r;
	follow_processes(run, child);
	r = input_open(run->plan, &run->helpers, &run->input, err);
	if (r == 0)
		r = takeover_new_begin(run, err);
	if (r == 0 && child)
		r = run->input->live->find_pid(run->input, child->pid, &run->processes.child_pid,
					       err);
	if (r == 0)
		r = run->input->ops->create_state(run->input, &run->processes.follow, &run->state,
						  err);
	if (r || !live)
		return r;
	r = check_followed(run, err);
	if (r == 0)
		r = flight_begin(run, err);
	if (r == 0)
		r = containers_create(run->options, run->state, run->input, &run->containers, err);
	if (r == 0)
		r = run_follow_containers(run, err);
	if (r == 0 && run->plan->needs_translations)
		r = translations_run_begin(&run->translations, run->options, err);
	if (r == 0 && run->takeover_new.is_active)
		r = claim_from_other(run, err);
	if (r == 0)
		takeover_old_begin(run);
	return r;
}

int run_follow_containers(struct run *run, struct error *err)
{
	int r = 0;

	if (run->plan->needs_containers)
		r = containers_describe(run->containers, err);
	if (r == 0 && run->plan->needs_pods)
		r = containers_follow_pods(run->containers, err);
	if (r == 0 && run->plan->needs_services)
		r = containers_follow_services(run->containers, err);
	return r;
}

void run_finish(struct run *run)
{
	pages_end(&run->pages);
	budget_close(&run->budget);
	outputs_finish(&run->outputs);
	record_finish(&run->recorder);
	service_end(&run->service);
	takeover_old_stop(run);
	pid_file_close(&run->pid_file);
	takeover_new_finish(run);
	takeover_old_finish(run);
	summary_destroy(run->summary);
	viewer_destroy(run->viewer);
	trace_destroy(run->trace);
	containers_destroy(run->containers);
	translations_run_end(&run->translations);
	mutes_finish(&run->mutes);
	requests_destroy(run->requests);
	request_metrics_destroy(run->request_metrics);
	container_counters_stop(run->counters);
	flight_end(&run->flight);
	view_threads_end(run);
	state_destroy(run->state);
	input_destroy(run->input);
	continuous_finish(&run->continuous);
	loader_finish(&run->helpers.loader);
	proc_readers_unref(run->helpers.readers);
	signals_set_waker(NULL);
	waker_destroy(run->helpers.waker);
	plan_destroy(run->plan);
	printer_finish(&run->printer);
	line_writer_finish(&run->line_writer);
	*run = (struct run){0};
}
