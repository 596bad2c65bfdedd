/* SPDX-License-Identifier: MIT */
/* One description of a container made of two: what was known, and what came later. */
#ifndef SINSP_STATE_CONTAINER_MERGE_H
#define SINSP_STATE_CONTAINER_MERGE_H

#include "sinsp/state/container.h"

/*
 * Completes `info`, which came later, by copies of what was known. What was known stays, so that
 * all events of the container have the same values, except for its name and its addresses, which
 * can change. Returns 1 if `info` says more or something else now, 0 if it says what was known, or
 * -ENOMEM.
 */
int container_merge(struct sinsp_container_info *info, const struct sinsp_container_info *known);

#endif
