/* SPDX-License-Identifier: MIT */
/* What a process that was forked to help this one does first. */
#ifndef PRIVILEGES_HELPER_PROCESS_H
#define PRIVILEGES_HELPER_PROCESS_H

#include <stddef.h>

enum {
	HELPER_FD = 3, /* the first descriptor that it keeps */
	HELPER_FDS_MAX = 64,
};

/*
 * Takes a name; ignores signals of a terminal and of a service manager: they are for the agent,
 * with which it ends. Keeps standard error alone, and `fds` as HELPER_FD and those that follow.
 * Returns 0 or -errno.
 */
int helper_process_begin(const char *name, const int *fds, size_t count);

#endif
