/* SPDX-License-Identifier: MIT */
/*
 * What the kernel need not report, as the filter rejects it: all events of a control group, as far
 * as its container alone decides, or of a process. Decided again when a container or a process
 * changes.
 */
#ifndef AGENT_RUN_MUTES_H
#define AGENT_RUN_MUTES_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/plan/plan.h"
#include "agent/input/input.h"
#include "sinsp/sinsp.h"

/* Of which control groups an input was told. A zeroed struct begins with none. */
struct mute_groups {
	uint64_t revision; /* up to which they were told: see state_revision(); 0: none were */
	uint64_t forgotten; /* state_cgroups_forgotten() when all were told */
	uint64_t retold_ns; /* monotonic clock: when all were told again */
	bool failed; /* the input cannot keep more of them, or did not accept one again */
};

/* Whether their container is still asked about, so that it may turn out to be wanted. */
bool mute_groups_are_pending(const struct plan *plan, const struct state_cgroups *cgroups);

/* Forgets what the input was told: the plan is another one. */
void mute_groups_begin(struct mute_groups *groups, struct input *input);

/* Between two events; cheap if nothing changed. now_ns: of the monotonic clock. */
void mute_groups_step(struct mute_groups *groups, struct input *input, const struct plan *plan,
		      const struct state *state, uint64_t now_ns);

/*
 * Mutes processes: where the filter rejects all events of a process, whatever they are, the kernel
 * drops its calls, also those that the state would need. Only processes that have many events are,
 * as each costs some calls of the kernel.
 *
 * No change may be missed. So the agent first proposes the process to the kernel. When all events
 * before that have been handled, the filter decides, and the process is muted unless the kernel has
 * seen a change in the meantime. From the next change on, the kernel drops nothing more.
 */
struct mute;

enum { MUTES_LISTED_MAX = 8 }; /* so many are decided in a step at most: each may be a walk */

/* Zeroed, none is muted. */
struct mutes {
	struct mute *list; /* owned: MUTED_MAX of them, by the process; NULL: none was needed yet */
	int64_t listed[MUTES_LISTED_MAX]; /* processes to look at in the next step */
	uint32_t listed_count;
	uint32_t count; /* muted now */
	uint64_t total; /* muted so far, each time */
	uint64_t now_ns; /* time of the last event */
	uint64_t revision; /* state_revision() when all were decided last */
	uint64_t decided_ns; /* monotonic clock: when that was */
};

/* What they are about: all borrowed. */
struct mutes_scene {
	struct input *input;
	const struct plan *plan;
	struct state *state;
};

/* None is muted any more, before the plan becomes another one. */
void mutes_begin(struct mutes *mutes, const struct mutes_scene *scene);
void mutes_finish(struct mutes *mutes);

/* After the last use of each event. passed: it passed the filter. */
void mutes_note(struct mutes *mutes, const struct mutes_scene *scene,
		const struct state_event *event, bool passed);

/* Between two events; cheap if nothing changed. now_ns: of the monotonic clock. */
void mutes_step(struct mutes *mutes, const struct mutes_scene *scene, uint64_t now_ns);

#endif
