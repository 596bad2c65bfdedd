/* SPDX-License-Identifier: MIT */
/*
 * Which threads are followed: a bit of each, set when the thread comes into the tables. For the
 * files of the engine alone; see sinsp_follow for what is asked for.
 */
#ifndef SINSP_STATE_FOLLOW_H
#define SINSP_STATE_FOLLOW_H

#include "sinsp/state/core.h"

/* A thread as /proc or a capture has it, with its parent. was_followed: before it was read again.
 */
void state_follow_loaded(struct sinsp *sinsp, struct sinsp_thread *thread, bool was_followed);

/* A thread that an event made. creator: NULL if it is not known. */
void state_follow_created(struct sinsp *sinsp, struct sinsp_thread *thread,
			  const struct sinsp_thread *creator);

/* A thread that has started another program. */
void state_follow_exec(struct sinsp *sinsp, struct sinsp_thread *thread);

#endif
