/* SPDX-License-Identifier: MIT */
/* Each page is filled by the loop, so that it shows a state between two events. */
#include "agent/run/pages.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "agent/control/control.h"
#include "agent/run/metrics.h"
#include "agent/run/status.h"
#include "output/delivery/outputs.h"
#include "util/clock.h"

enum { HTTP_UNAVAILABLE = 503, CANARY_MS = 3000 };

/* What the loop is asked for, and its answer. */
struct question {
	struct run *run;
	struct buf *body;
	bool openmetrics;
	bool captures_exits;
	uint32_t silent, silent_cpu; /* CPUs that do not report, the first of them */
	enum health health;
	pid_t tid; /* of the canary, as events have it */
	struct error err;
};

static void refuse(struct control_answer *answer, const char *text)
{
	answer->status = HTTP_UNAVAILABLE;
	buf_clear(&answer->body);
	buf_printf(&answer->body, "%s\n", text);
}

/* Returns whether the loop answered; otherwise the answer says so. */
static bool ask(struct control *control, void (*function)(void *data), struct question *question,
		struct control_answer *answer)
{
	if (control_ask(control, function, question))
		return true;
	refuse(answer, "the loop that handles events has not moved for 5 seconds");
	return false;
}

static void append_metrics(void *data)
{
	struct question *question = data;

	metrics_append(question->run, question->openmetrics, question->body);
}

static void get_metrics(struct control *control, void *run, bool openmetrics,
			struct control_answer *answer)
{
	struct question question = {.run = run, .body = &answer->body, .openmetrics = openmetrics};

	if (!ask(control, append_metrics, &question, answer))
		return;
	answer->type = openmetrics ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
				   : "text/plain; version=0.0.4; charset=utf-8";
}

static void append_status(void *data)
{
	struct question *question = data;

	status_append(question->run, question->body);
}

static void get_status(struct control *control, void *run, bool openmetrics,
		       struct control_answer *answer)
{
	struct question question = {.run = run, .body = &answer->body};

	ask(control, append_status, &question, answer);
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

	if (ask(control, append_health, &question, answer) && question.health == HEALTH_HANGS)
		answer->status = HTTP_UNAVAILABLE;
}

#define ARRIVED "ok: the event of a process that ended has arrived\n"

/* Finds out whether exits are captured, and the canary's id in events. */
static void prepare_canary(void *data)
{
	struct question *question = data;
	struct run *run = question->run;

	if (run->input->ops->silent)
		question->silent = run->input->ops->silent(run->input, &question->silent_cpu);
	question->captures_exits =
		run->input->ops->find_pid && run->plan->selection.events[EVENT_procexit];
	if (question->captures_exits &&
	    run->input->ops->find_pid(run->input, run->canary.pid, &question->tid, &question->err))
		question->tid = 0;
}

/* Events must come through, unless none of processes are captured. */
static void get_readiness(struct control *control, void *context, bool openmetrics,
			  struct control_answer *answer)
{
	struct run *run = context;
	struct question question = {.run = run, .body = &answer->body};
	bool asked;
	int code;

	if (canary_is_fresh(&run->canary)) {
		BUF_LITERAL(&answer->body, ARRIVED);
		return;
	}
	code = canary_start(&run->canary);
	if (code) {
		buf_printf(&answer->body,
			   "a process to test the capture with cannot be started: %s\n",
			   strerror(-code));
		answer->status = HTTP_UNAVAILABLE;
		return;
	}
	asked = ask(control, prepare_canary, &question, answer);
	code = canary_end(&run->canary, asked ? question.tid : 0, CANARY_MS);
	if (!asked)
		return;
	if (question.silent)
		error_set(&question.err, 0, "programs do not report on CPU %" PRIu32,
			  question.silent_cpu);
	if (question.err.text[0])
		refuse(answer, question.err.text);
	else if (code)
		refuse(answer, "the event of a process that ended did not arrive within 3 seconds");
	else if (question.captures_exits)
		BUF_LITERAL(&answer->body, ARRIVED);
	else
		BUF_LITERAL(
			&answer->body,
			"ok: the loop moves; no events of processes are captured to test more\n");
}

static const struct control_page pages[] = {
	{"/metrics", "counters and gauges, for Prometheus", get_metrics},
	{"/healthz", "whether the loop that handles events and the threads of outputs move",
	 get_health},
	{"/readyz", "whether events come through from the kernel", get_readiness},
	{"/status", "the same for people", get_status},
	{0},
};

int pages_begin(struct run *run, struct error *err)
{
	int code = 0;

	canary_init(&run->canary);
	for (size_t i = 0; code == 0 && i < HTTP_MAX && run->options->http[i]; i++)
		code = control_create(run->options->http[i], pages, run, &run->controls[i], err);
	return code;
}

void pages_end(struct run *run)
{
	if (!run->controls[0])
		return;
	for (size_t i = 0; i < HTTP_MAX; i++) {
		control_destroy(run->controls[i]);
		run->controls[i] = NULL;
	}
	canary_finish(&run->canary);
}

void pages_serve(struct run *run)
{
	for (size_t i = 0; i < HTTP_MAX && run->controls[i]; i++)
		control_serve(run->controls[i]);
}
