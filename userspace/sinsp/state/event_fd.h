/* SPDX-License-Identifier: MIT */
/*
 * The descriptors and directories of an event, and the absolute paths of its parameters. For the
 * files that apply events.
 */
#ifndef SINSP_STATE_EVENT_FD_H
#define SINSP_STATE_EVENT_FD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event/event.h"
#include "sinsp/state/core.h"
#include "sinsp/state/thread.h"

/* The directories that the paths of an event start from. For the engine. */

/*
 * Looks up the directory descriptors that the event's paths start from, so that its thread's table
 * has them when the paths are resolved. Unknown ones cost one lookup in /proc each, limited as for
 * all descriptors; see state_look_up_fd().
 */
void state_find_directories(struct state *state, const struct state_plan *plan,
			    const struct apply_event *event);

/* Changes to the descriptors of an event's thread. For the files that apply events. */

/* Opens a number of the event's thread as a descriptor of that kind. NULL if it is rejected. */
struct state_fd *state_open_fd(struct apply_event *event, int64_t num, enum scap_fd_type type,
			       bool cloexec);

/* Sets the event's descriptor. */
void state_set_fd(struct apply_event *event, int64_t num, struct state_fd *fd);

/* Gives the event's descriptor another name, if it is another, and notes that. */
void state_rename_fd(struct state *state, struct apply_event *event, const char *name, size_t len);

/* The absolute paths of an event's parameters, from the tables. */

/* state_event_path() for an event that is being applied; `thread` may be NULL. */
size_t apply_event_path(const struct event *ev, const struct state_thread *thread,
			unsigned int param, char *out, size_t size);

/*
 * Whether a path starts from a directory, the descriptor `*dirfd` or AT_FDCWD_STORED: it is
 * relative, and the event has neither its real path nor the directory's.
 */
bool state_path_is_relative(const struct event *ev, unsigned int param, int64_t *dirfd);

enum { AT_FDCWD_STORED = -100 }; /* AT_FDCWD in events */

#endif
