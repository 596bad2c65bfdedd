/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Semaphores of System V. */
#ifndef LANNER_SEMAPHORE_BPF_H
#define LANNER_SEMAPHORE_BPF_H

#include "bpf/readers/user_memory.bpf.h"

enum { SEMAPHORE_SET_VALUE = 16 };

DEFINE_USER_STRUCT(semaphore)

/* The n-th of `count` operations of a successful call, else zeros. */
static __always_inline struct user_semaphore semop_done(struct filler *f, __u64 operations,
							__u32 count, __u32 n)
{
	__u64 at = f->ret == 0 && n < count ? operations + n * sizeof(struct user_semaphore) : 0;

	return read_semaphore(f, at).value;
}

/* The last argument of semctl is a number for one command only. */
static __always_inline __s32 semctl_value(__u32 command, __u64 argument)
{
	return command == SEMAPHORE_SET_VALUE ? argument : 0;
}

#endif
