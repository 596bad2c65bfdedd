/* SPDX-License-Identifier: MIT */
/* The pages of a run. Each is filled by the loop, so that it shows a state between two events. */
#include "agent/run/run.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include "net/control.h"
#include "agent/process/memory.h"
#include "agent/run/metrics.h"
#include "agent/run/report.h"
#include "output/delivery/outputs.h"
#include "util/clock.h"
#include "util/version.h"

/* The version, what the agent uses, what it looks for, then the counters so far. */

enum { NS_PER_S = 1000000000, BYTES_PER_MIB = 1 << 20, TIME_TEXT_MAX = 32 };

static void append_version(struct buf *out)
{
	struct utsname names;

	BUF_LITERAL(out, "version: " LANNER_VERSION);
	if (uname(&names) == 0)
		buf_printf(out, " on Linux %s %s", names.release, names.machine);
	buf_append_char(out, '\n');
}

/* "3 d 4 h", "4 h 5 min" or "5 min 6 s". */
static void pages_append_duration(uint64_t seconds, struct buf *out)
{
	static const struct {
		const char *name;
		uint64_t seconds;
	} units[] = {{"d", 86400}, {"h", 3600}, {"min", 60}, {"s", 1}};
	size_t i = 0;

	while (i < 2 && seconds < units[i].seconds)
		i++;
	buf_printf(out, "%" PRIu64 " %s %" PRIu64 " %s", seconds / units[i].seconds, units[i].name,
		   seconds % units[i].seconds / units[i + 1].seconds, units[i + 1].name);
}

static void append_usage(struct buf *out)
{
	struct process_usage usage;
	char since[TIME_TEXT_MAX] = "";
	uint64_t now_ns = clock_ns(CLOCK_REALTIME), ran_ns;
	struct tm parts;
	time_t start;

	process_usage_read(&usage);
	start = (time_t)(usage.start_ns / NS_PER_S);
	ran_ns = now_ns > usage.start_ns ? now_ns - usage.start_ns : 0;
	if (gmtime_r(&start, &parts))
		strftime(since, sizeof(since), "%Y-%m-%dT%H:%M:%SZ", &parts);
	buf_printf(out, "running: since %s, ", since);
	pages_append_duration(ran_ns / NS_PER_S, out);
	buf_printf(out,
		   "; %.2f %% of a CPU on average, %.1f MiB of memory, %" PRIu64 " descriptors\n",
		   ran_ns ? (double)usage.cpu_ns * 100 / (double)ran_ns : 0.0,
		   (double)usage.resident_bytes / BYTES_PER_MIB, usage.descriptors);
}

static void append_state(const struct run *run, struct buf *out)
{
	struct state_stats state;

	state_stats(run->state, &state);
	buf_printf(out,
		   "state: %" PRIu64 " threads and %" PRIu64
		   " descriptors in %.1f MiB of at most %.1f; dropped to stay below: %" PRIu64
		   " and %" PRIu64 "\n",
		   state.threads, state.fds, (double)state.memory_bytes / BYTES_PER_MIB,
		   (double)state.memory_max / BYTES_PER_MIB, state.threads_evicted,
		   state.fds_evicted);
}

static void append_plan(const struct run *run, struct buf *out)
{
	const struct options *options = run->options;

	if (options->filter)
		buf_printf(out, "filter: %s\n", options->filter);
	if (run->plan->ruleset)
		buf_printf(out, "rules: %zu\n", ruleset_count(run->plan->ruleset));
	if (!options->filter && !run->plan->ruleset)
		BUF_LITERAL(out, "filter: none, every event is shown\n");
}

void pages_append_status(const struct run *run, struct buf *out)
{
	size_t start;

	append_version(out);
	append_usage(out);
	append_state(run, out);
	append_plan(run, out);
	BUF_LITERAL(out, "events: ");
	start = out->len;
	if (report_append_counters(run, out) && !out->failed) {
		out->len = start;
		BUF_LITERAL(out, "the driver's counters cannot be read");
	}
	buf_append_char(out, '\n');
	report_append_outputs(run, out);
	outputs_health(&run->outputs, clock_ns(CLOCK_MONOTONIC), out);
}

/* Each page is filled by the loop, so that it shows a state between two events. */

enum { HTTP_UNAVAILABLE = 503, CANARY_MS = 3000 };

/* What the loop is asked for, and its answer. */
struct question {
	struct run *run;
	struct buf *body;
	bool openmetrics;
	bool captures_exits;
	uint32_t silent, silent_cpu; /* CPUs that do not report, the first of them */
	enum output_health health;
	pid_t tid; /* of the canary, as events have it */
	struct error err;
};

static void pages_refuse(struct control_answer *answer, const char *text)
{
	answer->status = HTTP_UNAVAILABLE;
	buf_clear(&answer->body);
	buf_printf(&answer->body, "%s\n", text);
}

