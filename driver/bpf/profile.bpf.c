/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * The programs of `agent profile`: one on a perf event that samples the CPU, two on tracepoints of
 * the scheduler that measure how long threads are off it. They count in the kernel, by stack.
 */
#include "bpf/core/switched.bpf.h"
#include "bpf/profile/record.bpf.h"

enum { KERNEL_THREAD = 0x200000 }; /* PF_KTHREAD of task_struct.flags */

char driver_license[] SEC("license") = "Dual MIT/GPL";

/* What is executed, at each sample of the clock, or of another event. */
SEC("perf_event")
int profile_sample(struct registers *registers)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	__u64 ids = bpf_get_current_pid_tgid();
	struct work *work;

	/* The idle task is no process. */
	if (!(__u32)ids || !is_wanted(ids >> 32))
		return 0;
	work = work_take(PROFILE_SAMPLE);
	if (!work)
		return 0;
	work->share = current_share();
	if (!identify(PROFILE_SAMPLE, work, task))
		goto out;
	work->row.start_ns = work->process.start_ns;
	work->row.exec_id = work->process.exec_id;
	work->row.pid = ids >> 32;
	work->row.tid = (__u32)ids;
	work->row.how = PROFILE_ON_CPU;
	work->row.stacks.kernel = keep_kernel_stack(work, registers);
	copy_registers(registers, &work->registers);
	work->row.stacks.user = keep_user_stack(PROFILE_SAMPLE, work, task,
						registers_are_of_user(&work->registers));
	bpf_get_current_comm(work->count.comm, sizeof(work->count.comm));
	add_row(work, 1, 1);
out:
	work_give(work);
	return 0;
}

/* Waits. */

static __always_inline bool state_is_wanted(__u64 state)
{
	return only_states ? state & only_states : !state;
}

/* A thread that goes: its stacks, by which its wait is counted when it comes back. */
static __always_inline void begin_wait(void *ctx, struct task_struct *task, __u32 pid, __u32 tid,
				       bool preempted)
{
	__u64 state = task_state(task);
	struct profile_wait *wait;
	struct work *work;

	/* Another CPU has woken it while it went: it waits for a CPU alone, and who woke it found no
	 * wait yet. */
	if (state & TASK_WAKING_BIT)
		state = 0;
	if (state & TASK_DEAD_BITS || (has_states && !state_is_wanted(state)))
		return;
	work = work_take(PROFILE_SWITCH);
	if (!work)
		return;
	wait = &work->wait;
	work->share = wait->share = current_share();
	if (!identify(PROFILE_SWITCH, work, task))
		goto out;
	wait->start_ns = work->process.start_ns;
	wait->exec_id = work->process.exec_id;
	wait->pid = pid;
	wait->how = preempted || !state	     ? PROFILE_RUNNABLE
		    : task_waits_for_io(task) ? PROFILE_WAITED_FOR_IO
					      : PROFILE_WAITED;
	wait->stacks.kernel = keep_kernel_stack(work, ctx);
	wait->stacks.user = keep_user_stack(PROFILE_SWITCH, work, task, false);
	bpf_get_current_comm(wait->comm, sizeof(wait->comm));
	wait->since_ns = bpf_ktime_get_ns();
	keep_wait(tid, wait);
out:
	work_give(work);
}

/* One row of a wait: without the waker if that was not what it waited for. times: 0 if another one
 * has counted it. */
static __always_inline void add_wait(struct work *work, const struct profile_wait *wait, __u8 how,
				     __u64 ns, __u64 times)
{
	bool has_waker = how != PROFILE_RUNNABLE;

	if (!ns)
		return;
	work->row.start_ns = wait->start_ns;
	work->row.exec_id = wait->exec_id;
	work->row.pid = wait->pid;
	work->row.stacks = wait->stacks;
	work->row.waker_pid = has_waker ? wait->waker_pid : 0;
	work->row.waker_tid = has_waker ? wait->waker_tid : 0;
	if (!has_waker)
		work->row.stacks.waker_kernel = work->row.stacks.waker_user = 0;
	work->row.how = how;
	__builtin_memcpy(work->count.comm, wait->comm, sizeof(wait->comm));
	__builtin_memcpy(work->count.waker_comm, wait->waker_comm, sizeof(wait->waker_comm));
	add_row(work, ns, times);
}

/* A thread that comes back: it waited, and then waited for a CPU. */
static __always_inline void end_wait(__u32 tid)
{
	struct profile_wait *wait = bpf_map_lookup_elem(&waits, &tid);
	__u64 now = bpf_ktime_get_ns(), since, woken;
	struct work *work;

	if (!wait)
		return;
	work = work_take(PROFILE_SWITCH);
	if (!work)
		return;
	work->row.tid = tid;
	work->share = wait->share;
	use_stacks(&wait->stacks);
	since = wait->since_ns < begin_ns ? begin_ns : wait->since_ns;
	if (since > now)
		since = now;
	if (now - since < wait_min_ns || (wait_max_ns && now - since > wait_max_ns))
		goto out;
	woken = wait->how == PROFILE_RUNNABLE ? since : wait->woken_ns;
	if (!woken || woken > now)
		woken = now;
	if (woken < since)
		woken = since;
	if (wait->how != PROFILE_RUNNABLE)
		add_wait(work, wait, wait->how, woken - since, 1);
	add_wait(work, wait, PROFILE_RUNNABLE, now - woken,
		 wait->how == PROFILE_RUNNABLE || woken == since);
out:
	if (bpf_map_delete_elem(&waits, &tid) == 0)
		give_wait(work->share);
	work_give(work);
}

static __always_inline bool waits_are_wanted(struct task_struct *task, __u32 tid)
{
	if (only_tid && tid != only_tid)
		return false;
	if (!leaves_out_kernel && !leaves_out_users)
		return true;
	return BPF_CORE_READ(task, flags) & KERNEL_THREAD ? !leaves_out_kernel
							       : !leaves_out_users;
}

SEC("tp_btf/sched_switch")
int profile_switch(__u64 *ctx)
{
	struct task_struct *prev = (void *)ctx[1], *next = (void *)ctx[2];
	__u32 pid = BPF_CORE_READ(prev, tgid), tid = BPF_CORE_READ(prev, pid);
	__u32 next_tid = BPF_CORE_READ(next, pid);

	if (tid && is_wanted(pid) && waits_are_wanted(prev, tid))
		begin_wait(ctx, prev, pid, tid, ctx[0]);
	if (next_tid)
		end_wait(next_tid);
	return 0;
}

/* By the current thread, or an interrupt of it. */
SEC("tp_btf/sched_waking")
int profile_waking(__u64 *ctx)
{
	struct task_struct *woken = (void *)ctx[0], *task = (void *)bpf_get_current_task();
	__u64 ids = bpf_get_current_pid_tgid();
	__u32 tid = BPF_CORE_READ(woken, pid);
	struct profile_wait *wait = bpf_map_lookup_elem(&waits, &tid);
	struct work *work;

	if (!wait || wait->woken_ns || wait->how == PROFILE_RUNNABLE)
		return 0;
	wait->woken_ns = bpf_ktime_get_ns();
	work = work_take(PROFILE_WAKING);
	if (!work)
		return 0;
	work->share = current_share();
	wait->stacks.waker_kernel = keep_kernel_stack(work, ctx);
	wait->stacks.waker_user = keep_user_stack(PROFILE_WAKING, work, task, false);
	wait->waker_pid = ids >> 32;
	wait->waker_tid = (__u32)ids;
	bpf_get_current_comm(wait->waker_comm, sizeof(wait->waker_comm));
	work_give(work);
	return 0;
}
