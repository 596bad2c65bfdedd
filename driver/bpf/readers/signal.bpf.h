/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Signals that arrive: which one, and who sent it. */
#ifndef LANNER_SIGNAL_BPF_H
#define LANNER_SIGNAL_BPF_H

#include "bpf/core/frame.bpf.h"
#include "bpf/readers/task.bpf.h"

enum {
	SIGNAL_KILL = 9,
	SIGNAL_CHILD = 17,
	SIGNAL_REALTIME_MIN = 32,
	SIGNALS_QUEUED_MAX = 32, /* searched for a sender */
	SENDER_UNKNOWN = -1,
};

#define SIGNAL_BIT(number) (1ULL << (number))

/* The signals below the real-time ones whose sender is reported, and may be a process. */
#define SIGNALS_WITH_SENDER                                                                        \
	(SIGNAL_BIT(1) | SIGNAL_BIT(2) | SIGNAL_BIT(3) | SIGNAL_BIT(SIGNAL_KILL) |                 \
	 SIGNAL_BIT(15) | SIGNAL_BIT(20))

/* Codes of signals that processes send: SI_USER, SI_QUEUE, SI_MESGQ, SI_TKILL. */
static __always_inline bool code_is_of_process(int code)
{
	return code == 0 || code == -1 || code == -3 || code == -6;
}

struct delivered_signal {
	__s64 sender;
	__u8 number;
};

/* The process that sent a signal, or the child that it is about; 0 for all else. */
static __always_inline __s64 signal_sender(struct kernel_siginfo *info, __u32 number)
{
	bool is_known = number == SIGNAL_CHILD;

	if (number >= SIGNAL_REALTIME_MIN || (SIGNALS_WITH_SENDER & SIGNAL_BIT(number)))
		is_known = code_is_of_process(READ(info, si_code));
	return is_known ? READ(info, _sifields._kill._pid) : 0;
}

/* The sender of a signal in the queue at that address. Not inlined: the verifier walks it once. */
__attribute__((noinline)) __s64 queued_sender(__u64 queue, __u32 number)
{
	struct list_head *head = (void *)queue, *node = READ(head, next);

	for (int i = 0; i < SIGNALS_QUEUED_MAX && node && node != head; i++) {
		struct kernel_siginfo *info =
			(void *)node + bpf_core_field_offset(struct sigqueue, info) -
			bpf_core_field_offset(struct sigqueue, list);

		if ((__u32)READ(info, si_signo) == number)
			return signal_sender(info, number);
		node = READ(node, next);
	}
	return SENDER_UNKNOWN;
}

static __always_inline __s64 pending_sender(struct task_struct *task, __u32 number)
{
	struct signal_struct *signal = READ(task, signal);
	__s64 sender = queued_sender((__u64)&task->pending.list, number);

	if (sender == SENDER_UNKNOWN)
		sender = queued_sender((__u64)&signal->shared_pending.list, number);
	return sender;
}

/*
 * A signal that ends the process reaches its threads as a SIGKILL without data. Its number is in
 * the exit code by now, and it is still in a queue of signals; SIGKILL itself is never queued.
 */
static __always_inline struct delivered_signal fatal_signal(struct filler *f)
{
	struct task_struct *task = current_task(f);
	struct delivered_signal signal = {.number = READ(task, signal, group_exit_code) & 0x7f};

	if (!signal.number)
		signal.number = SIGNAL_KILL;
	signal.sender = pending_sender(task, signal.number);
	return signal;
}

/* At signal_deliver. All members of a NULL `info` read as 0. */
static __always_inline struct delivered_signal signal_delivered(struct filler *f)
{
	struct kernel_siginfo *info = (void *)((__u64 *)f->ctx)[1];
	__u32 number = ((__u64 *)f->ctx)[0];

	if (number == SIGNAL_KILL && READ(info, si_signo) == 0)
		return fatal_signal(f);
	return (struct delivered_signal){.sender = signal_sender(info, number), .number = number};
}

static __always_inline __s64 delivered_sender(struct filler *f, struct delivered_signal signal)
{
	f->absent = signal.sender == SENDER_UNKNOWN;
	return signal.sender;
}

#endif
