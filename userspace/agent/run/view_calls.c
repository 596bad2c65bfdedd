/* SPDX-License-Identifier: MIT */
/* An event is made of what a row of calls has, for the filter and the fields of the view. */
#include "agent/run/view_calls.h"

#include <string.h>

#include "agent/run/run.h"
#include "agent/run/view_threads.h"
#include "agent/run/viewer.h"
#include "scap/live/call_rows.h"
#include "sinsp/sinsp.h"
#include "util/clock.h"
#include "views/engine.h"

struct view_calls {
	struct run *run;
	uint64_t now_ns;
	bool is_last; /* reading */
};

/* The kind of descriptor, for fields that ask for it. */
static const struct state_fd *fd_of(uint16_t kind)
{
	static const struct state_fd kinds[ROW_KINDS] = {
		[ROW_KIND_FILE] = {.type = SCAP_FD_FILE},
		[ROW_KIND_DIRECTORY] = {.type = SCAP_FD_DIRECTORY},
		[ROW_KIND_IPV4] = {.type = SCAP_FD_IPV4},
		[ROW_KIND_IPV6] = {.type = SCAP_FD_IPV6},
		[ROW_KIND_UNIX] = {.type = SCAP_FD_UNIX},
		[ROW_KIND_PIPE] = {.type = SCAP_FD_PIPE},
		[ROW_KIND_OTHER] = {.type = SCAP_FD_UNSUPPORTED},
	};

	return kind && kind < ROW_KINDS ? &kinds[kind] : NULL;
}

/* result: of the calls; thread: NULL if rows are not of threads. Both are borrowed by the event. */
static void make_event(const struct view_calls *calls, const struct call_row_key *key,
		       const int64_t *result, const struct state_thread *thread,
		       struct state_event *event)
{
	memset(event, 0, sizeof(*event));
	event->ev.desc = event_desc_get(key->event);
	event->ev.ts_ns = event->first_ts_ns = calls->now_ns;
	event->ev.latency_ns = LATENCY_UNKNOWN;
	event->ev.cpu = key->cpu;
	event->ev.tid = key->tid;
	if (event->ev.desc->category & EC_SYSCALL) {
		event->ev.params[0].data = (const uint8_t *)result;
		event->ev.params[0].len = sizeof(*result);
	}
	event->state = calls->run->state;
	event->thread = thread;
	event->fd = fd_of(key->kind);
	event->has_fd = event->fd != NULL;
	event->fd_num = -1;
}

/*
 * The read by which the process waited that becomes the command (process/child.c) is not of that.
 * Returns whether it was among them.
 */
static bool leave_gate(struct run *run, const struct call_row_key *key, struct views_calls *counted)
{
	if (!run->options->command || run->left_gate || key->event != EVENT_read || key->error)
		return false;
	if (key->tid && key->tid != (uint32_t)run->processes.child_pid)
		return false;
	run->left_gate = true;
	counted->count--;
	counted->bytes -= counted->bytes > 0;
	return true;
}

static bool take_row(void *context, const struct call_row_key *key, const struct call_row *row,
		     bool is_last)
{
	const struct view_calls *calls = context;
	struct views_calls counted = {.count = row->count,
				      .timed = row->timed,
				      .latency_ns = row->latency_ns,
				      .latency_max_ns = row->latency_max_ns,
				      .bytes = row->bytes,
				      .power = key->power};
	const int64_t result = -(int64_t)key->error;
	struct run *run = calls->run;
	struct state_thread thread;
	struct state_event event;

	if (!key->event) {
		counted.loss = key->error == ROW_LOSS_SHARE ? VIEWS_CALLS_SHARE : VIEWS_CALLS_FULL;
		viewer_take_calls(run->viewer, NULL, true, &counted);
		return true;
	}
	if (run->view_threads &&
	    !view_threads_find(run->view_threads, key, row, calls->is_last || is_last, &thread))
		return false;
	make_event(calls, key, &result, run->view_threads ? &thread : NULL, &event);
	if (leave_gate(run, key, &counted))
		viewer_take_calls(run->viewer, &event, false, &(struct views_calls){.count = 1});
	if (counted.count || counted.timed || counted.bytes)
		viewer_take_calls(run->viewer, &event,
				  !run->plan->filter || filter_match(run->plan->filter, &event),
				  &counted);
	return true;
}

static bool is_over(void *context, const struct call_row_key *key, const struct call_row *row)
{
	const struct view_calls *calls = context;

	return calls->run->view_threads && view_threads_is_over(calls->run->view_threads, key, row);
}

static bool counts_any(const struct plan *plan)
{
	for (unsigned int id = 0; id < EVENT_ID_MAX; id++)
		if (plan->counted[id])
			return true;
	return false;
}

static bool has_lost_execs(struct run *run)
{
	const struct event_counters *counters;
	uint64_t lost = 0;

	if (!run->input->live->losses || run->input->live->losses(run->input, &counters))
		return false;
	for (unsigned int cause = 0; cause < LOSS_CAUSES_COUNT; cause++)
		lost += counters[EVENT_execve].lost[cause] + counters[EVENT_execveat].lost[cause];
	return lost;
}

int view_calls_take(struct run *run, bool is_last, struct error *err)
{
	struct view_calls calls = {run, clock_ns(CLOCK_REALTIME), is_last};
	const struct live_call_taker taker = {&calls, take_row, is_over};
	struct input_totals totals;
	int r;

	if (!run->input->live || !run->input->live->take_calls || !counts_any(run->plan))
		return 0;
	view_threads_join(run);
	if (run->view_threads && has_lost_execs(run))
		view_threads_doubt(run);
	r = run->input->live->take_calls(run->input, &taker);
	if (r)
		return error_set(err, r, "reading the calls that the kernel counted: %s",
				 strerror(-r));
	if (run->view_threads)
		view_threads_step(run->view_threads);
	if (is_last && run->input->live->totals(run->input, &totals) == 0)
		viewer_note_calls_seen(run->viewer, totals.counted_seen);
	return viewer_note_time(run->viewer, calls.now_ns, &run->line_writer, err);
}
