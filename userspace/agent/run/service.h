/* SPDX-License-Identifier: MIT */
/*
 * The run as a service: what its manager (systemd) learns of it, and the privileges that it needs
 * later.
 */
#ifndef AGENT_RUN_SERVICE_H
#define AGENT_RUN_SERVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/options/options.h"
#include "agent/process/loader.h"
#include "agent/process/notify.h"
#include "agent/record/captures.h"
#include "output/delivery/outputs.h"
#include "util/error.h"

/* What a live capture needs of its privileges later; the rest is dropped when it runs. */

/*
 * Sets the policy for all threads: before run_open() starts some. reloads: rules or a configuration
 * may be read again. Returns 0, or -ENOMEM with a message.
 */
int run_set_privileges(const struct options *options, const struct outputs *outputs,
		       const struct captures *captures, bool reloads, struct error *err);

/*
 * Starts the process that loads programs if the run is to drop the privileges for it, but can need
 * others later. To be called after run_set_privileges(), and before there are threads. Returns 0
 * or -errno with a message.
 */
int run_start_loader(const struct options *options, bool reloads, struct loader *loader,
		     struct error *err);

/*
 * Drops what the event thread does not need any more: after all is open that takes privileges. With
 * -v what is kept goes to stderr, and what outputs would be limited to if they are not. Returns 0
 * or -errno with a message.
 */
int run_drop_privileges(const struct options *options, const struct outputs *outputs,
			struct error *err);

/*
 * The run as a service: what its manager (systemd) learns of it. Errors are printed on stderr, and
 * change nothing else.
 */

/* Part of `struct run`; zeroed, there is no manager. */
struct service {
	struct notify notify;
	uint64_t status_due_ns, health_due_ns; /* monotonic clock */
	bool hangs; /* a thread of an output */
};

/* Looks for a manager in the environment, and sets its line of status. */
void service_begin(struct service *service);

void service_end(struct service *service);

/* Reports a change of the state. */
void service_notify(struct service *service, enum notify_state state);

/*
 * Feeds the watchdog. Called by the loop on each turn: a loop that is stuck does not feed, nor is
 * it fed while a thread of an output hangs. now_ns: monotonic clock. Returns whether the line of
 * status is due, which it is every few seconds.
 */
bool service_step(struct service *service, struct outputs *outputs, uint64_t now_ns);

/* When service_step() has to be called at the latest, so that the watchdog is fed in time. */
uint64_t service_due_ns(const struct service *service);

/* Sets the line of status. */
void service_status(struct service *service, const char *line);

#endif
