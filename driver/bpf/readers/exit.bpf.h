/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* The end of a task: its status, and who inherits its children. */
#ifndef LANNER_EXIT_BPF_H
#define LANNER_EXIT_BPF_H

#include "bpf/readers/task.bpf.h"

enum {
	TASK_EXITING = 4,
	REAPER_THREADS_MAX = 30,
	REAPER_ANCESTORS_MAX = 60,
};

static __always_inline __s64 exit_status(struct filler *f)
{
	return GET(current_task(f), exit_code);
}

static __always_inline __u8 exit_signal(struct filler *f)
{
	__u8 signal = exit_status(f) & 0x7f;

	return signal == 0x7f ? 0 : signal;
}

/*
 * The first thread of a task's group that is not exiting, 0 if there is none. Addresses are numbers
 * here: a function that is not inlined, which the verifier walks once, can take nothing else.
 */
__attribute__((noinline)) __u64 live_thread(__u64 task)
{
	struct signal_struct *signal = GET((struct task_struct *)task, signal);
	struct list_head *head = (void *)signal +
				 bpf_core_field_offset(struct signal_struct, thread_head);
	struct list_head *node = READ(head, next);

	for (int i = 0; i < REAPER_THREADS_MAX && node && node != head; i++) {
		struct task_struct *thread =
			(void *)node - bpf_core_field_offset(struct task_struct, thread_node);

		if (!(GET(thread, flags) & TASK_EXITING))
			return (__u64)thread;
		node = READ(node, next);
	}
	return 0;
}

/*
 * The thread that inherits the orphans of a namespace whose first process is `first`, if the search
 * reaches that ancestor; 0: continue above it.
 */
__attribute__((noinline)) __u64 ancestor_inherits(__u64 ancestor_at, __u64 first, __u64 ns)
{
	struct task_struct *ancestor = (void *)ancestor_at;
	struct signal_struct *signal;

	/* The parent of a task is the thread that created it, not only its process. */
	if (!ancestor || (__u64)READ(ancestor, group_leader) == first ||
	    (__u64)task_pidns(ancestor) != ns)
		return (__u64)READ((struct pid_namespace *)ns, child_reaper);
	signal = READ(ancestor, signal);
	if (!BPF_CORE_READ_BITFIELD_PROBED(signal, is_child_subreaper))
		return 0;
	return live_thread(ancestor_at);
}

/*
 * The thread that inherits the children of the exiting task: a live thread of its process, else of
 * the nearest ancestor that is a subreaper, else of the first process of the namespace. 0: no
 * children, or no such thread; -1: not found within the bounds.
 */
static __always_inline __s64 reaper_tid(struct filler *f)
{
	struct task_struct *task = current_task(f), *first, *ancestor, *thread;
	struct list_head *children = &task->children;
	struct pid_namespace *ns;

	if (READ(task, children.next) == children)
		return 0;
	thread = (void *)live_thread((__u64)task);
	if (thread)
		return READ(thread, pid);
	ns = task_pidns(task);
	first = READ(ns, child_reaper, group_leader);
	if (first == READ(task, group_leader))
		return 0;
	ancestor = READ(task, real_parent);
	for (int i = 0; i < REAPER_ANCESTORS_MAX; i++) {
		thread = (void *)ancestor_inherits((__u64)ancestor, (__u64)first, (__u64)ns);
		if (thread)
			return READ(thread, pid);
		ancestor = READ(ancestor, real_parent);
	}
	return -1;
}

#endif
