/* SPDX-License-Identifier: MIT */
/* The plans of all events, from their descriptors and rules. */
#ifndef SINSP_ENGINE_PLANS_H
#define SINSP_ENGINE_PLANS_H

#include "sinsp/state/plan.h"

/* Fills a plan for each event id. */
void state_plans_make(struct state_plan plans[EVENT_ID_MAX]);

#endif
