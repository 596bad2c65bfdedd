/* SPDX-License-Identifier: MIT */
/* Changes that are deferred until after an event, which must still see the old state. */
#ifndef SINSP_STATE_AFTER_H
#define SINSP_STATE_AFTER_H

#include "sinsp/state/core.h"

/* For state_finish_last(). */
void state_finish(struct sinsp *sinsp);

/*
 * Makes the deferred changes of the last event, before the next one is applied or the whole tables
 * are read.
 */
static inline void state_finish_last(struct sinsp *sinsp)
{
	if (sinsp->after.pending)
		state_finish(sinsp);
}

#endif
