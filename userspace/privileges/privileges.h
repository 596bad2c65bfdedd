/* SPDX-License-Identifier: MIT */
/*
 * What the threads of the agent may do once a capture runs, and what a process that was forked to
 * help does first.
 */
#ifndef PRIVILEGES_PRIVILEGES_H
#define PRIVILEGES_PRIVILEGES_H

#include <stddef.h>

#include "privileges/files.h"
#include "privileges/keep.h"
#include "util/buf.h"
#include "util/error.h"

/* What a process that was forked to help this one does first. */

enum {
	HELPER_FD = 3, /* the first descriptor that it keeps */
	HELPER_FDS_MAX = 64,
};

/*
 * Takes a name; ignores signals of a terminal and of a service manager: they are for the agent,
 * with which it ends. Keeps standard error alone, and `fds` as HELPER_FD and those that follow.
 * Returns 0 or -errno.
 */
int privileges_begin_helper(const char *name, const int *fds, size_t count);

/*
 * What the threads of the agent may do once a capture runs: each enters its role when it begins,
 * and keeps the privileges of that role alone. One policy for the process, as privileges are the
 * process's.
 */

enum privileges_mode {
	PRIVILEGES_KEEP, /* nothing is dropped */
	PRIVILEGES_DROP,
	/* As PRIVILEGES_DROP, but calls that are not in the list are logged and allowed, and files
	   are not limited, as the kernel cannot only log that. */
	PRIVILEGES_LOG,
	PRIVILEGES_MODES,
};

/* Sets the policy, before the first other thread begins. Without this nothing is dropped. */
void privileges_set(enum privileges_mode mode, const struct privileges_needs *needs);

/*
 * Limits the calling thread, and those that it will create, to a role. files: those that it uses;
 * NULL: any. Only for roles that do not read /proc; it is ignored by others, and by kernels without
 * Landlock. Returns 0, or -errno with a
 * message: the thread must not go on.
 */
int privileges_enter(enum privileges_role role, const struct files_limits *files,
		     struct error *err);

/* Appends what privileges_enter() does for the event thread, as whole lines; nothing in mode KEEP.
 */
void privileges_append(struct buf *out);

#endif
