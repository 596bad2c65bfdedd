/* SPDX-License-Identifier: MIT */
/*
 * Threads and descriptors from the tables, or once from /proc: only the state engine looks there,
 * while it applies an event. NULL if it is not known there either.
 */
#ifndef SINSP_STATE_LOOKUP_H
#define SINSP_STATE_LOOKUP_H

#include "sinsp/state/core.h"

struct sinsp_thread *state_thread(struct sinsp *sinsp, int64_t tid);
struct sinsp_fd *state_fd(struct sinsp *sinsp, struct sinsp_thread *thread, int64_t num);

/* A number of the event's thread is something that the event does not tell: /proc is asked. */
struct sinsp_fd *state_replace_fd(struct sinsp *sinsp, struct state_event *event, int64_t num);

/*
 * Puts the directory where /proc says that a thread is now in place of its own. Returns false, and
 * changes nothing, when that is not known.
 */
bool state_look_up_cwd(struct sinsp *sinsp, struct sinsp_thread *thread);

#endif
