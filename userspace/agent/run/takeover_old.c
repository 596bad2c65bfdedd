/* SPDX-License-Identifier: MIT */
/* The side of the agent that ends: each message has its state, and each state its patience. */
#include "agent/run/takeover_old.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "takeover/boundary.h"
#include "agent/run/run.h"
#include "util/clock.h"
#include "util/version.h"

enum { SEND_MS = 2000 };

static const struct takeover_message later = {.kind = TAKEOVER_LATER};

#define NS_PER_S UINT64_C(1000000000)
#define LOOK_NS UINT64_C(100000000)
/* The other agent loads its programs after its hello. */
#define HELLO_NS (5 * NS_PER_S)
#define LOADING_NS (120 * NS_PER_S)
/* Until the boundary, which the other one names, is reached; until it says go. */
#define ENDING_NS (30 * NS_PER_S)
#define GO_NS (10 * NS_PER_S)
/* To release what there is, beside the time that each output has to end. */
#define RELEASE_NS (20 * NS_PER_S)

/* Events that are written to a capture file, or belong to a command, are of this process alone. */
static bool can_be_taken_over(const struct run *run)
{
	const struct options *options = run->options;

	return options->pid_file && !options->read && !options->write && !options->command &&
	       run->input->live;
}

void takeover_old_begin(struct run *run)
{
	struct takeover_old *takeover_old = &run->takeover_old;
	struct error err = {""};
	int r;

	takeover_old->channel.fd = -1;
	if (!can_be_taken_over(run))
		return;
	r = channel_path(run->options->pid_file, &takeover_old->path);
	if (r)
		error_set(&err, r, "the path of a socket beside it: %s", strerror(-r));
	else
		takeover_old->listener = channel_listen(takeover_old->path.data, &err);
	if (r == 0 && takeover_old->listener >= 0)
		takeover_old->state = TAKEOVER_OLD_ALONE;
	else
		fprintf(stderr, "agent: --pid-file %s: no other agent can take over: %s\n",
			run->options->pid_file, err.text);
}

/* The connection ends; a capture that was to end goes on. */
static void takeover_old_forget(struct run *run, const char *why)
{
	struct takeover_old *takeover_old = &run->takeover_old;
	bool ending = takeover_old->state == TAKEOVER_OLD_ENDS ||
		      takeover_old->state == TAKEOVER_OLD_REACHED;

	if (takeover_old->pid)
		fprintf(stderr, "agent: process %" PRIu64 " does not take over: %s\n",
			takeover_old->pid, why);
	if (ending)
		boundary_cancel(run->input->live->boundary(run->input));
	channel_close(&takeover_old->channel);
	takeover_old->pid = 0;
	takeover_old->due_ns = 0;
	takeover_old->state = TAKEOVER_OLD_ALONE;
}

static void takeover_old_tell(struct run *run, const struct takeover_message *message)
{
	struct error err = {""};

	if (channel_send(&run->takeover_old.channel, message, SEND_MS, &err))
		takeover_old_forget(run, err.text);
}

static void accept_other(struct run *run, uint64_t now_ns)
{
	struct takeover_old *takeover_old = &run->takeover_old;
	struct error err = {""};
	int r;

	if (now_ns < takeover_old->due_ns)
		return;
	takeover_old->due_ns = now_ns + LOOK_NS;
	r = channel_accept(takeover_old->listener, &takeover_old->channel, &err);
	if (r && r != -EAGAIN)
		fprintf(stderr, "agent: %s\n", err.text);
	if (r)
		return;
	takeover_old->state = TAKEOVER_OLD_TALKS;
	takeover_old->due_ns = now_ns + HELLO_NS;
}

/* The boundary to the other agent's capture; NULL: a reload is in progress. */
static struct boundary *find_boundary(struct run *run)
{
	return run->input->changing ? NULL : run->input->live->boundary(run->input);
}

static void takeover_old_greet(struct run *run, const struct takeover_message *hello,
			       uint64_t now_ns)
{
	struct takeover_old *takeover_old = &run->takeover_old;
	struct takeover_message answer = {
		.kind = TAKEOVER_WELCOME,
		.protocol = TAKEOVER_PROTOCOL,
		.text = LANNER_VERSION,
		.pid = (uint64_t)getpid(),
	};

	if (!find_boundary(run)) {
		takeover_old->due_ns = now_ns + HELLO_NS;
		takeover_old_tell(run, &later);
		return;
	}
	/* The other one compares, too: both then know. */
	takeover_old_tell(run, &answer);
	if (takeover_old->state != TAKEOVER_OLD_TALKS)
		return;
	takeover_old->pid = hello->pid;
	takeover_old->due_ns = now_ns + LOADING_NS;
	if (hello->protocol != TAKEOVER_PROTOCOL)
		takeover_old_forget(run, "it has another protocol");
}

static void set_boundary(struct run *run, uint64_t time_ns, uint64_t now_ns)
{
	struct takeover_old *takeover_old = &run->takeover_old;
	struct boundary *boundary = find_boundary(run);

	if (!boundary || boundary_end_at(boundary, time_ns)) {
		takeover_old_tell(run, &later);
		return;
	}
	run->input->changing = true;
	takeover_old->state = TAKEOVER_OLD_ENDS;
	takeover_old->due_ns = now_ns + ENDING_NS;
}

