/* SPDX-License-Identifier: MIT */
/* What an event leaves to be done: it was still to be seen with that event. */
#ifndef SINSP_STATE_AFTER_H
#define SINSP_STATE_AFTER_H

#include "sinsp/state/core.h"

/* Does what the last event left, before the next one is applied or the tables are read whole. */
void state_finish_last(struct sinsp *sinsp);

#endif
