/* SPDX-License-Identifier: MIT */
/* The side of the agent that ends: each message has its state, and each state its patience. */
#include "agent/run/hand_over.h"

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

static const struct take_over_message later = {.kind = TAKE_OVER_LATER};

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
static bool can_hand_over(const struct run *run)
{
	const struct options *options = run->options;

	return options->pid_file && !options->read && !options->write && !options->command &&
	       run->input->live;
}

void hand_over_begin(struct run *run)
{
	struct hand_over *hand_over = &run->hand_over;
	struct error err = {""};
	int code;

	hand_over->channel.fd = -1;
	if (!can_hand_over(run))
		return;
	code = channel_path(run->options->pid_file, &hand_over->path);
	if (code)
		error_set(&err, code, "the path of a socket beside it: %s", strerror(-code));
	else
		hand_over->listener = channel_listen(hand_over->path.data, &err);
	if (code == 0 && hand_over->listener >= 0)
		hand_over->state = HAND_OVER_ALONE;
	else
		fprintf(stderr, "agent: --pid-file %s: no other agent can take over: %s\n",
			run->options->pid_file, err.text);
}

/* The connection ends; a capture that was to end goes on. */
static void hand_over_forget(struct run *run, const char *why)
{
	struct hand_over *hand_over = &run->hand_over;
	bool ending = hand_over->state == HAND_OVER_ENDS || hand_over->state == HAND_OVER_REACHED;

	if (hand_over->pid)
		fprintf(stderr, "agent: process %" PRIu64 " does not take over: %s\n",
			hand_over->pid, why);
	if (ending)
		boundary_cancel(run->input->live->boundary(run->input));
	channel_close(&hand_over->channel);
	hand_over->pid = 0;
	hand_over->due_ns = 0;
	hand_over->state = HAND_OVER_ALONE;
}

static void hand_over_tell(struct run *run, const struct take_over_message *message)
{
	struct error err = {""};

	if (channel_send(&run->hand_over.channel, message, SEND_MS, &err))
		hand_over_forget(run, err.text);
}

static void accept_other(struct run *run, uint64_t now_ns)
{
	struct hand_over *hand_over = &run->hand_over;
	struct error err = {""};
	int code;

	if (now_ns < hand_over->due_ns)
		return;
	hand_over->due_ns = now_ns + LOOK_NS;
	code = channel_accept(hand_over->listener, &hand_over->channel, &err);
	if (code && code != -EAGAIN)
		fprintf(stderr, "agent: %s\n", err.text);
	if (code)
		return;
	hand_over->state = HAND_OVER_TALKS;
	hand_over->due_ns = now_ns + HELLO_NS;
}

/* The boundary to the other agent's capture; NULL: a reload is in progress. */
static struct boundary *find_boundary(struct run *run)
{
	return run->input->changing ? NULL : run->input->live->boundary(run->input);
}

static void hand_over_greet(struct run *run, const struct take_over_message *hello, uint64_t now_ns)
{
	struct hand_over *hand_over = &run->hand_over;
	struct take_over_message answer = {
		.kind = TAKE_OVER_WELCOME,
		.protocol = TAKE_OVER_PROTOCOL,
		.text = LANNER_VERSION,
		.pid = (uint64_t)getpid(),
	};

	if (!find_boundary(run)) {
		hand_over->due_ns = now_ns + HELLO_NS;
		hand_over_tell(run, &later);
		return;
	}
	/* The other one compares, too: both then know. */
	hand_over_tell(run, &answer);
	if (hand_over->state != HAND_OVER_TALKS)
		return;
	hand_over->pid = hello->pid;
	hand_over->due_ns = now_ns + LOADING_NS;
	if (hello->protocol != TAKE_OVER_PROTOCOL)
		hand_over_forget(run, "it has another protocol");
}

static void set_boundary(struct run *run, uint64_t time_ns, uint64_t now_ns)
{
	struct hand_over *hand_over = &run->hand_over;
	struct boundary *boundary = find_boundary(run);

	if (!boundary || boundary_end_at(boundary, time_ns)) {
		hand_over_tell(run, &later);
		return;
	}
	run->input->changing = true;
	hand_over->state = HAND_OVER_ENDS;
	hand_over->due_ns = now_ns + ENDING_NS;
}

