/* SPDX-License-Identifier: MIT */
/*
 * Users and groups of a container, by their ids as the host sees them: from the files of the
 * container, which are read once, or from a capture.
 */
#ifndef SINSP_TABLES_CONTAINER_USERS_H
#define SINSP_TABLES_CONTAINER_USERS_H

#include "scap/proc/proc.h"
#include "sinsp/tables/users.h"

struct sinsp_container_users {
	struct users users, groups;
};

/* Empty tables; NULL if out of memory. */
struct sinsp_container_users *sinsp_container_users_create(void);

/* Accepts NULL. */
void sinsp_container_users_destroy(struct sinsp_container_users *users);

/*
 * Reads /etc/passwd and /etc/group of the container `id` through the root of one of its processes.
 * path: of its control groups, if their form does not show the id; else NULL. Ids are translated
 * from the user namespace of that process. May wait for a disk. Returns 0, with NULL if the
 * container has neither file; -EAGAIN if its root is not ready yet; -ESRCH if the process exited or
 * is in no such container; another -errno if the files cannot be used, see scap/proc/root.h.
 */
int sinsp_container_users_read(struct scap_proc *proc, int64_t pid, const char *id,
			       const char *path, struct sinsp_container_users **users);

#endif
