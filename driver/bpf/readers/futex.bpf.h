/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Futexes, as futex_waitv and futex_requeue take them. */
#ifndef LANNER_FUTEX_BPF_H
#define LANNER_FUTEX_BPF_H

#include "bpf/readers/user_memory.bpf.h"

DEFINE_USER_STRUCT(futex)

/* The address of the n-th of `count` futexes of an array; 0: none. */
static __always_inline __u64 futex_address(__u64 futexes, __u64 count, __u32 n)
{
	return n < count && futexes ? futexes + n * sizeof(struct user_futex) : 0;
}

#endif
