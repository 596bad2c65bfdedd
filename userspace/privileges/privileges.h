/* SPDX-License-Identifier: MIT */
/*
 * What the threads of the agent may do once a capture runs: each enters its role when it begins,
 * and keeps the privileges of that role alone. One policy for the process, as privileges are the
 * process's.
 */
#ifndef PRIVILEGES_PRIVILEGES_H
#define PRIVILEGES_PRIVILEGES_H

#include "privileges/files.h"
#include "privileges/keep.h"
#include "util/buf.h"
#include "util/error.h"

enum privileges_mode {
	PRIVILEGES_KEEP, /* nothing is dropped */
	PRIVILEGES_DROP,
	/* The same, but calls that are not in the list are logged and allowed, and files are not
	   limited, as the kernel cannot only log that. */
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
