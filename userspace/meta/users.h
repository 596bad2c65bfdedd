/* SPDX-License-Identifier: MIT */
/*
 * Reads the users of containers through the roots of their processes, which may wait for a disk, on
 * a thread of its own: a runtime that hangs does not hold it up. Its updates are of META_USERS.
 */
#ifndef META_USERS_H
#define META_USERS_H

#include "meta/sink.h"
#include "meta/thread.h"

struct meta_users;

/* The queue of requests, with one reference; NULL if out of memory. */
struct meta_users *meta_users_create(void);
void meta_users_unref(struct meta_users *users); /* accepts NULL */

/*
 * Starts the thread, which has references of its own. Owns `proc` from here on, also after a
 * failure. Returns 0 or -errno.
 */
int meta_users_start(struct meta_users *users, struct scap_proc *proc, struct meta_sink *out,
		     struct meta_thread **thread);

/* Adds a request; its texts are copied. Returns 0 or -ENOMEM. */
int meta_users_add(struct meta_users *users, const struct sinsp_users_wanted *wanted);

#endif
