/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * The share of events that is lost so that the capture keeps its budget, which user space computes.
 * It is decided before an event costs anything else; without a budget the verifier removes all of
 * this.
 */
#ifndef LANNER_BUDGET_BPF_H
#define LANNER_BUDGET_BPF_H

#include "bpf/core/filler.bpf.h"

/* The share of an event's class. */
static __always_inline __u32 budget_share(__u32 event)
{
	__u32 zero = 0, class;
	struct shed *now;

	if (!has_budget || event >= EVENT_ID_MAX)
		return 0;
	class = shed_classes[event];
	now = bpf_map_lookup_elem(&shed, &zero);
	return now && class < SHED_CLASSES ? now->shares[class] : 0;
}

/* Whether this event is lost; it is counted then. */
static __always_inline bool budget_sheds(__u32 event)
{
	__u32 share;

	if (!has_budget)
		return false;
	share = budget_share(event);
	if (!share || (share != SHED_ALL && bpf_get_prandom_u32() >= share))
		return false;
	count_lost(event, LOSS_BUDGET);
	return true;
}

#endif
