/* SPDX-License-Identifier: MIT */
/* The account of descriptions of containers and pods: parts of the report of a live capture. */
#ifndef AGENT_RUN_ACCOUNT_META_H
#define AGENT_RUN_ACCOUNT_META_H

#include "agent/run/account.h"

/* What was asked for and found: "agent: containers: looked for 7, found 7, without data 0", … */
void account_meta_append_work(const struct meta_stats *meta, struct buf *text);

/* What is missing or failed: a line for each cause that occurred. */
void account_meta_append_troubles(const struct account_containers *containers, struct buf *text);

#endif
