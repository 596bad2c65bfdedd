/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* The address and the data of ptrace, which differ from one request to the next. */
#ifndef LANNER_PTRACE_BPF_H
#define LANNER_PTRACE_BPF_H

#include "bpf/core/call.bpf.h"
#include "bpf/core/dyn.bpf.h"
#include "bpf/readers/flags.bpf.h"

/* In the order of dyn.def. */
enum ptrace_kind { PTRACE_KIND_NUMBER, PTRACE_KIND_SIGNAL };

/* The word that a PEEK request wrote to the tracer's memory. */
static __always_inline __u64 peeked_word(struct filler *f, __u64 address)
{
	__u64 word = 0;

	if (bpf_probe_read_user(&word, word_bytes(f->slot, f->caller), (void *)address))
		count_unreadable(f);
	return word;
}

static __always_inline void put_ptrace_address(struct filler *f, __u64 address)
{
	put_dyn_u64(f, PTRACE_KIND_NUMBER, f->ret < 0 ? 0 : address);
}

static __always_inline void put_ptrace_data(struct filler *f, __u64 native_request, __u64 data)
{
	__u16 request = ptrace_request(native_request);

	if (f->ret < 0)
		put_dyn_u64(f, PTRACE_KIND_NUMBER, 0);
	else if (request == PTRACE_REQUEST_CONT || request == PTRACE_REQUEST_SINGLESTEP ||
		 request == PTRACE_REQUEST_DETACH || request == PTRACE_REQUEST_SYSCALL)
		put_dyn_u8(f, PTRACE_KIND_SIGNAL, data);
	else if (request >= PTRACE_REQUEST_PEEKTEXT && request <= PTRACE_REQUEST_PEEKUSR)
		put_dyn_u64(f, PTRACE_KIND_NUMBER, peeked_word(f, data));
	else
		put_dyn_u64(f, PTRACE_KIND_NUMBER, data);
}

#endif
