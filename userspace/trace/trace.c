/* SPDX-License-Identifier: MIT */
/* Lines: what is before a call, the call, its result and its duration; signals and exits. */
#include "trace/trace.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "event/names.h"
#include "output/redact/redact.h"
#include "sinsp/sinsp.h"
#include "trace/args.h"
#include "trace/calls.h"
#include "trace/counts.h"
#include "trace/shape.h"
#include "util/terminal.h"

enum { NS_PER_US = 1000, EXIT_SHIFT = 8 };

static const uint64_t ns_per_s = 1000000000;

struct trace {
	const struct trace_options *options; /* borrowed */
	struct redact *redact; /* borrowed */
	struct trace_shape shapes[EVENT_ID_MAX];
	struct trace_counts counts;
	uint64_t last_ns; /* when the call before was entered; 0: there was none */
	size_t live; /* threads that are traced and have not ended */
	bool has_table, has_lines;
};

int trace_create(const struct trace_options *options, struct redact *redact, struct trace **trace)
{
	struct trace *made = calloc(1, sizeof(*made));

	if (!made)
		return -ENOMEM;
	made->options = options;
	made->redact = redact;
	made->live = options->traced;
	made->has_table = options->shows != TRACE_LINES;
	made->has_lines = options->shows != TRACE_TABLE;
	*trace = made;
	return 0;
}

void trace_destroy(struct trace *trace)
{
	if (!trace)
		return;
	trace_counts_finish(&trace->counts);
	free(trace);
}

unsigned int trace_needs(const struct trace_options *options)
{
	bool times = options->durations || options->relative || options->time != TRACE_TIME_NONE ||
		     options->shows != TRACE_LINES;
	bool lines = options->shows != TRACE_TABLE;

	return NEEDS_THREADS | (times ? NEEDS_ENTER_TIME : 0) |
	       (lines ? NEEDS_ARGUMENTS | NEEDS_EVENT_ENVIRONMENT : 0) |
	       (lines && options->names ? NEEDS_EVENT_FDS : 0);
}

/* Lines. */

/* When a call was entered, or what is no call happened. */
static uint64_t trace_begin_ns(const struct state_event *event)
{
	uint64_t latency = event->ev.latency_ns;

	return state_wall_ns(event, event->ev.ts_ns) - (latency == LATENCY_UNKNOWN ? 0 : latency);
}

static void trace_append_time(const struct trace *trace, uint64_t ns, struct buf *out)
{
	time_t seconds = (time_t)(ns / ns_per_s);
	uint64_t micros = ns % ns_per_s / NS_PER_US;
	struct tm local;
	char text[16] = "";

	if (trace->options->time == TRACE_TIME_NONE)
		return;
	if (trace->options->time == TRACE_TIME_EPOCH) {
		buf_printf(out, "%" PRIu64 ".%06" PRIu64 " ", (uint64_t)seconds, micros);
		return;
	}
	if (localtime_r(&seconds, &local))
		strftime(text, sizeof(text), "%H:%M:%S", &local);
	buf_append_string(out, text);
	if (trace->options->time == TRACE_TIME_MICROS)
		buf_printf(out, ".%06" PRIu64, micros);
	buf_append_char(out, ' ');
}

static void trace_append_lead(struct trace *trace, const struct state_event *event, struct buf *out)
{
	uint64_t ns = trace_begin_ns(event), delta = 0;

	if (trace->options->pid_column)
		buf_printf(out, "%-5" PRId64 " ", event->ev.tid);
	else if (trace->live > 1)
		buf_printf(out, "[pid %5" PRId64 "] ", event->ev.tid);
	trace_append_time(trace, ns, out);
	if (!trace->options->relative)
		return;
	/* Calls of other threads that began earlier may end later. */
	if (trace->last_ns && ns > trace->last_ns)
		delta = ns - trace->last_ns;
	trace->last_ns = ns;
	buf_printf(out, "%6" PRIu64 ".%06" PRIu64 " ", delta / ns_per_s,
		   delta % ns_per_s / NS_PER_US);
}

static void trace_append_call(struct trace *trace, const struct state_event *event,
			      const struct trace_shape *shape, struct buf *out)
{
	const struct trace_call call = {event, shape, trace->options, out};
	uint64_t latency = event->ev.latency_ns;
	size_t start = out->len;

	trace_append_lead(trace, event, out);
	trace_calls_append_name(&event->ev, out);
	buf_append_char(out, '(');
	trace_args_append(&call);
	BUF_LITERAL(out, ") ");
	while (!out->failed && out->len - start < trace->options->column)
		buf_append_char(out, ' ');
	BUF_LITERAL(out, "= ");
	trace_args_append_result(&call);
	if (trace->options->durations && latency != LATENCY_UNKNOWN)
		buf_printf(out, " <%" PRIu64 ".%06" PRIu64 ">", latency / ns_per_s,
			   latency % ns_per_s / NS_PER_US);
	else if (trace->options->durations)
		BUF_LITERAL(out, " <unavailable>");
}

