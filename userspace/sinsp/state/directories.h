/* SPDX-License-Identifier: MIT */
/* The directories that the paths of an event start from. For the engine. */
#ifndef SINSP_STATE_DIRECTORIES_H
#define SINSP_STATE_DIRECTORIES_H

#include "sinsp/state/core.h"

/*
 * Brings the directory descriptors that the event's paths start from into the table of its thread,
 * so that the paths are known from then on without a look into /proc. Those of them that are not
 * there cost one lookup each, bounded as all; see state_fd().
 */
void state_find_directories(struct sinsp *sinsp, const struct state_plan *plan,
			    const struct state_event *event);

#endif
