/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* At the page_fault_… tracepoints: address, registers and the processor's error code. */
#ifndef LANNER_PAGE_FAULT_BPF_H
#define LANNER_PAGE_FAULT_BPF_H

#include "bpf/core/frame.bpf.h"

enum { FAULT_OF_USER = 4 };

static __always_inline __u64 fault_address(struct filler *f)
{
	return ((__u64 *)f->ctx)[0];
}

static __always_inline __u64 fault_error(struct filler *f)
{
	return ((__u64 *)f->ctx)[2];
}

/*
 * The first 8 bytes of the instruction; 0 if they cannot be read, for example if their page caused
 * the fault.
 */
static __always_inline __u64 fault_instruction(struct filler *f)
{
	void *at = (void *)registers_ip((void *)((__u64 *)f->ctx)[1]);
	__u64 bytes = 0;

	if (fault_error(f) & FAULT_OF_USER)
		bpf_probe_read_user(&bytes, sizeof(bytes), at);
	else
		bpf_probe_read_kernel(&bytes, sizeof(bytes), at);
	return bytes;
}

#endif
