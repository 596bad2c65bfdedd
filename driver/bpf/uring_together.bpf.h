/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Operations of io_uring whose completions the kernel posts together, as it does with what chains
 * of links executed in one turn: when the first one is told, others may have closed the file that
 * it made, and another one may have the number. The kernel has them in a list, in their order.
 */
#ifndef LANNER_URING_TOGETHER_BPF_H
#define LANNER_URING_TOGETHER_BPF_H

#include "bpf/uring_submit.bpf.h"

enum {
	FILE_SLOT_ALLOC = -1, /* in place of a number: the kernel chooses one, and returns it */
	URING_LATER_WALKED = 128, /* requests of the list behind one, at most */
};

/* Whether a ring tells what has ended of a submission. */
#define TELLS_ENDED                                                                                \
	(bpf_core_field_exists(((struct io_ring_ctx *)0)->submit_state.compl_reqs.last) &&         \
	 bpf_core_field_exists(((struct io_kiocb *)0)->comp_list))

/* Looks for what changes the number of a file behind the request that made it. */
struct uring_later {
	__u64 node; /* of the next one; 0: there is none */
	__s32 number; /* the descriptor, or slot */
	__u32 is_slot;
	__u32 is_found;
};

/* Whose entry that is in the list of a ring. */
static __always_inline struct io_kiocb *uring_request_of(__u64 node)
{
	struct io_kiocb *at = (void *)node;

	return (void *)(node - bpf_core_field_offset(at->comp_list));
}

/* The slot that an operation makes a file in, + 1; 0: it makes a descriptor. */
static __always_inline __s32 uring_file_slot(struct io_kiocb *request, __u8 opcode)
{
	struct io_open *open = (void *)request;
	struct io_accept *accept = (void *)request;
	struct io_socket *socket = (void *)request;

	switch (opcode) {
	case URING_OP_OPENAT:
	case URING_OP_OPENAT2:
		return GET(open, file_slot);
	case URING_OP_ACCEPT:
		return GET(accept, file_slot);
	case URING_OP_SOCKET:
		return GET(socket, file_slot);
	default:
		return 0;
	}
}

/* Whether an operation that has ended made another file of that number, or none. */
static __always_inline bool uring_changes(struct io_kiocb *request, __s32 number, bool is_slot)
{
	struct io_close *close = (void *)request;
	__s32 result = GET(request, cqe.res), slot;
	__u8 opcode = GET(request, opcode);

	if (result < 0)
		return false;
	switch (opcode) {
	case URING_OP_CLOSE:
		slot = GET(close, file_slot);
		return slot ? is_slot && slot == number + 1 : !is_slot && GET(close, fd) == number;
	case URING_OP_FILES_UPDATE:
		return is_slot;
	case URING_OP_FIXED_FD_INSTALL:
		return !is_slot && result == number;
	case URING_OP_OPENAT:
	case URING_OP_OPENAT2:
	case URING_OP_ACCEPT:
	case URING_OP_SOCKET:
		slot = uring_file_slot(request, opcode);
		if (!slot || slot == FILE_SLOT_ALLOC)
			return is_slot == !!slot && result == number;
		return is_slot && slot == number + 1;
	default:
		return false;
	}
}

/* Returns whether there may be others. */
static __always_inline bool uring_later_step(struct uring_later *walk)
{
	struct io_kiocb *request;

	if (!walk->node)
		return false;
	request = uring_request_of(walk->node);
	walk->node = GET_WORD(request, comp_list.next);
	walk->is_found = uring_changes(request, walk->number, walk->is_slot);
	return !walk->is_found;
}

/* Whether the current thread works for a process, and does not poll a ring. */
static __always_inline bool is_ring_worker(void)
{
	struct task_struct___worker *task = (void *)bpf_get_current_task();

	return flags_of(this_task()) & TASK_IO_WORKER && READ(task, worker_private);
}

/*
 * Whether the number of the file that a request made, which completes now, may be another one's by
 * now, as far as its ring tells. What a worker of the kernel completes is in no list. Not inlined:
 * the verifier walks it once.
 */
__attribute__((noinline)) bool uring_may_be_later(__u64 request, __s32 number, __u32 is_slot)
{
	struct io_kiocb *at = (void *)request;
	struct uring_later walk = {.number = number, .is_slot = is_slot};
	struct io_ring_ctx *ring = (void *)GET_WORD(at, ctx);

	if (!TELLS_ENDED || is_ring_worker() || !GET_WORD(ring, submit_state.compl_reqs.first))
		return false;
	walk.node = GET_WORD(at, comp_list.next);
	REPEAT(URING_LATER_WALKED, uring_later_step, &walk);
	return walk.is_found || walk.node;
}

#endif
