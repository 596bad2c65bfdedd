/* SPDX-License-Identifier: MIT */
/* The control group whose programs see what any process of the machine sends. */
#ifndef SCAP_PROC_ROOT_GROUP_H
#define SCAP_PROC_ROOT_GROUP_H

#define SCAP_CGROUPS_PATH "/sys/fs/cgroup"

/*
 * Opens the root of the hierarchy of version 2, which is mounted on `path`, or beside hierarchies
 * of version 1 on path/unified, if this process may attach programs there. Returns a descriptor;
 * -ENOENT if the whole hierarchy is at neither place, -EPERM without CAP_NET_ADMIN, or another
 * -errno.
 */
int scap_root_group_open(const char *path);

#endif
