/* SPDX-License-Identifier: MIT */
/*
 * Regular files that others choose, opened for reading. It is known what a file is before it is
 * opened: to open a device can have effects, and a FIFO blocks.
 */
#ifndef UTIL_REGULAR_H
#define UTIL_REGULAR_H

/*
 * Opens a file for reading that was opened with O_PATH, without waiting. Returns a descriptor;
 * -EINVAL if it is not a regular file; or another -errno.
 */
int regular_reopen(int path_fd);

/* Opens a path for reading, which links may lead to. Returns as regular_reopen(). */
int regular_open(const char *path);

#endif
