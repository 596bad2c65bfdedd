/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Scheduler switches and attributes, and what a thread has used and may use. */
#ifndef LANNER_SCHED_BPF_H
#define LANNER_SCHED_BPF_H

#include "bpf/readers/time.bpf.h"
#include "bpf/readers/user_memory.bpf.h"

DEFINE_USER_STRUCT(sched_attr)
DEFINE_USER_STRUCT_OF_TWO_FORMS(rusage, narrow_times)

/* At sched_switch: the next task. The current task is still the previous one. */
static __always_inline struct task_struct *switch_next(struct filler *f)
{
	return (void *)((__u64 *)f->ctx)[2];
}

DEFINE_USER_STRUCT_OF_TWO_FORMS(rlimit, narrow_limits)

/* A limit that a call takes; zeros if there is none. */
static __always_inline struct user_rlimit limit_given(struct filler *f, __u64 address)
{
	return read_rlimit(f, address).value;
}

/* A limit that a call returns; -1 if it failed. */
static __always_inline struct user_rlimit limit_got(struct filler *f, __u64 address)
{
	return f->ret == 0 ? limit_given(f, address) : (struct user_rlimit){-1, -1};
}

#endif
