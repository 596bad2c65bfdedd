/* SPDX-License-Identifier: MIT */
/*
 * Files that only root, or the user who owns a container, can have written. Paths are those that
 * processes name: they may lead anywhere, and to files that never answer.
 */
#ifndef META_FILES_OWNED_H
#define META_FILES_OWNED_H

#include <stdint.h>

/*
 * Opens a file by its absolute path below `root`, a prefix or "", without effects on what it is
 * (O_PATH). All folders on the way are root's or the owner's, the file is the owner's, and nobody
 * else may write them. Symbolic links are followed where only root can have made them. The agent's
 * own user counts as root. Returns a descriptor, which may be a folder's; -ENOENT; -EPERM if others can have put something
 * there; or another -errno.
 */
int owned_open(const char *root, const char *path, uint32_t owner);

#endif
