/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Operations of io_uring on kernels before 6.0, whose tracepoints do not hand over the request:
 * which operation is submitted with which number (user_data), and which result a number has. Such
 * an operation is the event io_uring_op. Where that is not wanted, but the event is of the call
 * that does the same, it counts as lost.
 */
#ifndef LANNER_URING_OLDER_BPF_H
#define LANNER_URING_OLDER_BPF_H

#include "bpf/uring_complete.bpf.h"

enum {
	URING_ASKED = 1 << 14, /* numbers of requests in flight */
	CQE_MORE = 1 << 1, /* of a completion: the request has another one */
};

/* What requests in flight with the same number were asked to do. */
struct uring_asked {
	__u64 submitted_ns; /* boot clock; of the first */
	__u32 pid, tid; /* likewise: who submitted it */
	__u32 requests;
	__u8 opcode;
	__u8 is_shared; /* there were several at once: when one of them was submitted is not told */
	__u8 is_mixed; /* and these differ: nor is which of them completes */
	__u8 pad;
};

/* User space makes it small on other kernels. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, URING_ASKED);
	__type(key, struct uring_key);
	__type(value, struct uring_asked);
} uring_asked SEC(".maps");

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct io_kiocb___older {
	__u8 opcode;
	__u64 user_data;
};

/* Before 5.12 the thread that polls a ring is none of the process that has it. */
struct io_ring_ctx___older {
	struct task_struct *sqo_task;
};

#pragma clang attribute pop

static __always_inline void uring_take_asker(struct uring_asked *asked, __u64 ring)
{
	struct io_ring_ctx___older *at = (void *)ring;
	struct task_struct *task = this_task(), *owner;

	if (flags_of(task) & TASK_KERNEL_THREAD && bpf_core_field_exists(at->sqo_task)) {
		owner = READ(at, sqo_task);
		asked->pid = READ(owner, tgid);
		asked->tid = asked->pid;
		return;
	}
	asked->pid = pid_of(task);
	asked->tid = flags_of(task) & TASK_IO_WORKER ? asked->pid : tid_of(task);
}

/* Reads what a request is asked to do. Returns its number. */
static __always_inline __u64 uring_take_asked(struct uring_asked *asked, __u64 *ctx)
{
	struct io_kiocb___older *request = (void *)argument_word(ctx, 1);

	if (uring_kernel != URING_NUMBERS_OF_REQUESTS) {
		asked->opcode = argument_word(ctx, 1);
		return argument_word(ctx, 2);
	}
	asked->opcode = READ(request, opcode);
	return READ(request, user_data);
}

static __always_inline bool uring_tells_numbers(void)
{
	return uring_events_of(URING_OP_NOP).event;
}

/* Until the last of the requests that have a number has completed. */
static __always_inline void uring_note_asked(struct uring_key *key, struct uring_asked *asked)
{
	struct uring_asked *found = bpf_map_lookup_elem(&uring_asked, key);

	if (!found) {
		/* If there is no room, the completion counts. */
		bpf_map_update_elem(&uring_asked, key, asked, BPF_NOEXIST);
		return;
	}
	found->is_shared = 1;
	if (found->opcode != asked->opcode || found->tid != asked->tid)
		found->is_mixed = 1;
	__sync_fetch_and_add(&found->requests, 1);
}

static __always_inline int note_number_run(__u64 *ctx)
{
	struct uring_asked asked = {.submitted_ns = bpf_ktime_get_boot_ns(), .requests = 1};
	struct uring_key key = {argument_word(ctx, 0), uring_take_asked(&asked, ctx)};
	__u32 event = uring_tells_numbers() ? EVENT_io_uring_op
					    : uring_any_event(uring_events_of(asked.opcode));

	uring_take_asker(&asked, key.ring);
	if (!event || is_own_pid(asked.pid) || (follows && followed_lacks(asked.pid, event)))
		return 0;
	if (event == EVENT_io_uring_op)
		uring_note_asked(&key, &asked);
	else
		count_lost(event, LOSS_UNSHOWN);
	return 0;
}

/* One of the requests has completed; kernels that tell no flags of it make no others. */
static __always_inline void uring_end_asked(struct uring_key *key, struct uring_asked *asked,
					    __u64 *ctx)
{
	if (uring_kernel != URING_NUMBERS && argument_word(ctx, 3) & CQE_MORE)
		return;
	/* What there was before is told from 5.12 on. */
	__sync_fetch_and_add(&asked->requests, -1);
	if (!*(volatile __u32 *)&asked->requests)
		bpf_map_delete_elem(&uring_asked, key);
}

static __always_inline bool tell_number_begin(struct filler *f, __u64 *ctx)
{
	struct uring_key key = {argument_word(ctx, 0), argument_word(ctx, 1)};
	struct uring_asked *found, asked;

	if (!uring_tells_numbers())
		return false;
	found = bpf_map_lookup_elem(&uring_asked, &key);
	if (!found) {
		/* Of chosen processes it may be none: theirs alone are noted. */
		if (!follows)
			count_lost(EVENT_io_uring_op, LOSS_UNTOLD);
		return false;
	}
	asked = *found;
	uring_end_asked(&key, found, ctx);
	f->ret = (__s32)argument_word(ctx, 2);
	f->owner_pid = asked.pid;
	f->owner_tid = asked.tid;
	f->args[5] = key.user_data;
	if (asked.is_mixed) {
		count_lost(EVENT_io_uring_op, LOSS_UNTOLD);
		return false;
	}
	if (budget_sheds(EVENT_io_uring_op) ||
	    !filler_begin(f, ctx, EVENT_io_uring_op, io_uring_op__count))
		return false;
	f->slot->uring = (struct frame_uring){.ring = uring_number(key.ring),
					      .slot = -1,
					      .made_slot = -1,
					      .opcode = asked.opcode};
	f->slot->entered_ns = asked.is_shared ? 0 : asked.submitted_ns;
	return true;
}

/* In place of what these kernels do not tell. */
static __always_inline __u64 not_told(struct filler *f)
{
	f->absent = true;
	return 0;
}

#endif
