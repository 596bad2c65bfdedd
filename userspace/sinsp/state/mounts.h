/* SPDX-License-Identifier: MIT */
/* Paths that change because a mount moves. For the files of the engine. */
#ifndef SINSP_STATE_MOUNTS_H
#define SINSP_STATE_MOUNTS_H

#include "sinsp/state/core.h"

/*
 * Updates the paths of the directory and the open files of a thread after a move. Those of other
 * processes are not updated, nor are paths that lead through a link.
 */
void state_apply_move(struct sinsp *sinsp, const struct state_move *move);

#endif
