/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Operations of asynchronous input and output (io_submit). */
#ifndef LANNER_AIO_BPF_H
#define LANNER_AIO_BPF_H

#include "bpf/readers/user_memory.bpf.h"

DEFINE_USER_STRUCT(aio_control)
DEFINE_USER_STRUCT(aio_event)

/* The address of the first of the operations that an array points to. */
static __always_inline __u64 first_aio_control(struct filler *f, __u64 count, __u64 array)
{
	return user_word(f, (__s64)count > 0 ? array : 0);
}

#endif