static void trace_append_signal(struct trace *trace, const struct state_event *event,
				struct buf *out)
{
	uint64_t number = event_param_u64(&event->ev, signaldeliver__sig);

	trace_append_lead(trace, event, out);
	BUF_LITERAL(out, "--- ");
	trace_values_append_signal(out, number);
	BUF_LITERAL(out, " {si_signo=");
	trace_values_append_signal(out, number);
	buf_printf(out, ", si_pid=%" PRId64 ", ...} ---",
		   event_param_i64(&event->ev, signaldeliver__spid));
}

static void trace_append_exit(struct trace *trace, const struct state_event *event, struct buf *out)
{
	const struct event *ev = &event->ev;
	uint64_t signal = event_param_u64(ev, procexit__sig);

	trace_append_lead(trace, event, out);
	if (signal) {
		BUF_LITERAL(out, "+++ killed by ");
		trace_values_append_signal(out, signal);
		buf_append_string(out, event_param_u64(ev, procexit__core) ? " (core dumped) +++"
									   : " +++");
	} else {
		buf_printf(out, "+++ exited with %" PRId64 " +++",
			   event_param_i64(ev, procexit__status) >> EXIT_SHIFT & 0xff);
	}
}

/* Events. */

/* In the new thread, too, there is an event of the call that made it, with the result 0. */
static bool trace_is_of_child(const struct trace_call *call)
{
	int64_t result;

	return call->event->ev.desc->flags & EF_MAKES_TASK && trace_values_result(call, &result) &&
	       result == 0;
}

static bool trace_take_call(struct trace *trace, const struct state_event *event, struct buf *out)
{
	struct trace_shape *shape = &trace->shapes[event->ev.desc->id];
	const struct trace_call call = {event, shape, trace->options, out};
	int64_t result = 0;
	bool has_result;

	if (!shape->is_made)
		trace_shape_make(event->ev.desc, shape);
	if (trace_is_of_child(&call)) {
		trace->live++;
		return false;
	}
	has_result = trace_values_result(&call, &result);
	/* What did not end is not counted; of calls without an event of their own no result is
	 * known. */
	if (trace->has_table && (has_result || event->ev.desc->id == EVENT_syscall))
		trace_counts_add(&trace->counts, trace_calls_name(&event->ev), result < 0,
				 event->ev.latency_ns);
	if (trace->has_lines)
		trace_append_call(trace, event, shape, out);
	return trace->has_lines;
}

static bool trace_take_exit(struct trace *trace, const struct state_event *event, struct buf *out)
{
	bool shown = trace->has_lines && !trace->options->quiet_exits;

	if (shown)
		trace_append_exit(trace, event, out);
	if (trace->live)
		trace->live--;
	return shown;
}

static bool trace_is_wanted(const struct trace *trace, const struct state_event *event)
{
	return trace->options->follows || !event->thread || state_thread_is_main(event->thread);
}

static bool trace_take_any(struct trace *trace, const struct state_event *event, struct buf *out)
{
	const struct event_desc *desc = event->ev.desc;

	if (desc->id == EVENT_procexit)
		return trace_take_exit(trace, event, out);
	if (desc->id == EVENT_signaldeliver) {
		/* That a process was killed stands in its last line. */
		if (!trace->has_lines || event_param_u64(&event->ev, signaldeliver__sig) == SIGKILL)
			return false;
		trace_append_signal(trace, event, out);
		return true;
	}
	/* Operations of io_uring are no calls. */
	if (!(desc->category & EC_SYSCALL) || state_event_is_uring(event))
		return false;
	return trace_take_call(trace, event, out);
}

bool trace_take(struct trace *trace, const struct state_event *event, struct buf *out)
{
	size_t start = out->len;

	if (!trace_is_wanted(trace, event) || !trace_take_any(trace, event, out))
		return false;
	/* Processes choose names of files, which are not in quotes everywhere. */
	if (!out->failed)
		terminal_mask(out->data + start, out->len - start);
	if (trace->redact && !out->failed)
		redact_text(trace->redact, out->data + start, out->len - start);
	buf_append_char(out, '\n');
	return true;
}

void trace_append_table(const struct trace *trace, struct buf *out)
{
	if (trace->has_table)
		trace_counts_append(&trace->counts, trace->options->order, out);
}
