/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Whose share a task takes of what the kernel counts, so that nobody has all of it by acting as
 * many: neither with ids of a user namespace, or subordinate ones (subuid(5)), nor as root of a
 * container.
 */
#ifndef LANNER_SHARE_OWNER_BPF_H
#define LANNER_SHARE_OWNER_BPF_H

#include "bpf/core/kernel_structs.bpf.h"
#include "share_range.h"

enum {
	USER_NAMESPACES_MAX = 32, /* as deep as the kernel lets them be */
	SHARE_RANGES_STEPS = 9, /* of a search among SHARE_RANGES_MAX */
};

#define SHARE_OF_USER (1ULL << 63)
#define SHARE_OF_ENDING 1ULL

const volatile __u32 share_ranges_count;
const volatile struct share_range share_ranges[SHARE_RANGES_MAX]; /* by their ids, apart */

/* Whom an id is given to: itself, if it is in no range. */
static __always_inline __u32 share_of_id(__u32 uid)
{
	__u32 low = 0, high = share_ranges_count;

	for (int i = 0; i < SHARE_RANGES_STEPS && low < high; i++) {
		__u32 at = (low + high) / 2;

		__asm__ volatile("" : "+r"(at)); /* what is compared is what is used */
		if (at >= SHARE_RANGES_MAX)
			break;
		if (uid < share_ranges[at].first)
			high = at;
		else if (uid - share_ranges[at].first >= share_ranges[at].count)
			low = at + 1;
		else
			return share_ranges[at].owner;
	}
	return uid;
}

/*
 * The user, or who has made the user namespace that it is in: as the task is, not as what it acts for
 * in a call, such as the file system of a container.
 */
static __always_inline __u32 share_uid(struct task_struct *task)
{
	const struct cred *cred = READ(task, real_cred);
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

/*
 * Of a task that is not in the machine's pid namespace, the outermost one that is its container's: none
 * of the namespaces and control groups that are made in there leads out of it. Of one whose ids are given
 * back already it is not known; those of root have a share together.
 */
static __always_inline __u64 share_container(struct task_struct *task)
{
	struct pid *pid = READ(task, thread_pid);
	struct upid *upid;

	if (!pid)
		return SHARE_OF_ENDING;
	upid = (void *)&pid->numbers[0] + bpf_core_type_size(struct upid);
	return READ(pid, level) ? (__u64)READ(upid, ns) : 0;
}

/* Of root the container, or the control group. */
static __always_inline __u64 share_owner(struct task_struct *task)
{
	__u32 uid = share_of_id(share_uid(task));
	__u64 container;

	if (uid)
		return SHARE_OF_USER | uid;
	container = share_container(task);
	return (container ? container : share_group(task)) & ~SHARE_OF_USER;
}

#endif
