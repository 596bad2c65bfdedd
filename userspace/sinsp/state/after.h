/* SPDX-License-Identifier: MIT */
/* Changes that are deferred until after an event, which must still see the old state. */
#ifndef SINSP_STATE_AFTER_H
#define SINSP_STATE_AFTER_H

#include "sinsp/state/core.h"

/*
 * Makes the deferred changes of the last event, before the next one is applied or the whole tables
 * are read.
 */
void state_finish_last(struct sinsp *sinsp);

#endif
