/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * What is kept of a sample and of a wait: stacks, each once; rows with their sums; and what user
 * space could not ask any more when a process has ended.
 */
#ifndef PROFILE_RECORD_BPF_H
#define PROFILE_RECORD_BPF_H

#include "bpf/profile/unwind.bpf.h"

struct task_struct___exec {
	__u64 self_exec_id;
} __attribute__((preserve_access_index));

/* Keeps work->stack. Returns its name. */
static __always_inline __u64 keep_stack(struct work *work)
{
	__u64 hash = (work->hash ^ work->stack.lack) * 0xbf58476d1ce4e5b9ULL | 2;
	struct profile_stack *kept;

	if (!work->stack.count && !work->stack.lack)
		return PROFILE_NO_STACK;
	kept = bpf_map_lookup_elem(&stacks, &hash);
	work->stack.generation = generation;
	if (kept) {
		kept->generation = generation;
		return hash;
	}
	work->stack.share = work->share;
	if (take_share(work->share, PROFILE_SHARED_STACKS, stacks_max)) {
		if (bpf_map_update_elem(&stacks, &hash, &work->stack, BPF_ANY) == 0)
			return hash;
		give_share(work->share, PROFILE_SHARED_STACKS);
	}
	lose(PROFILE_LOST_STACK);
	return PROFILE_STACK_LOST;
}

static __always_inline void use_stack(__u64 hash)
{
	struct profile_stack *kept = hash > PROFILE_STACK_LOST ? bpf_map_lookup_elem(&stacks, &hash) : NULL;

	if (kept)
		kept->generation = generation;
}

/* Those of a wait that is a row of this generation now: they stay until it was read. */
static __always_inline void use_stacks(const struct profile_stacks *used)
{
	use_stack(used->kernel);
	use_stack(used->user);
	use_stack(used->waker_kernel);
	use_stack(used->waker_user);
}

/* The kernel's stack, by its own unwinder, of any program's context. */
static __always_inline __u64 keep_kernel_stack(struct work *work, void *ctx)
{
	long bytes;

	begin_stack(work);
	bytes = bpf_get_stack(ctx, work->stack.frames, sizeof(work->stack.frames), 0);
	if (bytes <= 0)
		return PROFILE_NO_STACK;
	for (__u32 i = 0; i < PROFILE_FRAMES_MAX && i < bytes / sizeof(__u64); i++) {
		work->hash = (work->hash ^ work->stack.frames[i]) * 0x9e3779b97f4a7c15ULL;
		work->hash ^= work->hash >> 29;
	}
	work->stack.count = bytes / sizeof(__u64);
	if (work->stack.count >= kernel_frames_max)
		work->stack.lack = PROFILE_TOO_DEEP;
	return keep_stack(work);
}

/* `has_registers`: those of a sample in user mode; else they were saved when the kernel was entered. */
static __always_inline __u64 keep_user_stack(__u32 slot, struct work *work,
					     struct task_struct *task, bool has_registers)
{
	struct mm_struct *mm = BPF_CORE_READ(task, mm);

	if (!mm || BPF_CORE_READ(task, flags) & NO_PROCESS_FLAGS)
		return PROFILE_NO_STACK;
	if (!has_registers && !read_saved_registers(work, task))
		return PROFILE_NO_STACK;
	read_user_stack(slot, work, mm);
	return keep_stack(work);
}

/* Of the first thread of the current process, in its own namespace. */
static __always_inline __u32 read_ns_pid(struct task_struct *leader)
{
	struct pid *pid = BPF_CORE_READ(leader, thread_pid);
	__u32 level = BPF_CORE_READ(pid, level);
	struct upid upid = {};

	bpf_probe_read_kernel(&upid, sizeof(upid),
			      (void *)pid + bpf_core_field_offset(pid->numbers) +
				      (level & 31) * bpf_core_type_size(struct upid));
	return upid.nr;
}

/*
 * Notes the current process, work->process, which is seen for the first time: its id, its user and
 * its name, and tells user space.
 */
__noinline int note_process(__u32 slot)
{
	struct task_struct *task = (void *)bpf_get_current_task(), *leader;
	struct work *work = work_of(slot);
	struct profile_process process = {};
	struct profile_news told = {.kind = PROFILE_NEWS_PROCESS};

	if (!work)
		return 0;
	leader = BPF_CORE_READ(task, group_leader);
	process.cgroup = bpf_get_current_cgroup_id();
	process.uid = BPF_CORE_READ(task, real_cred, euid.val);
	process.ns_pid = read_ns_pid(leader);
	/* While a program is executed it is set twice, last when its arguments are known. */
	if (BPF_CORE_READ(task, mm, env_end))
		process.start_stack = BPF_CORE_READ(task, mm, start_stack);
	bpf_core_read(&process.comm, sizeof(process.comm), &leader->comm);
	told.process = work->process;
	if (!take_share(work->share, PROFILE_SHARED_PROCESSES, PROFILE_PROCESSES)) {
		lose(PROFILE_LOST_PROCESS);
		return 0;
	}
	if (bpf_map_update_elem(&processes, &work->process, &process, BPF_NOEXIST) == 0) {
		tell(&told);
		return 0;
	}
	give_share(work->share, PROFILE_SHARED_PROCESSES);
	if (!bpf_map_lookup_elem(&processes, &work->process))
		lose(PROFILE_LOST_PROCESS);
	return 0;
}