/* Each output, and how long it may take until it has ended. */
static void add_outputs(const struct run *run, struct takeover_message *message)
{
	for (size_t i = 0; i < run->outputs.count; i++) {
		struct output *output = run->outputs.list[i];
		struct takeover_output *to = takeover_add_output(message);
		struct output_account account;
		struct buf identity = {0};

		if (!to)
			return;
		output_account(output, &account);
		output_config_append_identity(output->config, &identity);
		buf_append_char(&identity, '\0');
		to->identity = identity.failed ? NULL : identity.data;
		memcpy(to->stream, output->stream, sizeof(to->stream));
		to->number = output->number;
		to->formatted = account.formatted;
		to->backlog = account.backlog;
		to->delivered = account.delivered;
		to->dropped = output_account_dropped(&account);
		to->undelivered = account.queued + account.dropped[GAP_END];
		if (message->patience_ns < output->config->stop_ns)
			message->patience_ns = output->config->stop_ns;
	}
}

/* Of the kernel's losses those that are not said yet are of this agent. */
static void report_reached(struct run *run, uint64_t now_ns)
{
	struct takeover_old *takeover_old = &run->takeover_old;
	struct boundary *boundary = run->input->live->boundary(run->input);
	struct takeover_message message = {.kind = TAKEOVER_REACHED};

	losses_end(&run->losses, run->input, &run->plan->selection, &run->outputs);
	add_outputs(run, &message);
	message.patience_ns += RELEASE_NS;
	takeover_old->state = TAKEOVER_OLD_REACHED;
	takeover_old->due_ns = now_ns + GO_NS;
	if (boundary_seen(boundary, &message.events, &message.events_count))
		takeover_old_forget(run, "out of memory");
	else
		takeover_old_tell(run, &message);
	takeover_message_finish(&message);
}

static void go(struct run *run)
{
	struct takeover_old *takeover_old = &run->takeover_old;

	boundary_confirm(run->input->live->boundary(run->input));
	takeover_old->state = TAKEOVER_OLD_GONE;
	run->ended = true;
	fprintf(stderr, "agent: process %" PRIu64 " takes over\n", takeover_old->pid);
}

static void take_message(struct run *run, const struct takeover_message *message, uint64_t now_ns)
{
	const struct takeover_old *takeover_old = &run->takeover_old;

	if (message->kind == TAKEOVER_HELLO && !takeover_old->pid)
		takeover_old_greet(run, message, now_ns);
	else if (message->kind == TAKEOVER_BOUNDARY && takeover_old->pid &&
		 takeover_old->state == TAKEOVER_OLD_TALKS)
		set_boundary(run, message->boundary_ns, now_ns);
	else if (message->kind == TAKEOVER_GO && takeover_old->state == TAKEOVER_OLD_REACHED)
		go(run);
	else
		takeover_old_forget(run, "a message came that was not expected");
}

static void talk(struct run *run, uint64_t now_ns)
{
	struct takeover_old *takeover_old = &run->takeover_old;
	struct takeover_message message;
	struct error err = {""};
	int got = channel_receive(&takeover_old->channel, 0, &message, &err);

	if (got == 1) {
		take_message(run, &message, now_ns);
		takeover_message_finish(&message);
	} else if (got < 0) {
		takeover_old_forget(run, err.text);
	} else if (now_ns >= takeover_old->due_ns) {
		takeover_old_forget(run, "it does not go on");
	}
}

void takeover_old_step(struct run *run, uint64_t now_ns)
{
	struct takeover_old *takeover_old = &run->takeover_old;

	if (takeover_old->state == TAKEOVER_OLD_CLOSED || takeover_old->state == TAKEOVER_OLD_GONE)
		return;
	if (takeover_old->state == TAKEOVER_OLD_ALONE)
		accept_other(run, now_ns);
	else
		talk(run, now_ns);
	if (takeover_old->state == TAKEOVER_OLD_ENDS &&
	    boundary_is_reached(run->input->live->boundary(run->input)))
		report_reached(run, now_ns);
}

void takeover_old_leave(struct run *run)
{
	const struct takeover_old *takeover_old = &run->takeover_old;

	if (takeover_old->state != TAKEOVER_OLD_CLOSED &&
	    takeover_old->state != TAKEOVER_OLD_ALONE && !takeover_old_is_gone(takeover_old))
		takeover_old_forget(run, "this agent ends");
}

void takeover_old_account(struct run *run)
{
	struct takeover_message *released = &run->takeover_old.released;
	struct input_totals totals = {0};

	if (!takeover_old_is_gone(&run->takeover_old))
		return;
	released->kind = TAKEOVER_RELEASED;
	if (run->input->live)
		run->input->live->totals(run->input, &totals);
	released->seen = totals.seen;
	released->delivered = totals.delivered;
	released->filtered = totals.filtered;
	released->lost = totals.lost;
	released->corrupt = totals.corrupt;
	add_outputs(run, released);
}

void takeover_old_stop(struct run *run)
{
	struct takeover_old *takeover_old = &run->takeover_old;

	if (takeover_old->state == TAKEOVER_OLD_CLOSED)
		return;
	close(takeover_old->listener);
	unlink(takeover_old->path.data);
}

void takeover_old_finish(struct run *run)
{
	struct takeover_old *takeover_old = &run->takeover_old;
	struct error err = {""};

	if (takeover_old_is_gone(takeover_old) &&
	    channel_send(&takeover_old->channel, &takeover_old->released, SEND_MS, &err))
		fprintf(stderr, "agent: %s\n", err.text);
	if (takeover_old->state != TAKEOVER_OLD_CLOSED)
		channel_close(&takeover_old->channel);
	takeover_message_finish(&takeover_old->released);
	buf_finish(&takeover_old->path);
	takeover_old->state = TAKEOVER_OLD_CLOSED;
}
