/* SPDX-License-Identifier: MIT */
/* File systems of the kernel, such as tracefs, that may be mounted nowhere. */
#ifndef UTIL_KERNEL_FS_H
#define UTIL_KERNEL_FS_H

/*
 * Opens the root of a file system: `folder` if it has `entry`, that is, if it is mounted there;
 * else a mount of `type` that no other process sees. Returns a descriptor for openat(), or -errno.
 */
int kernel_fs_open(const char *type, const char *folder, const char *entry);

#endif
