/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Calls that wait for locks, and those that end such waits: whether what woke a thread may be the
 * call that its CPU is in. An interrupt of that call, as that of a timer, is none; nor is a call
 * that wakes others.
 */
#ifndef LANNER_LOCK_CALLS_BPF_H
#define LANNER_LOCK_CALLS_BPF_H

#include "bpf/core/call.bpf.h"

/* FUTEX_CMD_MASK and the commands that wake; LOCK_UN; F_SETLK and its kin. */
enum {
	FUTEX_COMMAND = 0x7f,
	FUTEX_IS_PRIVATE = 128,
	FUTEX_OP_WAKE = 1,
	FUTEX_OP_REQUEUE = 3,
	FUTEX_OP_CMP_REQUEUE = 4,
	FUTEX_OP_WAKE_OP = 5,
	FUTEX_OP_UNLOCK_PI = 7,
	FUTEX_OP_WAKE_BITSET = 10,
	FUTEX_OP_CMP_REQUEUE_PI = 12,
	FUTEX_OPS_WAKE = 1 << FUTEX_OP_WAKE | 1 << FUTEX_OP_REQUEUE | 1 << FUTEX_OP_CMP_REQUEUE |
			 1 << FUTEX_OP_WAKE_OP | 1 << FUTEX_OP_UNLOCK_PI |
			 1 << FUTEX_OP_WAKE_BITSET | 1 << FUTEX_OP_CMP_REQUEUE_PI,
	FLOCK_UNLOCKS = 8,
	FCNTL_SETLK = 6,
	FCNTL_SETLKW = 7,
	FCNTL_SETLK64 = 13,
	FCNTL_SETLKW64 = 14,
	FCNTL_OFD_SETLK = 37,
	FCNTL_OFD_SETLKW = 38,
};

enum { KERNEL_STACK_BYTES = 16384 /* THREAD_SIZE, but for kernels with KASAN: of these nothing */ };

struct task_struct___stack {
	void *stack;
} __attribute__((preserve_access_index));

/*
 * Whether a program of a tracepoint runs in an interrupt of the current thread: its context, the
 * arguments, is on the stack of what runs, and interrupts have one of their own. The processor's
 * count (preempt_count) has no address that programs may have where symbols of data are left out.
 */
static __always_inline bool is_in_interrupt(__u64 *ctx)
{
	struct task_struct___stack *task = (void *)bpf_get_current_task();
	__u64 at = 0, stack = (__u64)BPF_CORE_READ(task, stack);

	/* As a number: pointers are not compared. */
	bpf_probe_read_kernel(&at, sizeof(at), &ctx);
	return at - stack >= KERNEL_STACK_BYTES;
}

/* Whether a call of the native or the 32-bit numbers is this one. */
#define IS_CALL(number, is_compat, name)                                                           \
	(!(is_compat) ? (number) == (__u64)NR_##name                                               \
		      : COMPAT_HAS_NUMBERS && ((number) == (__u64)NR32_##name ||                   \
					       (number) == (__u64)NR32_WIDE_##name))

static __always_inline void futex_use(struct pt_regs *regs, struct caller caller,
				      struct lock_use *use)
{
	const __u32 flags = call_argument(regs, caller, 1), command = flags & FUTEX_COMMAND;

	use->kind = flags & FUTEX_IS_PRIVATE ? LOCK_FUTEX_PRIVATE : LOCK_FUTEX_SHARED;
	use->at = call_argument(regs, caller, 0);
	if (command == FUTEX_OP_WAKE_OP)
		use->other = call_argument(regs, caller, 4);
	use->wakes = command < 32 && (FUTEX_OPS_WAKE >> command & 1);
}

static __always_inline bool fcntl_locks(__u32 command)
{
	return command == FCNTL_SETLK || command == FCNTL_SETLKW || command == FCNTL_SETLK64 ||
	       command == FCNTL_SETLKW64 || command == FCNTL_OFD_SETLK ||
	       command == FCNTL_OFD_SETLKW;
}

/* What the call of the current thread has to do with locks; a zeroed one: nothing. */
static __always_inline void lock_use_read(struct pt_regs *regs, struct task_struct *task,
					  struct lock_use *use)
{
	const __u64 number = call_number(regs);
	const bool is_compat = call_is_compat(regs, task);
	const struct caller caller = call_caller(task);

	if (IS_CALL(number, is_compat, futex)) {
		futex_use(regs, caller, use);
	} else if (IS_CALL(number, is_compat, futex_wait) ||
		   IS_CALL(number, is_compat, futex_wake)) {
		use->kind = call_argument(regs, caller, 3) & FUTEX_IS_PRIVATE ? LOCK_FUTEX_PRIVATE
									      : LOCK_FUTEX_SHARED;
		use->at = call_argument(regs, caller, 0);
		use->wakes = IS_CALL(number, is_compat, futex_wake);
	} else if (IS_CALL(number, is_compat, flock)) {
		use->kind = LOCK_FLOCK;
		use->wakes = call_argument(regs, caller, 1) & FLOCK_UNLOCKS;
	} else if (IS_CALL(number, is_compat, fcntl)) {
		use->kind = LOCK_FCNTL;
		use->wakes = fcntl_locks(call_argument(regs, caller, 1));
	} else if (IS_CALL(number, is_compat, semop) || IS_CALL(number, is_compat, semtimedop)) {
		use->kind = LOCK_SEMAPHORE;
		use->wakes = true;
	}
}

/* Whether a call that uses a lock may have ended a wait for one; of the process of that, or not. */
static __always_inline bool lock_use_ends(const struct lock_use *use, const struct lock_use *wait,
					  bool is_same_process)
{
	if (!use->wakes || use->kind != wait->kind)
		return false;
	return use->kind != LOCK_FUTEX_PRIVATE ||
	       (is_same_process && (use->at == wait->at || use->other == wait->at));
}

#endif
