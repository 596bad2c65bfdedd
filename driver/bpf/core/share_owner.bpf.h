/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Whose share a task takes of what the kernel counts, so that nobody has all of it by acting as
 * many: neither with ids of a user namespace, or subordinate ones (subuid(5)), nor as root of a
 * container.
 */
#ifndef LANNER_SHARE_OWNER_BPF_H
#define LANNER_SHARE_OWNER_BPF_H

#include "bpf/core/kernel_structs.bpf.h"

enum {
	USER_NAMESPACES_MAX = 32, /* as deep as the kernel lets them be */
	/* Where and how many useradd(8) gives to each user by default. */
	SUBORDINATE_MIN = 100000,
	SUBORDINATE_COUNT = 65536,
};

#define SHARE_OF_USER (1ULL << 63)
#define SHARE_OF_RANGE (3ULL << 62)

/* The user, or who has made the user namespace that it is in. */
static __always_inline __u32 share_uid(struct task_struct *task)
{
	const struct cred *cred = READ(task, cred);
	struct user_namespace *ns = READ(cred, user_ns);

	for (int i = 0; i < USER_NAMESPACES_MAX && READ(ns, level) > 1; i++)
		ns = READ(ns, parent);
	return READ(ns, level) ? READ(ns, owner.val) : READ(cred, uid.val);
}

/* The control groups of a task in which containers are: of version 2, and where there are such, of 1. */
static __always_inline __u64 share_group(struct task_struct *task)
{
	struct css_set *set = READ(task, cgroups);
	struct cgroup_subsys_state *state = NULL;
	__u64 group = READ(set, dfl_cgrp, kn, id), memory;

	if (!bpf_core_enum_value_exists(enum cgroup_subsys_id, memory_cgrp_id))
		return group;
	memory = bpf_core_enum_value(enum cgroup_subsys_id, memory_cgrp_id);
	bpf_core_read(&state, sizeof(state), (void *)&set->subsys + memory * sizeof(state));
	return group << 31 ^ READ(state, cgroup, kn, id);
}

/* Of root the control group. */
static __always_inline __u64 share_owner(struct task_struct *task)
{
	__u32 uid = share_uid(task);

	if (!uid)
		return share_group(task) & ~SHARE_OF_RANGE;
	if (uid < SUBORDINATE_MIN)
		return SHARE_OF_USER | uid;
	return SHARE_OF_RANGE | (uid - SUBORDINATE_MIN) / SUBORDINATE_COUNT;
}

#endif
