/* SPDX-License-Identifier: MIT */
/* The status of a run, for people. */
#ifndef AGENT_RUN_STATUS_H
#define AGENT_RUN_STATUS_H

#include "util/buf.h"

struct run;

/* Appends lines "NAME: VALUE". Called by the thread of the loop. */
void status_append(const struct run *run, struct buf *out);

#endif
