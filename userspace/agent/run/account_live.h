/* SPDX-License-Identifier: MIT */
/*
 * The account of a live capture. The report's first line always has the form
 *   agent: seen N = delivered N + lost N; matched N, printed N
 * with " + corrupt N" or " + unaccounted N" after the losses where there are such.
 */
#ifndef AGENT_RUN_ACCOUNT_LIVE_H
#define AGENT_RUN_ACCOUNT_LIVE_H

#include "agent/run/account.h"
#include "agent/run/input.h"

struct scap_live_stats;
struct scap_live_throttled;

/* "seen 7, delivered 5, lost 2", for a line during the run. */
void account_live_append_counters(const struct scap_live_stats *live, struct buf *text);

/* The same as numbers. */
void account_live_totals(const struct scap_live_stats *stats, struct input_totals *totals);

/* Whether seen events are missing. */
bool account_live_is_incomplete(const struct scap_live_stats *live);

/* The report; exact if the capture was stopped and drained. */
void account_live_append(const struct scap_live_stats *live, const struct account *account,
			 struct buf *text);

/* Who was over a limit of events in a second, from scap_live_throttled(): a line for each limit. */
void account_live_append_throttled(const struct scap_live_throttled *list, size_t count,
				   struct buf *text);

#endif
