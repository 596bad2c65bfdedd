/* SPDX-License-Identifier: MIT */
/* The absolute paths of an event's parameters, from the tables. */
#ifndef SINSP_STATE_EVENT_PATH_H
#define SINSP_STATE_EVENT_PATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event/event.h"
#include "sinsp/state/thread.h"

/* sinsp_event_path() for an event that is being applied; `thread` may be NULL. */
size_t state_event_path(const struct event *ev, const struct sinsp_thread *thread,
			unsigned int param, char *out, size_t size);

/*
 * Whether a path starts from a directory, the descriptor `*dirfd` or AT_FDCWD_STORED: it is
 * relative, and the event has neither its real path nor the directory's.
 */
bool state_path_is_relative(const struct event *ev, unsigned int param, int64_t *dirfd);

enum { AT_FDCWD_STORED = -100 }; /* AT_FDCWD in events */

#endif
