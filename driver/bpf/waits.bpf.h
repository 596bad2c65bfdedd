/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * What threads do that serve requests: on a CPU, waiting for one, or for what. Only those are
 * counted that moved bytes of a socket that may have requests (times_note()); others pay for a
 * look-up at each switch. What a thread waits for is what its call says, whose number the table
 * below has.
 */
#ifndef LANNER_WAITS_BPF_H
#define LANNER_WAITS_BPF_H

#include "bpf/core/switched.bpf.h"
#include "bpf/lock_calls.bpf.h"
#include "bpf/readers/stream.bpf.h"

/*
 * OF_FILE stands for a call on any descriptor: waiting for a socket is waiting for the network; of
 * OF_SPLICE either may be one. OF_RING: completions, whose waits the scheduler counts as input and
 * output from 6.5 on. AS_BEFORE: the call that a signal without a handler interrupted. What else
 * counts as input and output is known to the scheduler, in any call.
 */
#define WAITING_CALLS(CALL)                                                                        \
	CALL(futex, LOCK)                                                                          \
	CALL(futex_wait, LOCK)                                                                     \
	CALL(futex_waitv, LOCK)                                                                    \
	CALL(flock, LOCK)                                                                          \
	CALL(fcntl, LOCK)                                                                          \
	CALL(semop, LOCK)                                                                          \
	CALL(semtimedop, LOCK)                                                                     \
	CALL(nanosleep, SLEEP)                                                                     \
	CALL(clock_nanosleep, SLEEP)                                                               \
	CALL(poll, POLL)                                                                           \
	CALL(ppoll, POLL)                                                                          \
	CALL(select, POLL)                                                                         \
	CALL(pselect6, POLL)                                                                       \
	CALL(epoll_wait, POLL)                                                                     \
	CALL(epoll_pwait, POLL)                                                                    \
	CALL(epoll_pwait2, POLL)                                                                   \
	CALL(io_uring_enter, OF_RING)                                                              \
	CALL(io_getevents, OF_RING)                                                                \
	CALL(io_pgetevents, OF_RING)                                                               \
	CALL(recvfrom, NET)                                                                        \
	CALL(recvmsg, NET)                                                                         \
	CALL(recvmmsg, NET)                                                                        \
	CALL(sendto, NET)                                                                          \
	CALL(sendmsg, NET)                                                                         \
	CALL(sendmmsg, NET)                                                                        \
	CALL(connect, NET)                                                                         \
	CALL(accept, NET)                                                                          \
	CALL(accept4, NET)                                                                         \
	CALL(socketcall, NET)                                                                      \
	CALL(fsync, DISK)                                                                          \
	CALL(fdatasync, DISK)                                                                      \
	CALL(sync, DISK)                                                                           \
	CALL(syncfs, DISK)                                                                         \
	CALL(msync, DISK)                                                                          \
	CALL(sync_file_range, DISK)                                                                \
	CALL(read, OF_FILE)                                                                        \
	CALL(write, OF_FILE)                                                                       \
	CALL(readv, OF_FILE)                                                                       \
	CALL(writev, OF_FILE)                                                                      \
	CALL(sendfile, OF_FILE)                                                                    \
	CALL(splice, OF_SPLICE)                                                                    \
	CALL(restart_syscall, AS_BEFORE)

enum { PART_OF_FILE = THREAD_PARTS, PART_OF_SPLICE, PART_OF_RING, PART_AS_BEFORE };

