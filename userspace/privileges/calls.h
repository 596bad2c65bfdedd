/* SPDX-License-Identifier: MIT */
/*
 * Filters of system calls (seccomp): a thread can make the calls that its role needs, and no
 * others. Built with libseccomp, or empty without it.
 */
#ifndef PRIVILEGES_CALLS_H
#define PRIVILEGES_CALLS_H

#include <stdbool.h>

#include "privileges/privileges.h"

/* Whether this build and the kernel have filters. */
bool calls_can_be_limited(void);

/*
 * Limits the calling thread, and those that it will create. reloads: regular expressions can be
 * compiled, and another process opens rings. log: the kernel logs a call that is
 * not in the list, and lets it pass. Other calls return EPERM; ENOSYS if libraries know another way
 * then. Needs no_new_privs. Returns 0 or -errno.
 */
int calls_limit(enum privileges_role role, bool reloads, bool log);

#endif
