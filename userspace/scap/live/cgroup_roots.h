/* SPDX-License-Identifier: MIT */
/*
 * The control groups in which the agent's cgroup namespace begins, as only a BPF program can read
 * them: to a process in such a namespace the kernel shows no path above it. And its own groups, to
 * prove that user space finds the same key of groups as the programs.
 */
#ifndef SCAP_LIVE_CGROUP_ROOTS_H
#define SCAP_LIVE_CGROUP_ROOTS_H

#include <stdbool.h>

#include "scap/live/load.h"

/* Whether the caller has another cgroup namespace than the machine. */
bool live_cgroup_roots_differ(void);

/*
 * Has the program of a loaded object write them into the first scratch slot: "name=/path" and a NUL
 * each. Nothing may be attached yet. Returns their bytes, 0 if the two do not differ, or -errno.
 */
int live_cgroup_roots_run(const struct live_object *object);

/*
 * Has a program write the groups of this process into the second slot, likewise: the key, as the
 * programs make it, of 8 bytes, then "name=/path" and a NUL each. Returns their bytes, 0 if no
 * groups are compared, or -errno.
 */
int live_own_groups_run(const struct live_object *object);

#endif
