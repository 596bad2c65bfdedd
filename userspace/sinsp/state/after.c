/* SPDX-License-Identifier: MIT */
/* After an event: makes its deferred changes, such as closing a descriptor. */
#include "sinsp/state/after.h"

#include "sinsp/state/mounts.h"

void state_finish(struct sinsp *sinsp)
{
	struct state_after *after = &sinsp->after;

	if (after->renamed)
		after->renamed->name_changed = false;
	if (after->closed_in)
		sinsp_fds_close(after->closed_in, after->closed);
	if (after->ended)
		sinsp_threads_end(&sinsp->threads, after->ended);
	if (after->moved)
		state_apply_move(sinsp, &sinsp->move);
	*after = (struct state_after){0};
}
