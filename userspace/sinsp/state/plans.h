/* SPDX-License-Identifier: MIT */
/* The plans of all events, from their descriptors and rules. */
#ifndef SINSP_STATE_PLANS_H
#define SINSP_STATE_PLANS_H

#include "sinsp/state/plan.h"

/* A plan for each event id below EVENT_ID_MAX; made by the first call, and never freed. */
const struct state_plan *state_plans(void);

#endif
