/* SPDX-License-Identifier: MIT */
/*
 * The option -S: the number of events of each call, process and descriptor. The tables have a fixed
 * size; events that do not fit are counted in sum.
 */
#ifndef AGENT_RUN_SUMMARY_H
#define AGENT_RUN_SUMMARY_H

#include <stdbool.h>

#include "util/buf.h"

struct sinsp_event;
struct summary;

/* Returns 0 or -ENOMEM. */
int summary_create(struct summary **summary);
void summary_destroy(struct summary *summary); /* accepts NULL */

/* Counts an event that passed. */
void summary_count(struct summary *summary, const struct sinsp_event *event);

/*
 * Appends the tables, most frequent first: all calls, and the SUMMARY_TOP first processes and
 * descriptors, or all of these if `all`.
 */
enum { SUMMARY_TOP = 20 };
void summary_append(const struct summary *summary, bool all, struct buf *text);

#endif
