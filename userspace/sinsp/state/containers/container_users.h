/* SPDX-License-Identifier: MIT */
/*
 * Users and groups of a container, by their ids as the host sees them: from the files of the
 * container, which are read once, or from a capture.
 */
#ifndef SINSP_STATE_CONTAINERS_CONTAINER_USERS_H
#define SINSP_STATE_CONTAINERS_CONTAINER_USERS_H

#include "scap/proc/proc.h"
#include "sinsp/state/containers/users.h"

struct state_container_users {
	struct state_users users, groups;
	uint32_t refs; /* by containers of one table, which share equal ones */
	struct state_container_users *next, **link; /* of the list below; NULL: not in it */
};

/* Empty tables; NULL if out of memory. */
struct state_container_users *state_container_users_create(void);

/* Drops a reference; the last one frees them. Accepts NULL. */
void state_container_users_destroy(struct state_container_users *users);

/*
 * Containers of one image have the same users: returns equal tables of a list, in place of `users`,
 * which it owns, or adds these. Only as many are compared as an event can wait for.
 */
struct state_container_users *state_container_users_share(struct state_container_users **list,
							  struct state_container_users *users);

/* Whose users to read, and how. */
struct state_users_wanted {
	const char *id; /* of the container, whole */
	uint32_t owner; /* of it */
	const char *path; /* of its control groups, if their form does not show the id; else NULL */
	int64_t pid; /* a process in it */
};

/*
 * Reads /etc/passwd and /etc/group of a container through the root of one of its processes. Ids are
 * translated from the user namespace of that process. May wait for a disk. Returns 0, with NULL if
 * the container has neither file; -EAGAIN if its root is not ready yet; -ESRCH if the process
 * exited or is in no such container; another -errno if the files cannot be used, see
 * scap/proc/root.h.
 */
int state_container_users_read(struct scap_proc *proc, const struct state_users_wanted *wanted,
			       struct state_container_users **users);

#endif