/* Sets work->process. Returns false if none of its stacks is wanted. */
static __always_inline bool identify(__u32 slot, struct work *work, struct task_struct *task)
{
	struct task_struct___exec *has_exec = (void *)task;
	struct profile_process *known;

	work->process.pid = BPF_CORE_READ(task, tgid);
	work->process.start_ns = BPF_CORE_READ(task, group_leader, start_boottime);
	work->process.exec_id = BPF_CORE_READ(has_exec, self_exec_id);
	known = bpf_map_lookup_elem(&processes, &work->process);
	if (!known)
		note_process(slot);
	return !known || !known->is_unwanted;
}

/* Threads that wait, of a share; NULL: they are not counted. */
static __always_inline __u32 *find_waiting(__u64 key)
{
	const __u64 others = PROFILE_SHARE_OF_OTHERS;
	__u32 none = 0, *count = bpf_map_lookup_elem(&waiting, &key);

	if (count)
		return count;
	bpf_map_update_elem(&waiting, &key, &none, BPF_NOEXIST);
	count = bpf_map_lookup_elem(&waiting, &key);
	return count ? count : bpf_map_lookup_elem(&waiting, &others);
}

static __always_inline bool take_wait(__u64 key)
{
	__u32 *count = find_waiting(key);

	if (!count)
		return true;
	if (!has_room(PROFILE_SHARED_WAITS, *count, PROFILE_WAITS))
		return false;
	__sync_fetch_and_add(count, 1);
	add_taken(PROFILE_SHARED_WAITS, 1);
	return true;
}

static __always_inline void give_wait(__u64 key)
{
	__u32 *count = find_waiting(key);

	if (!count || !*count)
		return;
	__sync_fetch_and_add(count, -1);
	add_taken(PROFILE_SHARED_WAITS, -1);
}

/* Keeps the wait of a thread. A kernel may hide switches from some threads, with which one ends. */
static __always_inline void keep_wait(__u32 tid, const struct profile_wait *wait)
{
	struct profile_wait *old = bpf_map_lookup_elem(&waits, &tid);
	__u64 old_share = old ? old->share : 0;

	if (old && bpf_map_delete_elem(&waits, &tid) == 0) {
		give_wait(old_share);
		lose(PROFILE_LOST_END);
	}
	if (!take_wait(wait->share)) {
		lose(PROFILE_LOST_START_OF_SHARE);
		return;
	}
	if (bpf_map_update_elem(&waits, &tid, wait, BPF_ANY) == 0)
		return;
	lose(PROFILE_LOST_START);
	give_wait(wait->share);
}

/* Adds to the row work->row, which has work->count's names when it is new. times: 0 or 1. */
static __always_inline void add_row(struct work *work, __u64 value, __u64 times)
{
	struct profile_count *count;

	work->row.generation = generation;
	count = bpf_map_lookup_elem(&rows, &work->row);
	if (!count && take_share(work->share, PROFILE_SHARED_ROWS, PROFILE_ROWS)) {
		work->count.value = work->count.times = 0;
		bpf_map_update_elem(&rows, &work->row, &work->count, BPF_NOEXIST);
		count = bpf_map_lookup_elem(&rows, &work->row);
	}
	if (!count) {
		lose(PROFILE_LOST_ROW);
		return;
	}
	__sync_fetch_and_add(&count->value, value);
	__sync_fetch_and_add(&count->times, times);
}

static __always_inline bool is_wanted(__u32 pid)
{
	if (pid == own_pid)
		return false;
	return !has_targets || bpf_map_lookup_elem(&targets, &pid);
}

/* The memory of a program on this CPU, or NULL: to be given back. */
static __always_inline struct work *work_take(__u32 slot)
{
	struct work *work = work_of(slot);

	if (!work)
		return NULL;
	if (work->in_use) {
		lose(PROFILE_LOST_IN_USE);
		return NULL;
	}
	work->in_use = 1;
	return work;
}

static __always_inline void work_give(struct work *work)
{
	work->in_use = 0;
}

#endif
