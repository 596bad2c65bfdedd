/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* What io_uring_setup tells of the ring that it made. */
#ifndef LANNER_IO_URING_BPF_H
#define LANNER_IO_URING_BPF_H

#include "bpf/core/frame.bpf.h"

/* Of the params that a caller of io_uring_setup gives and gets back; zeros when unreadable. */
static __always_inline struct user_ring *ring_params(struct filler *f, __u64 address)
{
	struct user_ring ring = {};

	if (bpf_probe_read_user(&ring, sizeof(ring), (void *)address))
		count_unreadable(f);
	f->ring = ring;
	return &f->ring;
}

#endif
