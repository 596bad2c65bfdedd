/* SPDX-License-Identifier: MIT */
/* The directories that the paths of an event start from. For the engine. */
#ifndef SINSP_STATE_DIRECTORIES_H
#define SINSP_STATE_DIRECTORIES_H

#include "sinsp/state/core.h"

/*
 * Looks up the directory descriptors that the event's paths start from, so that its thread's table
 * has them when the paths are resolved. Unknown ones cost one lookup in /proc each, limited as for
 * all descriptors; see state_fd().
 */
void state_find_directories(struct sinsp *sinsp, const struct state_plan *plan,
			    const struct state_event *event);

#endif
