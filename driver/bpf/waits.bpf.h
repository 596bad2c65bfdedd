/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * What threads do that serve requests: on a CPU, waiting for one, or for what. Only those are counted
 * that moved bytes of a socket that may have requests (times_note()); others pay for a look-up at each
 * switch. What a thread waits for is what its call says, whose number the table below has.
 */
#ifndef LANNER_WAITS_BPF_H
#define LANNER_WAITS_BPF_H

#include "bpf/core/switched.bpf.h"
#include "bpf/readers/stream.bpf.h"

/*
 * OF_FILE stands for a call on any descriptor: waiting for a socket is waiting for the network. What
 * counts as input and output is told by the scheduler, whatever the call.
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
	CALL(recvfrom, NET)                                                                        \
	CALL(recvmsg, NET)                                                                         \
	CALL(recvmmsg, NET)                                                                        \
	CALL(sendto, NET)                                                                          \
	CALL(sendmsg, NET)                                                                         \
	CALL(sendmmsg, NET)                                                                        \
	CALL(connect, NET)                                                                         \
	CALL(accept, NET)                                                                          \
	CALL(accept4, NET)                                                                         \
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
	CALL(splice, OF_FILE)

enum { PART_OF_FILE = THREAD_PARTS };

/* Not of threads of the kernel, whose registers are none of a call. */
static __always_inline __u32 part_of_call(struct pt_regs *regs, struct task_struct *task)
{
	const bool compat = call_is_compat(regs, task);
	const __u64 number = call_number(regs);

#define CALL(name, part)                                                                           \
	if (number == (compat ? (__u64)NR32_##name : (__u64)NR_##name))                            \
		return PART_##part;
	WAITING_CALLS(CALL)
#undef CALL
	return PART_OTHER;
}

/* What the current thread goes off its CPU for. */
static __always_inline __u32 part_of_wait(struct task_struct *task, bool preempted)
{
	struct pt_regs *regs;
	__u32 part;

	if (preempted || !task_state(task))
		return PART_RUNQUEUE;
	if (task_waits_for_io(task))
		return PART_DISK;
	regs = task_registers(task);
	if (!regs)
		return PART_OTHER;
	part = part_of_call(regs, this_task());
	if (part != PART_OF_FILE)
		return part;
	return fd_sock((__s32)call_argument(regs, call_caller(this_task()), 0)) ? PART_NET
										: PART_OTHER;
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

static __always_inline int note_switch_run(__u64 *ctx)
{
	struct task_struct *prev = (void *)ctx[1], *next = (void *)ctx[2];
	__u32 tid = READ(prev, pid), next_tid = READ(next, pid);
	struct thread_times *kept = tid ? bpf_map_lookup_elem(&thread_times, &tid) : NULL;

	if (kept && task_state(prev) & TASK_DEAD_BITS)
		bpf_map_delete_elem(&thread_times, &tid);
	else if (kept)
		times_turn(kept, part_of_wait(prev, ctx[0]));
	kept = next_tid ? bpf_map_lookup_elem(&thread_times, &next_tid) : NULL;
	if (kept)
		times_turn(kept, PART_CPU);
	return 0;
}

/* Whether the current thread is in a call by which locks are left. */
static __always_inline bool is_at_lock(void)
{
	struct task_struct *task = this_task();
	struct pt_regs *regs;

	if (!current_tid() || flags_of(task) & TASK_KERNEL_THREAD)
		return false;
	regs = task_registers(task);
	return regs && part_of_call(regs, task) == PART_LOCK;
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
		kept->times.unlocked_by = is_at_lock() ? current_tid() : 0;
	times_turn(kept, PART_RUNQUEUE);
	return 0;
}

#endif
