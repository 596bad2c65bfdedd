/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* What io_uring_setup reports of the ring that it created. */
#ifndef LANNER_IO_URING_BPF_H
#define LANNER_IO_URING_BPF_H

#include "bpf/core/frame.bpf.h"

/* The beginning of struct io_uring_params, the same for every caller. */
struct user_ring {
	__u32 sq_entries, cq_entries, flags, sq_thread_cpu, sq_thread_idle, features;
};

/*
 * The params of io_uring_setup, which the caller passes and the kernel fills; zeros if unreadable.
 */
static __always_inline struct user_ring ring_params(struct filler *f, __u64 address)
{
	struct user_ring ring = {};

	if (bpf_probe_read_user(&ring, sizeof(ring), (void *)address))
		count_unreadable(f);
	return ring;
}

#endif
