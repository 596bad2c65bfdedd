/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * The threads of all processes but the first of each, as an iterator: whoever reads its descriptor
 * gets a record of each (iter_thread.h). First threads are read from /proc: only there are the
 * arguments and the environment of their programs.
 */
#ifndef LANNER_THREADS_BPF_H
#define LANNER_THREADS_BPF_H

#include "bpf/readers/task.bpf.h"
#include "iter_thread.h"

/* As the kernel passes it to programs. */
struct threads_context {
	struct bpf_iter_meta *meta;
	struct task_struct *task; /* NULL: no more */
};

static __always_inline void thread_read_cred(struct iter_thread *to, const struct cred *cred)
{
	const __u64 all = (1ULL << CAPABILITIES) - 1;

	to->uid = GET(cred, euid.val);
	to->gid = GET(cred, egid.val);
	bpf_core_read(&to->caps_permitted, sizeof(__u64), &cred->cap_permitted);
	bpf_core_read(&to->caps_effective, sizeof(__u64), &cred->cap_effective);
	bpf_core_read(&to->caps_inheritable, sizeof(__u64), &cred->cap_inheritable);
	to->caps_permitted &= all;
	to->caps_effective &= all;
	to->caps_inheritable &= all;
}

static __always_inline void thread_read(struct iter_thread *to, struct task_struct *task)
{
	struct pid *pid = GET(task, thread_pid);

	to->tid = (__u32)task->pid;
	to->pid = (__u32)task->tgid;
	if (pid) {
		struct upid *own = pid_upid(pid, GET(pid, level));

		to->vtid = GET(own, nr);
	}
	to->loginuid = bpf_core_field_exists(task->loginuid) ? GET(task, loginuid.val) : (__u32)-1;
	to->start_ns = task->start_boottime;
	to->faults_minor = task->min_flt;
	to->faults_major = task->maj_flt;
	if (GET(task, cgroups) != GET(task, group_leader, cgroups))
		to->flags |= ITER_THREAD_OWN_CGROUPS;
	thread_read_cred(to, GET(task, real_cred));
	bpf_core_read(to->comm, sizeof(to->comm), &task->comm);
}

static __always_inline int threads_run(struct threads_context *ctx)
{
	struct task_struct *task = ctx->task;
	struct iter_thread record = {0};

	if (!task)
		record.flags = ITER_THREAD_END;
	else if (task->pid == task->tgid)
		return 0;
	else
		thread_read(&record, task);
	bpf_seq_write(ctx->meta->seq, &record, sizeof(record));
	return 0;
}

#endif
