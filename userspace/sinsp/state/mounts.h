/* SPDX-License-Identifier: MIT */
/* Paths that change because a mount moves. For the files of the engine. */
#ifndef SINSP_STATE_MOUNTS_H
#define SINSP_STATE_MOUNTS_H

#include "sinsp/state/core.h"

/*
 * Gives the directory and the open files of a thread the paths that they have after a move. Those
 * of other processes keep theirs, as does what was named through a link.
 */
void state_apply_move(struct sinsp *sinsp, const struct state_move *move);

#endif