static __always_inline __u32 part_of_native_call(__u64 number)
{
#define CALL(name, part)                                                                           \
	if (number == (__u64)NR_##name)                                                            \
		return PART_##part;
	WAITING_CALLS(CALL)
#undef CALL
	return PART_OTHER;
}

static __always_inline __u32 part_of_compat_call(__u64 number)
{
#define CALL(name, part)                                                                           \
	if (number == (__u64)NR32_##name || number == (__u64)NR32_WIDE_##name)                     \
		return PART_##part;
	WAITING_CALLS(CALL)
#undef CALL
	return PART_OTHER;
}

/* Not of threads of the kernel, whose registers are none of a call. */
static __always_inline __u32 part_of_call(struct pt_regs *regs, struct task_struct *task)
{
	const __u64 number = call_number(regs);

	if (!call_is_compat(regs, task))
		return part_of_native_call(number);
	return COMPAT_HAS_NUMBERS ? part_of_compat_call(number) : PART_OTHER;
}

/* Of a thread that a signal may wake: `part` is that of the call which it is in. */
static __always_inline __u32 part_of_sleep(const struct thread_times *kept, struct pt_regs *regs,
					   __u32 part)
{
	struct caller caller = call_caller(this_task());

	if (part == PART_AS_BEFORE)
		return kept->waited ? kept->waited : PART_OTHER;
	if (part == PART_OF_RING)
		return PART_POLL;
	if (part < THREAD_PARTS)
		return part;
	if (fd_sock((__s32)call_argument(regs, caller, 0)))
		return PART_NET;
	return part == PART_OF_SPLICE && fd_sock((__s32)call_argument(regs, caller, 2))
		       ? PART_NET
		       : PART_OTHER;
}

/*
 * What the current thread waits for. What not any signal ends is not what its call is for, but a
 * lock of the kernel, or memory; if it is no disk.
 */
static __always_inline __u32 part_of_wait(struct thread_times *kept, struct task_struct *task,
					  __u64 state)
{
	struct pt_regs *regs;
	__u32 part;

	if (state & TASK_HELD_BITS || task_is_frozen(task))
		return PART_OTHER;
	regs = task_registers(task);
	part = regs ? part_of_call(regs, this_task()) : PART_OTHER;
	if (!(state & TASK_INTERRUPTIBLE_BIT))
		return part == PART_DISK || task_waits_for_io(task) ? PART_DISK : PART_OTHER;
	if (part != PART_OF_RING && task_waits_for_io(task))
		return PART_DISK;
	if (regs)
		part = part_of_sleep(kept, regs, part);
	kept->waited = part;
	return part;
}

/* The thread begins to do something else. Who sees the new part has its time as well. */
static __always_inline void times_turn(struct thread_times *kept, __u32 part)
{
	__u64 now = bpf_ktime_get_boot_ns();
	__u32 before = kept->part;

	CHECKED(before);
	if (before < THREAD_PARTS)
		kept->times.ns[before] += now - kept->at;
	store_in_order(&kept->at, now);
	*(volatile __u32 *)&kept->part = part;
}

/* The current thread waits for a lock, by a call that may be the one before, begun again. */
static __always_inline void times_lock(struct thread_times *kept, struct task_struct *task)
{
	struct pt_regs *regs = task_registers(task);
	struct lock_use use = {};

	kept->times.unlocked_by = 0;
	if (!regs || part_of_call(regs, this_task()) == PART_AS_BEFORE)
		return;
	lock_use_read(regs, this_task(), &use);
	kept->lock = use;
}

/* The current thread goes off its CPU. Returns false if that is for ever. */
static __always_inline bool times_leave(struct thread_times *kept, struct task_struct *task,
					bool preempted)
{
	const __u64 state = task_state(task);
	__u32 part = PART_RUNQUEUE;

	if (state & TASK_DEAD_BITS)
		return false;
	if (!preempted && state && !(state & TASK_WAKING_BIT))
		part = part_of_wait(kept, task, state);
	if (part == PART_LOCK)
		times_lock(kept, task);
	if (kept->part != PART_CPU)
		times_miss(kept);
	times_turn(kept, part);
	return true;
}

static __always_inline int note_switch_run(__u64 *ctx)
{
	struct task_struct *prev = (void *)ctx[1], *next = (void *)ctx[2];
	__u32 tid = READ(prev, pid), next_tid = READ(next, pid);
	struct thread_times *kept = tid ? bpf_map_lookup_elem(&thread_times, &tid) : NULL;

	if (kept && !times_leave(kept, prev, ctx[0]))
		bpf_map_delete_elem(&thread_times, &tid);
	kept = next_tid ? bpf_map_lookup_elem(&thread_times, &next_tid) : NULL;
	if (!kept)
		return 0;
	if (kept->part == PART_CPU)
		times_miss(kept);
	times_turn(kept, PART_CPU);
	return 0;
}

/* Whether the current thread is in a call that may have ended a wait of a process for a lock. */
static __always_inline bool is_unlocking(__u64 *ctx, const struct lock_use *wait, __u32 pid)
{
	struct task_struct *task = this_task();
	struct lock_use use = {};
	struct pt_regs *regs;

	if (!current_tid() || flags_of(task) & TASK_KERNEL_THREAD || is_in_interrupt(ctx))
		return false;
	regs = task_registers(task);
	if (!regs)
		return false;
	lock_use_read(regs, task, &use);
	return lock_use_ends(&use, wait, current_pid() == pid);
}

/* By the current thread, or an interrupt of it. */
static __always_inline int note_waking_run(__u64 *ctx)
{
	struct task_struct *woken = (void *)ctx[0];
	__u32 tid = READ(woken, pid);
	struct thread_times *kept = bpf_map_lookup_elem(&thread_times, &tid);

	if (!kept || kept->part == PART_CPU || kept->part == PART_RUNQUEUE)
		return 0;
	if (kept->part == PART_LOCK)
		kept->times.unlocked_by =
			is_unlocking(ctx, &kept->lock, READ(woken, tgid)) ? current_tid() : 0;
	times_turn(kept, PART_RUNQUEUE);
	return 0;
}

#endif
