/* SPDX-License-Identifier: MIT */
/*
 * Reload of the configuration and of rules during a run. A thread reads and compiles them, and
 * prepares the input; then the plan of the run is replaced between two events. An error changes
 * nothing.
 */
#ifndef AGENT_RUN_RELOAD_H
#define AGENT_RUN_RELOAD_H

#include "agent/run/run.h"

struct reload;

/* Borrows the run, which must be open. Returns 0 or -ENOMEM. */
int reload_create(struct run *run, struct reload **reload);

/* Drops what is being prepared. */
void reload_destroy(struct reload *reload);

/*
 * Requests a reload. During a reload, the next one begins after it. forced: a configuration without
 * outputs is taken, too, in place of one with some.
 */
void reload_request(struct reload *reload, bool forced);

/*
 * Call this between two events: prints the result of a reload on stderr, notes it in the pid
 * file, and puts the new plan in place.
 */
void reload_step(struct reload *reload);

/* Whether one was requested and has not ended. */
bool reload_is_under_way(const struct reload *reload);

#endif
