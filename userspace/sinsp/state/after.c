/* SPDX-License-Identifier: MIT */
/* The end of an event: what it closed, ended or moved. */
#include "sinsp/state/after.h"

#include "sinsp/state/mounts.h"

void state_finish(struct sinsp *sinsp)
{
	struct state_after *after = &sinsp->after;

	if (after->closed_in)
		sinsp_fds_close(after->closed_in, after->closed);
	if (after->emptied)
		sinsp_fds_close_range(after->emptied, 0, UINT32_MAX);
	if (after->ended)
		sinsp_threads_end(&sinsp->threads, after->ended);
	if (after->moved)
		state_apply_move(sinsp, &sinsp->move);
	*after = (struct state_after){0};
}
