/* SPDX-License-Identifier: MIT */
/*
 * The users of containers on a live machine: whose are to be read, by another thread, and what it
 * read. Without that thread they stay unknown.
 */
#ifndef SINSP_STATE_CONTAINER_USERS_LIVE_H
#define SINSP_STATE_CONTAINER_USERS_LIVE_H

#include <stdbool.h>

#include "sinsp/state/container_users.h"

struct sinsp;
struct sinsp_thread;

/*
 * Gets the next container whose users are to be read, with sinsp_container_users_read(); its texts
 * are valid until the next event. Cheap enough for each event. Returns false if there is none.
 */
bool sinsp_take_users_wanted(struct sinsp *sinsp, struct sinsp_users_wanted *wanted);

/*
 * Sets the result of that; owns `users`. If the process exited, or had no root of its own, another
 * one is asked for when there is one. Does nothing if there is no such container any more.
 */
void sinsp_set_users(struct sinsp *sinsp, const char *id, uint32_t owner, int result,
		     struct sinsp_container_users *users);

/* The engine's /proc for the thread that reads; NULL: it has none. Returns 0 or -errno. */
int sinsp_copy_proc(const struct sinsp *sinsp, struct scap_proc **proc);

/*
 * The users of the thread's container can be read through its root, once for each container. Until
 * they are, they are unknown. To be called for threads that were loaded, and after an exec: a
 * runtime's process is in the groups of a container before it has its root.
 */
void state_learn_users(struct sinsp *sinsp, const struct sinsp_thread *thread);

#endif
