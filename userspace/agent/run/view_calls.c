/* SPDX-License-Identifier: MIT */
/* An event is made of what a row of calls has, for the filter and the fields of the view. */
#include "agent/run/view_calls.h"

#include <string.h>

#include "agent/run/run.h"
#include "agent/run/viewer.h"
#include "sinsp/sinsp.h"
#include "util/clock.h"
#include "views/engine.h"

struct view_calls {
	struct run *run;
	uint64_t now_ns;
};

/* result: of the calls; borrowed by the event. */
static void make_event(const struct view_calls *calls, const struct call_row_key *key,
		       const int64_t *result, struct state_event *event)
{
	memset(event, 0, sizeof(*event));
	event->ev.desc = event_desc_get(key->event);
	event->ev.ts_ns = event->first_ts_ns = calls->now_ns;
	event->ev.latency_ns = LATENCY_UNKNOWN;
	event->ev.cpu = (uint16_t)key->cpu;
	event->ev.params[0].data = (const uint8_t *)result;
	event->ev.params[0].len = sizeof(*result);
	event->state = calls->run->state;
	event->fd_num = -1;
}

/* The read by which the process waited that becomes the command (process/child.c) is not of that.
 */
static void leave_gate(struct run *run, const struct call_row_key *key, struct views_calls *counted)
{
	if (!run->options->command || run->left_gate || key->event != EVENT_read || key->error)
		return;
	run->left_gate = true;
	counted->count--;
}

static void take_row(void *context, const struct call_row_key *key, const struct call_row *row)
{
	const struct view_calls *calls = context;
	struct views_calls counted = {row->count, row->timed, row->latency_ns, row->latency_max_ns};
	const int64_t result = -(int64_t)key->error;
	struct run *run = calls->run;
	struct state_event event;

	if (!key->event) {
		viewer_take_calls(run->viewer, NULL, &counted);
		return;
	}
	leave_gate(run, key, &counted);
	if (!counted.count && !counted.timed)
		return;
	make_event(calls, key, &result, &event);
	if (run->plan->filter && !filter_match(run->plan->filter, &event))
		return;
	viewer_take_calls(run->viewer, &event, &counted);
}

static bool counts_any(const struct plan *plan)
{
	for (unsigned int id = 0; id < EVENT_ID_MAX; id++)
		if (plan->counted[id])
			return true;
	return false;
}

int view_calls_take(struct run *run, struct error *err)
{
	struct view_calls calls = {run, clock_ns(CLOCK_REALTIME)};
	int r;

	if (!run->input->live || !run->input->live->take_calls || !counts_any(run->plan))
		return 0;
	r = run->input->live->take_calls(run->input, take_row, &calls);
	if (r)
		return error_set(err, r, "reading the calls that the kernel counted: %s",
				 strerror(-r));
	return viewer_note_time(run->viewer, calls.now_ns, &run->line_writer, err);
}
