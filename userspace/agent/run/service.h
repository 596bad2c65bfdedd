/* SPDX-License-Identifier: MIT */
/*
 * The run as a service: what its manager (systemd) learns of it. Errors are printed on stderr, and
 * change nothing else.
 */
#ifndef AGENT_RUN_SERVICE_H
#define AGENT_RUN_SERVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/process/notify.h"

struct run;

/* Part of `struct run`; zeroed, there is no manager. */
struct service {
	struct notify notify;
	uint64_t status_due_ns, health_due_ns; /* monotonic clock */
	bool hangs; /* a thread of an output */
};

/* Looks for a manager in the environment, and sets its line of status. */
void service_begin(struct run *run);

void service_end(struct run *run);

/* Reports a change of the state. */
void service_notify(struct run *run, enum notify_state state);

/*
 * Feeds the watchdog, and sets the line of status to the counters every few seconds. Called by the
 * loop on each turn: a loop that is stuck does not feed, nor is it fed while a thread of an output
 * hangs. now_ns: monotonic clock.
 */
void service_step(struct run *run, uint64_t now_ns);

#endif