/* Each output, and how long it may take until it has ended. */
static void add_outputs(const struct run *run, struct take_over_message *message)
{
	for (size_t i = 0; i < run->outputs.count; i++) {
		struct output *output = run->outputs.list[i];
		struct take_over_output *to = take_over_add_output(message);
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
	struct hand_over *hand_over = &run->hand_over;
	struct boundary *boundary = run->input->live->boundary(run->input);
	struct take_over_message message = {.kind = TAKE_OVER_REACHED};

	losses_end(&run->losses, run->input, &run->plan->selection, &run->outputs);
	add_outputs(run, &message);
	message.patience_ns += RELEASE_NS;
	hand_over->state = HAND_OVER_REACHED;
	hand_over->due_ns = now_ns + GO_NS;
	if (boundary_seen(boundary, &message.events, &message.events_count))
		hand_over_forget(run, "out of memory");
	else
		hand_over_tell(run, &message);
	take_over_message_finish(&message);
}

static void go(struct run *run)
{
	struct hand_over *hand_over = &run->hand_over;

	boundary_confirm(run->input->live->boundary(run->input));
	hand_over->state = HAND_OVER_GONE;
	run->ended = true;
	fprintf(stderr, "agent: process %" PRIu64 " takes over\n", hand_over->pid);
}

static void take_message(struct run *run, const struct take_over_message *message, uint64_t now_ns)
{
	const struct hand_over *hand_over = &run->hand_over;

	if (message->kind == TAKE_OVER_HELLO && !hand_over->pid)
		hand_over_greet(run, message, now_ns);
	else if (message->kind == TAKE_OVER_BOUNDARY && hand_over->pid &&
		 hand_over->state == HAND_OVER_TALKS)
		set_boundary(run, message->boundary_ns, now_ns);
	else if (message->kind == TAKE_OVER_GO && hand_over->state == HAND_OVER_REACHED)
		go(run);
	else
		hand_over_forget(run, "a message came that was not expected");
}

static void talk(struct run *run, uint64_t now_ns)
{
	struct hand_over *hand_over = &run->hand_over;
	struct take_over_message message;
	struct error err = {""};
	int got = channel_receive(&hand_over->channel, 0, &message, &err);

	if (got == 1) {
		take_message(run, &message, now_ns);
		take_over_message_finish(&message);
	} else if (got < 0) {
		hand_over_forget(run, err.text);
	} else if (now_ns >= hand_over->due_ns) {
		hand_over_forget(run, "it does not go on");
	}
}

void hand_over_step(struct run *run, uint64_t now_ns)
{
	struct hand_over *hand_over = &run->hand_over;

	if (hand_over->state == HAND_OVER_CLOSED || hand_over->state == HAND_OVER_GONE)
		return;
	if (hand_over->state == HAND_OVER_ALONE)
		accept_other(run, now_ns);
	else
		talk(run, now_ns);
	if (hand_over->state == HAND_OVER_ENDS &&
	    boundary_is_reached(run->input->live->boundary(run->input)))
		report_reached(run, now_ns);
}

void hand_over_leave(struct run *run)
{
	const struct hand_over *hand_over = &run->hand_over;

	if (hand_over->state != HAND_OVER_CLOSED && hand_over->state != HAND_OVER_ALONE &&
	    !hand_over_is_gone(hand_over))
		hand_over_forget(run, "this agent ends");
}

void hand_over_account(struct run *run)
{
	struct take_over_message *released = &run->hand_over.released;
	struct input_totals totals = {0};

	if (!hand_over_is_gone(&run->hand_over))
		return;
	released->kind = TAKE_OVER_RELEASED;
	if (run->input->live)
		run->input->live->totals(run->input, &totals);
	released->seen = totals.seen;
	released->delivered = totals.delivered;
	released->filtered = totals.filtered;
	released->lost = totals.lost;
	released->corrupt = totals.corrupt;
	add_outputs(run, released);
}

void hand_over_stop(struct run *run)
{
	struct hand_over *hand_over = &run->hand_over;

	if (hand_over->state == HAND_OVER_CLOSED)
		return;
	close(hand_over->listener);
	unlink(hand_over->path.data);
}

void hand_over_finish(struct run *run)
{
	struct hand_over *hand_over = &run->hand_over;
	struct error err = {""};

	if (hand_over_is_gone(hand_over) &&
	    channel_send(&hand_over->channel, &hand_over->released, SEND_MS, &err))
		fprintf(stderr, "agent: %s\n", err.text);
	if (hand_over->state != HAND_OVER_CLOSED)
		channel_close(&hand_over->channel);
	take_over_message_finish(&hand_over->released);
	buf_finish(&hand_over->path);
	hand_over->state = HAND_OVER_CLOSED;
}
