/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * How a thread goes off its CPU, as the scheduler knows it when it switches to another one: for the
 * profile, and for where the time of requests goes.
 */
#ifndef LANNER_SWITCHED_BPF_H
#define LANNER_SWITCHED_BPF_H

#include "bpf/core/kernel_structs.bpf.h"

struct task_struct___new {
	unsigned int __state;
} __attribute__((preserve_access_index));

struct task_struct___old {
	long state;
} __attribute__((preserve_access_index));

struct task_struct___io {
	unsigned int in_iowait : 1;
} __attribute__((preserve_access_index));

/* cgroup.freeze; kernels without control groups have none */
struct task_struct___frozen {
	unsigned int frozen : 1;
} __attribute__((preserve_access_index));

enum {
	TASK_INTERRUPTIBLE_BIT = 0x1, /* any signal ends what it waits for */
	TASK_DEAD_BITS = 0x80 | 0x10 | 0x20, /* TASK_DEAD, EXIT_DEAD, EXIT_ZOMBIE */
	/*
	 * __TASK_STOPPED, __TASK_TRACED, and TASK_FROZEN: f5d39b020809 ("freezer,sched: Rewrite
	 * core freezer logic"), 6.1. Before, who is frozen is not interruptible.
	 */
	TASK_HELD_BITS = 0x4 | 0x8 | 0x8000,
	TASK_WAKING_BIT = 0x200, /* another CPU has woken it, while it went off its own */
};

/* 2f064a59a11f ("sched: Change task_struct::state"), 5.14 */
static __always_inline __u64 task_state(struct task_struct *task)
{
	struct task_struct___new *has_new = (void *)task;
	struct task_struct___old *has_old = (void *)task;

	if (bpf_core_field_exists(has_new->__state))
		return BPF_CORE_READ(has_new, __state);
	return BPF_CORE_READ(has_old, state);
}

/* Whether it sleeps, as it may in any call, until its control group is let go on. */
static __always_inline bool task_is_frozen(struct task_struct *task)
{
	struct task_struct___frozen *has_frozen = (void *)task;

	return bpf_core_field_exists(has_frozen->frozen) &&
	       BPF_CORE_READ_BITFIELD_PROBED(has_frozen, frozen);
}

/* Whether it waits for what counts as input and output: disks, and pages that come from them. */
static __always_inline bool task_waits_for_io(struct task_struct *task)
{
	struct task_struct___io *has_io = (void *)task;

	return BPF_CORE_READ_BITFIELD_PROBED(has_io, in_iowait);
}

#endif