/* Returns whether the loop answered; otherwise the answer says so. */
static bool pages_ask(struct control *control, void (*function)(void *data),
		      struct question *question, struct control_answer *answer)
{
	if (control_ask(control, function, question))
		return true;
	pages_refuse(answer, "the loop that handles events has not moved for 5 seconds");
	return false;
}

static void pages_append_metrics(void *data)
{
	struct question *question = data;

	metrics_append(question->run, question->openmetrics, question->body);
}

static void get_metrics(struct control *control, void *run, bool openmetrics,
			struct control_answer *answer)
{
	struct question question = {.run = run, .body = &answer->body, .openmetrics = openmetrics};

	/* The loop does not wait for it. */
	if (question.run->counters)
		container_counters_ask(question.run->counters);
	if (!pages_ask(control, pages_append_metrics, &question, answer))
		return;
	answer->type = openmetrics ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
				   : "text/plain; version=0.0.4; charset=utf-8";
}

static void append_status(void *data)
{
	struct question *question = data;

	pages_append_status(question->run, question->body);
}

static void get_status(struct control *control, void *run, bool openmetrics,
		       struct control_answer *answer)
{
	struct question question = {.run = run, .body = &answer->body};

	pages_ask(control, append_status, &question, answer);
}

static void append_health(void *data)
{
	struct question *question = data;
	struct buf lines = {0};

	question->health =
		outputs_health(&question->run->outputs, clock_ns(CLOCK_MONOTONIC), &lines);
	if (question->health != HEALTH_HANGS)
		BUF_LITERAL(question->body, "ok\n");
	buf_append(question->body, lines.data, lines.len);
	buf_finish(&lines);
}

static void get_health(struct control *control, void *run, bool openmetrics,
		       struct control_answer *answer)
{
	struct question question = {.run = run, .body = &answer->body};

	if (pages_ask(control, append_health, &question, answer) && question.health == HEALTH_HANGS)
		answer->status = HTTP_UNAVAILABLE;
}

#define ARRIVED "ok: the event of a process that ended has arrived\n"

/* Finds out whether exits are captured, and the canary's id in events. */
static void prepare_canary(void *data)
{
	struct question *question = data;
	struct run *run = question->run;

	if (run->input->live)
		question->silent = run->input->live->silent(run->input, &question->silent_cpu);
	question->captures_exits = run->input->live && run->plan->selection.events[EVENT_procexit];
	if (question->captures_exits &&
	    run->input->live->find_pid(run->input, run->pages.canary.pid, &question->tid,
				       &question->err))
		question->tid = 0;
}

/* Events must come through, unless none of processes are captured. */
static void get_readiness(struct control *control, void *context, bool openmetrics,
			  struct control_answer *answer)
{
	struct run *run = context;
	struct question question = {.run = run, .body = &answer->body};
	bool asked;
	int r;

	if (canary_is_fresh(&run->pages.canary)) {
		BUF_LITERAL(&answer->body, ARRIVED);
		return;
	}
	r = canary_start(&run->pages.canary);
	if (r) {
		buf_printf(&answer->body,
			   "a process to test the capture with cannot be started: %s\n",
			   strerror(-r));
		answer->status = HTTP_UNAVAILABLE;
		return;
	}
	asked = pages_ask(control, prepare_canary, &question, answer);
	r = canary_end(&run->pages.canary, asked ? question.tid : 0, CANARY_MS);
	if (!asked)
		return;
	if (question.silent)
		error_set(&question.err, 0, "programs do not report on CPU %" PRIu32,
			  question.silent_cpu);
	if (question.err.text[0])
		pages_refuse(answer, question.err.text);
	else if (r)
		pages_refuse(answer,
			     "the event of a process that ended did not arrive within 3 seconds");
	else if (question.captures_exits)
		BUF_LITERAL(&answer->body, ARRIVED);
	else
		BUF_LITERAL(
			&answer->body,
			"ok: the loop moves; no events of processes are captured to test more\n");
}

static const struct control_page served[] = {
	{"/metrics", "counters and gauges, for Prometheus", get_metrics},
	{"/healthz", "whether the loop that handles events and the threads of outputs move",
	 get_health},
	{"/readyz", "whether events come through from the kernel", get_readiness},
	{"/status", "the same for people", get_status},
	{0},
};

int pages_begin(struct run *run, struct error *err)
{
	int r = 0;

	canary_init(&run->pages.canary);
	for (size_t i = 0; r == 0 && i < HTTP_MAX && run->options->http[i]; i++)
		r = control_create(run->options->http[i], served, run, run->helpers.waker,
				   &run->pages.controls[i], err);
	return r;
}

void pages_end(struct pages *pages)
{
	if (!pages->controls[0])
		return;
	for (size_t i = 0; i < HTTP_MAX; i++) {
		control_destroy(pages->controls[i]);
		pages->controls[i] = NULL;
	}
	canary_finish(&pages->canary);
}

void pages_serve(struct pages *pages)
{
	for (size_t i = 0; i < HTTP_MAX && pages->controls[i]; i++)
		control_serve(pages->controls[i]);
}
