/* SPDX-License-Identifier: MIT */
/* The side of the agent that begins. */
#include "agent/run/takeover_new.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "takeover/boundary.h"
#include "agent/process/signals.h"
#include "agent/run/run.h"
#include "util/clock.h"
#include "util/version.h"

/* AHEAD_NS: the other agent looks for messages ten times a second. */
#define NS_PER_S UINT64_C(1000000000)
#define AHEAD_NS UINT64_C(300000000)
/* Until an agent listens that has just been started. */
#define START_NS (30 * NS_PER_S)
/* Until the other one agrees to a boundary; a reload of it may take a while. */
#define AGREE_NS (60 * NS_PER_S)
/* Until it has reached the boundary; and what is added to the time that it asks for at its end. */
#define REACH_NS (20 * NS_PER_S)
#define GRACE_NS (10 * NS_PER_S)
/* Until the kernel has ended a process that was killed. */
#define LOCKS_NS (5 * NS_PER_S)
/* The longest time at its end that is believed. */
#define PATIENCE_NS_MAX (600 * NS_PER_S)

enum {
	ANSWER_MS = 5000,
	SEND_MS = 2000,
	PAUSE_MS = 10,
	LATER_MS = 200,
	NS_PER_MS = 1000000,
};

static const char busy[] = "it is busy with a reload for 60 seconds";

static int takeover_new_fail(const struct run *run, int code, const char *why, struct error *err)
{
	return error_set(err, code, "--take-over: the agent that runs with %s goes on: %s",
			 run->options->pid_file, why);
}

static int takeover_new_hello(struct run *run, struct takeover_message *answer, struct error *err)
{
	struct channel *channel = &run->takeover_new.channel;
	const struct takeover_message hello = {
		.kind = TAKEOVER_HELLO,
		.protocol = TAKEOVER_PROTOCOL,
		.text = LANNER_VERSION,
		.pid = (uint64_t)getpid(),
	};
	struct error why = {""};
	int got = channel_send(channel, &hello, SEND_MS, &why);

	if (got == 0)
		got = channel_receive(channel, ANSWER_MS, answer, &why);
	if (got < 0)
		return takeover_new_fail(run, got, why.text, err);
	return got ? 0
		   : takeover_new_fail(run, -ETIMEDOUT, "it does not answer within 5 seconds", err);
}

/* Until it is not busy with a reload. */
static int ask_until(struct run *run, uint64_t until_ns, struct takeover_message *answer,
		     struct error *err)
{
	const struct timespec pause = {.tv_nsec = LATER_MS * NS_PER_MS};
	int r = takeover_new_hello(run, answer, err);

	while (r == 0 && answer->kind == TAKEOVER_LATER) {
		if (clock_ns(CLOCK_MONOTONIC) >= until_ns)
			return takeover_new_fail(run, -ETIMEDOUT, busy, err);
		nanosleep(&pause, NULL);
		r = takeover_new_hello(run, answer, err);
	}
	return r;
}

static int takeover_new_greet(struct run *run, struct error *err)
{
	struct takeover_new *takeover_new = &run->takeover_new;
	struct takeover_message answer;
	struct error why = {""};
	int r = ask_until(run, clock_ns(CLOCK_MONOTONIC) + AGREE_NS, &answer, err);

	if (r)
		return r;
	if (answer.kind != TAKEOVER_WELCOME || answer.protocol != TAKEOVER_PROTOCOL) {
		error_set(&why, 0,
			  "it is version %s with protocol %" PRIu64 ", this is version %s with %d: "
			  "end it first",
			  answer.text ? answer.text : "unknown", answer.protocol, LANNER_VERSION,
			  TAKEOVER_PROTOCOL);
		takeover_message_finish(&answer);
		return takeover_new_fail(run, -EPROTO, why.text, err);
	}
	takeover_new->pid = answer.pid;
	takeover_new->version = answer.text;
	answer.text = NULL;
	takeover_message_finish(&answer);
	return 0;
}

static int connect_other(struct run *run, struct error *err)
{
	struct buf path = {0};
	int r = channel_path(run->options->pid_file, &path);

	if (r)
		error_set(err, r, "--take-over: the path of a socket beside %s: %s",
			  run->options->pid_file, strerror(-r));
	else
		r = channel_connect(path.data, &run->takeover_new.channel, err);
	buf_finish(&path);
	return r;
}

