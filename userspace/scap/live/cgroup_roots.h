/* SPDX-License-Identifier: MIT */
/*
 * The control groups in which the agent's cgroup namespace begins, as only a BPF program can read
 * them: to a process in such a namespace the kernel shows no path above it.
 */
#ifndef SCAP_LIVE_CGROUP_ROOTS_H
#define SCAP_LIVE_CGROUP_ROOTS_H

#include <stdbool.h>

#include "scap/live/object.h"
#include "util/buf.h"

struct scratch_slot;

/* Whether the caller has another cgroup namespace than the machine. */
bool live_cgroup_roots_differ(void);

/*
 * Appends them, "name=/path" and a NUL each; nothing if they do not differ. The object is loaded,
 * nothing is attached, and the slots are mapped. Returns 0 or -errno.
 */
int live_cgroup_roots_read(const struct live_object *object, const struct scratch_slot *slots,
			   struct buf *roots);

#endif
