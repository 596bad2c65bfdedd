/* SPDX-License-Identifier: MIT */
/*
 * Whose share a process takes of what user space gives out, as driver/bpf/core/share_owner.bpf.h
 * says it in the kernel: a user with the ids that are theirs, of root a container, or a control
 * group.
 */
#ifndef SCAP_PROC_SHARE_H
#define SCAP_PROC_SHARE_H

#include <stddef.h>
#include <stdint.h>

#include "share_range.h"

/* The ranges of a machine: see subuid_read(). */
struct share_ranges {
	struct share_range all[SHARE_RANGES_MAX];
	size_t count;
};

/* Whom an id is given to: itself, if it is in no range. */
uint32_t share_uid(const struct share_ranges *ranges, uint32_t uid);

/* What tells a user from others, and from control groups. */
uint64_t share_of_user(uint32_t uid);

/*
 * Of a process by its files below `proc`, a path: of its user, or who made the user namespace that
 * it is in. One that is gone is of root, in no group.
 */
uint64_t share_of_process(const struct share_ranges *ranges, const char *proc, int32_t pid);

/*
 * Of a file that a process has, by the user of the file. Root's files, as anybody has them, also by
 * mounts of their own, and those of ids that only the user namespace of the process has, are of the
 * process.
 */
uint64_t share_of_file(const struct share_ranges *ranges, const char *proc, int32_t pid,
		       uint32_t uid);

#endif