/* Whether an agent has the pid file, though nobody listens: it may be about to start or to end. */
static bool has_owner(const struct run *run)
{
	struct pid_status status;
	int r = pid_file_read(run->options->pid_file, &status, NULL);

	buf_finish(&status.said);
	return r == 0 || r == -EBADMSG;
}

/* Returns as channel_connect(). */
static int find_other(struct run *run, struct error *err)
{
	const struct timespec pause = {.tv_nsec = LATER_MS * NS_PER_MS};
	uint64_t until_ns = clock_ns(CLOCK_MONOTONIC) + START_NS;
	int r = connect_other(run, err);

	while ((r == -ENOENT || r == -ECONNREFUSED) && has_owner(run)) {
		if (clock_ns(CLOCK_MONOTONIC) >= until_ns || signals_count())
			return takeover_new_fail(
				run, -EBUSY,
				"it cannot be taken over, since it does not listen (it writes "
				"a capture file, or is older): end it first",
				err);
		nanosleep(&pause, NULL);
		r = connect_other(run, err);
	}
	return r;
}

int takeover_new_ask(struct run *run, struct error *err)
{
	const struct options *options = run->options;
	struct error why = {""};
	int r = options->takeover ? -EBUSY : 0;

	/* Busy: of two that start at once the other one was first, so that there is one to ask. */
	while (r == -EBUSY) {
		why = (struct error){""};
		r = find_other(run, &why);
		if (r == 0) {
			run->takeover_new.is_active = true;
			return takeover_new_greet(run, err);
		}
		if (r != -ENOENT && r != -ECONNREFUSED)
			break;
		r = pid_file_open(&run->pid_file, options->pid_file, &why);
		if (r == 0)
			fprintf(stderr, "agent: --take-over: no agent runs with --pid-file %s\n",
				options->pid_file);
	}
	return r ? error_set(err, r, "%s", why.text) : 0;
}

int takeover_new_begin(struct run *run, struct error *err)
{
	struct boundary *boundary;
	int r;

	if (!run->takeover_new.is_active)
		return 0;
	boundary = run->input->live->boundary(run->input);
	run->input->changing = true;
	r = boundary_begin(boundary);
	return r ? error_set(err, r, "out of memory") : 0;
}

static struct boundary *boundary_of(struct run *run)
{
	return run->input->live->boundary(run->input);
}

/* Handles hidden events for a moment, and takes others into memory. */
static int pause_with_events(struct run *run, int ms, struct error *err)
{
	struct scap_source *source = run->input->ops->step(run->input);
	struct scap_event event;
	int got = boundary_hold(boundary_of(run), ms), r = 0;

	if (got == 0)
		got = 1;
	while (got == 1 && r == 0) {
		got = scap_source_next(source, 0, &event);
		if (got == 1)
			r = handle_event(run, &event, err);
	}
	return r ? r : got < 0 ? run->input->ops->fail(run->input, got, err) : 0;
}

/*
 * Waits for a message with events. told: the other agent was told to end, so that no signal ends
 * this one. Returns as channel_receive().
 */
static int takeover_new_await(struct run *run, uint64_t until_ns, bool told,
			      struct takeover_message *message, struct error *err)
{
	int got = 0;

	while (got == 0 && clock_ns(CLOCK_MONOTONIC) < until_ns) {
		int r = pause_with_events(run, PAUSE_MS, err);

		if (r == 0 && !told && signals_count())
			return error_set(err, -EINTR, "a signal ended this one");
		got = r ? r : channel_receive(&run->takeover_new.channel, 0, message, err);
	}
	return got;
}

/* Names a boundary. Returns the kind of the answer, or -errno with a message. */
static int propose(struct run *run, struct error *err)
{
	struct takeover_new *takeover_new = &run->takeover_new;
	const struct takeover_message boundary = {
		.kind = TAKEOVER_BOUNDARY,
		.boundary_ns = clock_ns(CLOCK_BOOTTIME) + AHEAD_NS,
	};
	struct error why = {""};
	int got;

	boundary_set(boundary_of(run), boundary.boundary_ns);
	got = channel_send(&takeover_new->channel, &boundary, SEND_MS, &why);
	if (got == 0)
		got = takeover_new_await(run, clock_ns(CLOCK_MONOTONIC) + REACH_NS, false,
					 &takeover_new->last, &why);
	if (got < 0)
		return takeover_new_fail(run, got, why.text, err);
	if (got == 0)
		return takeover_new_fail(run, -ETIMEDOUT,
					 "it did not reach the boundary within 20 seconds", err);
	if (takeover_new->last.kind == TAKEOVER_REACHED ||
	    takeover_new->last.kind == TAKEOVER_LATER)
		return (int)takeover_new->last.kind;
	return takeover_new_fail(run, -EPROTO, "it sent a message that was not expected", err);
}

