/* SPDX-License-Identifier: MIT */
/*
 * New rules while the old ones work. A thread reads and compiles them, and prepares the input for
 * them; then the plan of the run is replaced between two events.
 */
#ifndef AGENT_RUN_RELOAD_H
#define AGENT_RUN_RELOAD_H

#include "agent/run/run.h"

struct reload;

/* For a run that is open, which is borrowed. Returns 0 or -ENOMEM. */
int reload_create(struct run *run, struct reload **reload);

/* Drops what is being prepared. */
void reload_destroy(struct reload *reload);

/* Asks for new rules. What was asked for meanwhile is done when the last time is over. */
void reload_request(struct reload *reload);

/* Goes on, between two events: prints on stderr what came of the new rules, and puts them in place.
 */
void reload_step(struct reload *reload);

#endif
