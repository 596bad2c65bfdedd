/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Scheduler switches and attributes, and what a thread has used. */
#ifndef LANNER_SCHED_BPF_H
#define LANNER_SCHED_BPF_H

#include "bpf/readers/time.bpf.h"

DEFINE_USER_STRUCT(sched_attr)
DEFINE_USER_STRUCT_OF_TWO_FORMS(rusage, narrow_times)

/* At sched_switch: the next task. The current task is still the previous one. */
static __always_inline struct task_struct *switch_next(struct filler *f)
{
	return (void *)((__u64 *)f->ctx)[2];
}

#endif
