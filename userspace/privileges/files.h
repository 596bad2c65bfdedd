/* SPDX-License-Identifier: MIT */
/*
 * Landlock: a thread can use only the files that it is for, and execute none. It is not for
 * threads that read /proc: the kernel then hides all other processes' programs, directories and
 * descriptors (a ptrace check), whatever capabilities there are.
 */
#ifndef PRIVILEGES_FILES_H
#define PRIVILEGES_FILES_H

#include <stdbool.h>

/* Whether the kernel has Landlock. */
bool files_can_be_limited(void);

struct files_rule {
	const char *path; /* and all below it */
	bool writes; /* created, written, renamed and removed; otherwise only read */
};

struct files_limits {
	const struct files_rule *rules; /* the last one has no path */
	bool reads; /* what no rule names cannot even be read */
};

/*
 * Limits the calling thread, and those that it will create. A path that does not exist stands for
 * its folder if it is written, and for nothing if that is missing, too. Needs no_new_privs. Returns
 * 0 or -errno.
 */
int files_limit(const struct files_limits *limits);

#endif
