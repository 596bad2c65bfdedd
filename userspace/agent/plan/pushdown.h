/* SPDX-License-Identifier: MIT */
/* For which events the kernel may decide its part of the filter: those that nothing else needs. */
#ifndef AGENT_PLAN_PUSHDOWN_H
#define AGENT_PLAN_PUSHDOWN_H

#include "agent/plan/plan.h"

/* Fills the plan's kernel_filters, after its events were selected. */
void pushdown_make(struct plan *plan);

#endif
