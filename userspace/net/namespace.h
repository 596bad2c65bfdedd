/* SPDX-License-Identifier: MIT */
/*
 * Network namespaces of processes: opened by the process or by the number that events have, entered
 * by the calling thread alone, and whether devices join two of them. To enter one takes
 * CAP_SYS_ADMIN.
 */
#ifndef NET_NAMESPACE_H
#define NET_NAMESPACE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Opens the namespace of a process; proc: its folder "/proc", or that of the host. *ino becomes its
 * number. Returns a descriptor, or -errno.
 */
int namespace_open(const char *proc, int32_t pid, uint64_t *ino);

/* Opens the one with that number, by any process in it: looks at all. Returns the same; -ESRCH:
 * none. */
int namespace_search(const char *proc, uint64_t ino);

/* Brings the calling thread into it. Returns 0 or -errno. */
int namespace_enter(int fd);

/*
 * Whether the namespace that the thread is in has a device whose other end is in that of `fd`, as
 * those of pods are joined to the node's. Returns 1, 0, or -errno.
 */
int namespace_is_joined(int fd);

#endif