/* Until the other agent has reached a boundary. */
static int agree(struct run *run, struct error *err)
{
	uint64_t until_ns = clock_ns(CLOCK_MONOTONIC) + AGREE_NS;
	int kind;

	for (;;) {
		kind = propose(run, err);
		if (kind != TAKEOVER_LATER)
			return kind < 0 ? kind : 0;
		takeover_message_finish(&run->takeover_new.last);
		if (clock_ns(CLOCK_MONOTONIC) >= until_ns)
			return takeover_new_fail(run, -ETIMEDOUT, busy, err);
		if (pause_with_events(run, LATER_MS, err))
			return -EIO;
	}
}

/* The other one ends; from here on this one goes on in any case. */
static int await_release(struct run *run, struct error *err)
{
	struct takeover_new *takeover_new = &run->takeover_new;
	uint64_t patience_ns = takeover_new->last.patience_ns < PATIENCE_NS_MAX
				       ? takeover_new->last.patience_ns
				       : PATIENCE_NS_MAX;
	uint64_t until_ns = clock_ns(CLOCK_MONOTONIC) + patience_ns + GRACE_NS;
	struct takeover_message released;
	struct error why = {""};
	int got = takeover_new_await(run, until_ns, true, &released, &why);

	if (got == 0)
		return error_set(err, -ETIMEDOUT,
				 "--take-over: process %" PRIu64 " has stopped its capture, but "
				 "does not end: end it",
				 takeover_new->pid);
	if (got == 1 && released.kind == TAKEOVER_RELEASED) {
		released.events = takeover_new->last.events;
		released.events_count = takeover_new->last.events_count;
		takeover_new->last.events = NULL;
		takeover_message_finish(&takeover_new->last);
		takeover_new->last = released;
		return 0;
	}
	if (got == 1)
		takeover_message_finish(&released);
	takeover_new->died = true;
	fprintf(stderr,
		"agent: process %" PRIu64 " ended without an account (%s): what it had not "
		"delivered is said as missing in each output\n",
		takeover_new->pid, got < 0 ? why.text : "a message that was not expected");
	return 0;
}

/* Waits a while for the end of the other agent. Returns 1 if it has ended, 0, or -errno. */
static int await_end(struct run *run, struct error *err)
{
	uint64_t until_ns = clock_ns(CLOCK_MONOTONIC) + LOCKS_NS;
	struct pid_status status;
	int r = 0, found = 0;

	while (r == 0 && found != -ESRCH && found != -ENOENT) {
		if (clock_ns(CLOCK_MONOTONIC) >= until_ns)
			return 0;
		/* First, since the kernel closes its other files together with that one. */
		found = pid_file_read(run->options->pid_file, &status, NULL);
		buf_finish(&status.said);
		r = pause_with_events(run, PAUSE_MS, err);
	}
	return r ? r : 1;
}

/* The other agent was ended by something else: this one begins now. */
static int begin_alone(struct run *run, int code, struct error *err)
{
	struct takeover_new *takeover_new = &run->takeover_new;
	struct error other = {""};
	int ended = code == -ECONNRESET || code == -EPIPE ? await_end(run, &other) : 0;

	if (ended <= 0)
		return code;
	fprintf(stderr,
		"agent: --take-over: process %" PRIu64 " has ended by itself: events between its "
		"end and now are missing\n",
		takeover_new->pid);
	boundary_set(boundary_of(run), clock_ns(CLOCK_BOOTTIME));
	takeover_new->pid = 0;
	takeover_new->is_active = false;
	channel_close(&takeover_new->channel);
	return 0;
}

int takeover_new_complete(struct run *run, struct error *err)
{
	static const struct takeover_message go = {.kind = TAKEOVER_GO};
	struct takeover_new *takeover_new = &run->takeover_new;
	struct error why = {""};
	int r = agree(run, err);

	if (r)
		return begin_alone(run, r, err);
	/* Before this agent's first event; those of the kernel from here on are its own. */
	losses_skip(&run->losses, run->input);
	if (channel_send(&takeover_new->channel, &go, SEND_MS, &why))
		return takeover_new_fail(run, -EPIPE, why.text, err);
	r = await_release(run, err);
	takeover_new->is_active = false;
	channel_close(&takeover_new->channel);
	if (r == 0 && takeover_new->died && await_end(run, err) < 0)
		r = -EIO;
	return r;
}

