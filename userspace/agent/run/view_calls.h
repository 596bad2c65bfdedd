/* SPDX-License-Identifier: MIT */
/*
 * Gives the view of a run the calls that the kernel has counted in place of events: a row is
 * counted like so many events that are alike.
 */
#ifndef AGENT_RUN_VIEW_CALLS_H
#define AGENT_RUN_VIEW_CALLS_H

#include <stdbool.h>

#include "util/error.h"

struct run;

/* Takes what is new; is_last: no reading follows. Returns 0, or -errno with a message. */
int view_calls_take(struct run *run, bool is_last, struct error *err);

#endif
