/* SPDX-License-Identifier: MIT */
/*
 * Which threads are followed: a flag of each, set when the thread is added to the tables. Only for
 * the files of the engine; see sinsp_follow for the options.
 */
#ifndef SINSP_STATE_FOLLOW_H
#define SINSP_STATE_FOLLOW_H

#include "sinsp/state/core.h"

/* A thread loaded from /proc or a capture, its parent set. was_followed: before it was reloaded. */
void state_follow_loaded(struct sinsp *sinsp, struct sinsp_thread *thread, bool was_followed);

/* A thread added by an event. creator: NULL if unknown. */
void state_follow_created(struct sinsp *sinsp, struct sinsp_thread *thread,
			  const struct sinsp_thread *creator);

/* A thread that has called exec. */
void state_follow_exec(struct sinsp *sinsp, struct sinsp_thread *thread);

#endif