/* The output of the other agent with that configuration, or NULL. It is used once. */
static const struct takeover_output *takeover_new_find(const struct takeover_message *message,
						       const struct output_config *config,
						       bool used[TAKEOVER_OUTPUTS_MAX])
{
	const struct takeover_output *found = NULL;
	struct buf identity = {0};

	output_config_append_identity(config, &identity);
	buf_append_char(&identity, '\0');
	for (size_t i = 0; !identity.failed && !found && i < message->outputs_count; i++) {
		if (used[i] || strcmp(message->outputs[i].identity, identity.data) != 0)
			continue;
		used[i] = true;
		found = &message->outputs[i];
	}
	buf_finish(&identity);
	return found;
}

void takeover_new_continue_outputs(struct run *run)
{
	const struct takeover_new *takeover_new = &run->takeover_new;
	bool used[TAKEOVER_OUTPUTS_MAX] = {false};

	for (size_t i = 0; i < run->outputs.count; i++) {
		struct output *output = run->outputs.list[i];
		const struct takeover_output *from =
			takeover_new_find(&takeover_new->last, output->config, used);
		struct output_past past = {.died = takeover_new->died};

		if (!from)
			continue;
		memcpy(past.stream, from->stream, sizeof(past.stream));
		past.number = from->number;
		past.undelivered = from->undelivered;
		output_continue(output, &past);
	}
}

int takeover_new_open(struct run *run, struct error *err)
{
	struct takeover_message *last = &run->takeover_new.last;

	if (boundary_open(boundary_of(run), last->events, last->events_count))
		return error_set(err, -ENOMEM, "out of memory");
	return 0;
}

static void takeover_new_append_output(struct output *output, const struct takeover_output *from,
				       bool died, struct buf *text)
{
	struct output_account account;
	uint64_t backlog = output->config->spool ? from->backlog : 0;

	output_account(output, &account);
	buf_printf(text, "agent: output %s: of both: formatted %" PRIu64, account.name,
		   from->formatted + account.formatted);
	if (backlog)
		buf_printf(text, " + of earlier runs %" PRIu64, backlog);
	buf_printf(text, " = %s %" PRIu64, account.acknowledges ? "delivered" : "sent",
		   from->delivered + account.delivered);
	if (account.queued)
		buf_printf(text, " + queued %" PRIu64, account.queued);
	buf_printf(text, " + dropped %" PRIu64, from->dropped + output_account_dropped(&account));
	if (died)
		buf_printf(text, " + unknown %" PRIu64,
			   output->config->spool ? 0 : from->undelivered);
	buf_append_char(text, '\n');
}

void takeover_new_append_report(const struct run *run, struct buf *text)
{
	const struct takeover_new *takeover_new = &run->takeover_new;
	const struct takeover_message *last = &takeover_new->last;
	bool used[TAKEOVER_OUTPUTS_MAX] = {false};
	struct input_totals totals;

	if (!takeover_new->pid || takeover_new->is_active)
		return;
	if (!takeover_new->died && run->input->live->totals(run->input, &totals) == 0) {
		buf_printf(text,
			   "agent: with process %" PRIu64 ", from which it took over: seen %" PRIu64
			   " = delivered %" PRIu64 " + lost %" PRIu64,
			   takeover_new->pid, last->seen + totals.seen,
			   last->delivered + totals.delivered, last->lost + totals.lost);
		if (last->filtered + totals.filtered)
			buf_printf(text, " + filtered %" PRIu64, last->filtered + totals.filtered);
		if (last->corrupt + totals.corrupt)
			buf_printf(text, " + corrupt %" PRIu64, last->corrupt + totals.corrupt);
		buf_append_char(text, '\n');
	}
	for (size_t i = 0; i < run->outputs.count; i++) {
		struct output *output = run->outputs.list[i];
		const struct takeover_output *from = takeover_new_find(last, output->config, used);

		if (from)
			takeover_new_append_output(output, from, takeover_new->died, text);
	}
}

void takeover_new_finish(struct run *run)
{
	struct takeover_new *takeover_new = &run->takeover_new;

	if (takeover_new->is_active)
		channel_close(&takeover_new->channel);
	free(takeover_new->version);
	takeover_message_finish(&takeover_new->last);
	*takeover_new = (struct takeover_new){0};
}
