/* SPDX-License-Identifier: MIT */
/* The pages of a run: metrics, health, status (option --http). */
#ifndef AGENT_RUN_PAGES_H
#define AGENT_RUN_PAGES_H

#include "agent/run/run.h"
#include "util/buf.h"
#include "util/error.h"

/* The status of a run, for people. */

struct run;

/* Appends lines "NAME: VALUE". Called by the thread of the loop. */
void status_append(const struct run *run, struct buf *out);

/* The pages of a run: metrics, health, status (option --http). */

/*
 * Starts to serve them at each address of the options: run->controls. The run must be open. Returns
 * 0 or -errno with a message; pages_end() before anything of the run is destroyed.
 */
int pages_begin(struct run *run, struct error *err);
void pages_end(struct run *run);

/* For the loop: does what pages ask for. Cheap if there is nothing. */
void pages_serve(struct run *run);

#endif
