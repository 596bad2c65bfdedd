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

enum { TASK_DEAD_BITS = 0x80 | 0x10 | 0x20 }; /* TASK_DEAD, EXIT_DEAD, EXIT_ZOMBIE */

/* 2f064a59a11f ("sched: Change task_struct::state"), 5.14 */
static __always_inline __u64 task_state(struct task_struct *task)
{
	struct task_struct___new *has_new = (void *)task;
	struct task_struct___old *has_old = (void *)task;

	if (bpf_core_field_exists(has_new->__state))
		return BPF_CORE_READ(has_new, __state);
	return BPF_CORE_READ(has_old, state);
}

/* Whether it waits for what counts as input and output: disks, and pages that come from them. */
static __always_inline bool task_waits_for_io(struct task_struct *task)
{
	struct task_struct___io *has_io = (void *)task;

	return BPF_CORE_READ_BITFIELD_PROBED(has_io, in_iowait);
}

#endif
