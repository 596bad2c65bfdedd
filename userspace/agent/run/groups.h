/* SPDX-License-Identifier: MIT */
/*
 * Tells an input of which control groups the filter rejects all events, so that the kernel drops
 * them: decided again whenever a container comes or is described.
 */
#ifndef AGENT_RUN_GROUPS_H
#define AGENT_RUN_GROUPS_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/run/input.h"
#include "agent/plan/plan.h"
#include "sinsp/sinsp.h"

/* A zeroed struct begins with none told. */
struct groups {
	uint64_t revision; /* up to which they were told: see state_revision(); 0: none were */
	uint64_t forgotten; /* state_cgroups_forgotten() when all were told */
	uint64_t retold_ns; /* monotonic clock: when all were told again */
	bool failed; /* the input cannot keep more of them, or did not accept one again */
};

/* Whether their container is still asked about, so that it may turn out to be wanted. */
bool groups_are_pending(const struct plan *plan, const struct state_cgroups *cgroups);

/* Forgets what the input was told: the plan is another one. */
void groups_begin(struct groups *groups, struct input *input);

/* Between two events; cheap if nothing changed. now_ns: of the monotonic clock. */
void groups_step(struct groups *groups, struct input *input, const struct plan *plan,
		 const struct state *state, uint64_t now_ns);

#endif
