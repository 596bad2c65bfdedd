/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* What a new task shares with its parent. */
#ifndef LANNER_CLONE_BPF_H
#define LANNER_CLONE_BPF_H

#include "bpf/readers/flags.bpf.h"
#include "bpf/readers/task.bpf.h"

#include <linux/sched.h>

enum { CLONE_CHILD_IN_PIDNS = 1 << 29 };

static __always_inline __u64 clone3_read_flags(__u64 args)
{
	__u64 flags = 0;

	bpf_probe_read_user(&flags, sizeof(flags), (void *)args);
	return (__u32)flags;
}

/*
 * The caller's arguments are often on its stack, and it may return before the child reads them: the
 * child would read what has overwritten them. So the flags of a successful call are noted before
 * the child runs.
 */
static __always_inline void clone3_note(struct task_struct *caller, struct task_struct *child,
					__u64 args)
{
	__u32 caller_tid = GET(caller, pid), child_tid = GET(child, pid);
	__u64 flags = clone3_read_flags(args);

	bpf_map_update_elem(&clone3_noted, &caller_tid, &flags, BPF_ANY);
	if (!CHILD_EVENT_AT_FORK)
		bpf_map_update_elem(&clone3_noted, &child_tid, &flags, BPF_ANY);
}

static __always_inline __u64 clone3_flags(struct filler *f, __u64 args)
{
	__u32 tid = current_tid();
	__u64 *noted = f->ret >= 0 ? bpf_map_lookup_elem(&clone3_noted, &tid) : NULL;
	__u64 flags;

	if (!noted)
		return clone3_read_flags(args);
	flags = *noted;
	bpf_map_delete_elem(&clone3_noted, &tid);
	return flags;
}

static __always_inline __u32 clone_flags(struct filler *f, __u64 native)
{
	struct task_struct *task = current_task(f);
	struct pid_namespace *ns = task_pidns(task);
	__u32 flags = clone_flags_stored(native);

	if (GET(task, thread_pid, level) || GET(task, nsproxy, pid_ns_for_children) != ns)
		flags |= CLONE_CHILD_IN_PIDNS;
	return flags;
}

/* At sched_process_fork: what the child, which has not run yet, shares with its parent, as flags. */
static __always_inline __u64 child_flags(struct filler *f)
{
	struct task_struct *parent = (void *)((__u64 *)f->ctx)[0];
	struct task_struct *child = (void *)((__u64 *)f->ctx)[1];
	__u64 flags = 0;

	if (READ(child, pid) != READ(child, tgid))
		flags |= CLONE_THREAD | CLONE_SIGHAND | CLONE_VM;
	if (READ(child, files) == READ(parent, files))
		flags |= CLONE_FILES;
	return flags;
}

#endif
