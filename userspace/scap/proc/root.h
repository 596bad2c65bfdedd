/* SPDX-License-Identifier: MIT */
/*
 * Files below the root of another process, such as one of a container, which may be hostile:
 * symbolic links stay below that root, only regular files are read, and nothing is asked of a file
 * system that a program or a server answers for, since that could take forever.
 */
#ifndef SCAP_PROC_ROOT_H
#define SCAP_PROC_ROOT_H

#include <stdbool.h>
#include <stdint.h>

#include "util/buf.h"

struct proc_root {
	int dir; /* -1: not open */
	struct buf mounts; /* what the process sees of its mounts */
};

/*
 * Opens the root of a process whose directory in /proc is `process`. Returns 0; -EAGAIN if it is
 * that of the machine, as long as a runtime prepares a container; -EOPNOTSUPP if its file system is
 * not known to answer by itself; -ESRCH if the process exited; or another -errno. Close it in every
 * case.
 */
int proc_root_open(struct proc_root *root, int proc, int process);
void proc_root_close(struct proc_root *root);

/*
 * Reads a file of at most `max` bytes, whose path is relative; followed by a NUL that `text->len`
 * does not count. Returns 0, -ENOENT, -EFBIG, -EINVAL if it is no regular file, -EXDEV or
 * -EOPNOTSUPP if the way to it leads to another mount, or another -errno.
 */
int proc_root_read(const struct proc_root *root, const char *path, size_t max, struct buf *text);

/*
 * Opens a path below a folder with O_PATH and further flags of open(2). resolve: RESOLVE_... of
 * openat2(2); links of /proc that lead anywhere are never followed. Returns a descriptor or -errno.
 */
int proc_root_open_path(int dir, const char *path, uint64_t flags, uint64_t resolve);

/*
 * Whether a user mounted the file system that an open file is on, and answers for it (FUSE). True
 * also if that cannot be known.
 */
bool proc_mount_is_of_user(int fd);

/*
 * Whether a server answers for an open file (FUSE), whoever mounted it, by the mounts of a process,
 * as below. True also if that cannot be known.
 */
bool proc_mount_is_served_as(int fd, int dir, const char *mountinfo);

/*
 * Whether a user mounted the file system of a file that another process sees, whose mounts are in
 * the file `mountinfo` of a folder: "123/mountinfo". True also if that cannot be known.
 */
bool proc_mount_is_of_user_as(int fd, int dir, const char *mountinfo);

#endif
