/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Futexes, as futex_waitv and futex_requeue are given them. */
#ifndef LANNER_FUTEX_BPF_H
#define LANNER_FUTEX_BPF_H

#include "bpf/readers/user_memory.bpf.h"

DEFINE_USER_STRUCT(futex)

/* Where the n-th of `count` futexes of an array is; 0: there is none. */
static __always_inline __u64 futex_address(__u64 futexes, __u64 count, __u32 n)
{
	return n < count && futexes ? futexes + n * sizeof(struct user_futex) : 0;
}

#endif
