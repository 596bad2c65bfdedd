/* SPDX-License-Identifier: MIT */
/*
 * This agent takes over from another one (--take-over): it captures beside it, they agree on a
 * boundary of time, and once the other one has released its outputs this one goes on with them.
 */
#ifndef AGENT_RUN_TAKEOVER_NEW_H
#define AGENT_RUN_TAKEOVER_NEW_H

#include <stdbool.h>

#include "takeover/channel.h"
#include "util/buf.h"
#include "util/error.h"

struct run;

/* Part of `struct run`; zeroed: there is no other agent. */
struct takeover_new {
	bool is_active; /* there is one, which has not ended */
	struct channel channel; /* if active */
	uint64_t pid; /* of the other agent; 0: there was none */
	char *version; /* owned; of the other agent */
	bool died; /* it ended after it was told to, but gave no account */
	struct takeover_message last; /* what it said last: when it was reached, or the account */
};

/*
 * Asks the agent that runs, if the options say so; without one the run just begins, and has the pid
 * file, so that another one that begins meanwhile asks it. Returns 0, or -errno with a message: the
 * other agent runs, and goes on, or the file cannot be had.
 */
int takeover_new_ask(struct run *run, struct error *err);

/*
 * Hides events, which are the other agent's: to be called before the first one. Returns 0 or -errno
 * with a message.
 */
int takeover_new_begin(struct run *run, struct error *err);

/*
 * Takes over: afterwards the other agent has ended, and its outputs can be opened. If it fails
 * before the other one was told to end, that one goes on. If that one ends before, by itself, this
 * run just begins. Returns 0 or -errno with a message.
 */
int takeover_new_complete(struct run *run, struct error *err);

/* Sets where outputs go on, before they are opened. */
void takeover_new_continue_outputs(struct run *run);

/*
 * Begins with the events from the boundary on, which waited. Returns 0 or -errno with a message.
 */
int takeover_new_open(struct run *run, struct error *err);

/* Appends the account of both together, as whole lines, if there was another one. */
void takeover_new_append_report(const struct run *run, struct buf *text);

void takeover_new_finish(struct run *run);

#endif
