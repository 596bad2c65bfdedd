/* SPDX-License-Identifier: MIT */
/*
 * Reads the users of containers through the roots of their processes, which may wait for a disk, on
 * a thread of its own: a runtime that hangs does not hold it up. Its updates are of META_USERS.
 */
#ifndef META_USERS_H
#define META_USERS_H

#include "meta/requests.h"
#include "meta/sink.h"
#include "meta/thread.h"

/*
 * Starts the thread, which has references of its own: to `in`, the requests for users, and `out`.
 * Owns `proc` from here on, also after a failure. Returns 0 or -errno.
 */
int meta_users_start(struct meta_requests *in, struct scap_proc *proc, struct meta_sink *out,
		     struct meta_thread **thread);

#endif
