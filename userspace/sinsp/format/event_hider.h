/* SPDX-License-Identifier: MIT */
/* Events of executions without the secrets in their lists of arguments and of the environment. */
#ifndef SINSP_FORMAT_EVENT_HIDER_H
#define SINSP_FORMAT_EVENT_HIDER_H

#include "sinsp/fields/text_value.h"
#include "sinsp/state/event.h"
#include "util/buf.h"

/* A zeroed struct is ready; it keeps its memory from event to event. */
struct event_hider {
	struct state_event copy; /* its lists are in `lists` */
	struct buf lists; /* owned */
};

/*
 * Returns the event as it is shown: itself if it has no lists or nothing hides them, else a copy
 * that is valid until the next call. Without memory a list is left out.
 */
const struct state_event *event_hider_apply(struct event_hider *hider, const struct text_hider *how,
					    const struct state_event *event);

void event_hider_finish(struct event_hider *hider);

#endif
