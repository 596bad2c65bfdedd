/* SPDX-License-Identifier: MIT */
/*
 * Threads and descriptors from the tables, or, once each, from /proc, which only the state engine
 * reads, while it applies an event. NULL if not found there either.
 */
#ifndef SINSP_STATE_LOOKUP_H
#define SINSP_STATE_LOOKUP_H

#include "sinsp/state/core.h"

struct sinsp_thread *state_thread(struct sinsp *sinsp, int64_t tid);
struct sinsp_fd *state_fd(struct sinsp *sinsp, struct sinsp_thread *thread, int64_t num);

/*
 * A descriptor that is that file by the kernel (ino 0: it does not say). An entry of another one,
 * which must have arrived unseen, is replaced. A name in /proc counts only if it is of this file.
 */
struct sinsp_fd *state_fd_of_file(struct sinsp *sinsp, struct sinsp_thread *thread, int64_t num,
				  const struct frame_file *file);

/* Keeps which file an entry is. */
void state_note_file(struct sinsp_fd *fd, const struct frame_file *file);

/* Replaces a descriptor that the event does not describe by the one in /proc. */
struct sinsp_fd *state_replace_fd(struct sinsp *sinsp, struct state_event *event, int64_t num);

/*
 * Reads the directory that a relative name of the event starts from, its current one or that of a
 * descriptor, if it is not kept; it becomes unknown if it cannot be read.
 */
void state_look_up_base(struct sinsp *sinsp, struct state_event *event, int64_t dirfd);

/*
 * Replaces a thread's current directory by that in /proc. Returns false, and changes nothing, if
 * that is unknown.
 */
bool state_look_up_cwd(struct sinsp *sinsp, struct sinsp_thread *thread);

#endif
