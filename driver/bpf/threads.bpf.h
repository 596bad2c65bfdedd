/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * The threads of all processes, as an iterator: whoever reads its descriptor gets a record of each
 * (iter_thread.h). First threads are read from /proc: only there are the arguments and the
 * environment of their programs. Here are their programs, for those that are gone by then: the
 * iterator follows ascending ids, and comes up with a process that forks and ends all the time.
 */
#ifndef LANNER_THREADS_BPF_H
#define LANNER_THREADS_BPF_H

#include "bpf/core/slot.bpf.h"
#include "bpf/readers/executable.bpf.h"
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

static __always_inline void program_read(struct iter_program *to, struct task_struct *task,
					 struct file *file)
{
	struct inode *inode = GET(file, f_inode);

	to->exec_id = exec_id_of(GET(task, start_boottime) / TICK_NS, READ(task, mm, start_stack));
	to->ino = GET(inode, i_ino);
	to->ctime_ns = inode_ctime_ns(inode);
	to->mtime_ns = inode_mtime_ns(inode);
	to->flags = exe_flags_at((__u64)READ(task, cred), (__u64)file);
}

/*
 * Builds the path in the work area of a slot; for a file that is in no tree, takes its name. Returns
 * where it begins.
 */
static __always_inline __u64 program_path(struct scratch_slot *slot, __u32 key, struct file *file,
					  __u64 *bytes)
{
	__u64 at = path_build(key, forget(slot, (__u64)GET(file, f_path.dentry)),
			      forget(slot, (__u64)GET(file, f_path.mnt)));

	*bytes = PATH_BYTES - at;
	if (at < PATH_BYTES) {
		if (slot->path_is_part)
			*bytes = 0;
		return at;
	}
	*bytes = bpf_probe_read_kernel_str(slot->work, NAME_BYTES_MAX + 1,
					   GET(file, f_path.dentry, d_name.name));
	return 0;
}

/* Threads of the kernel execute nothing; nor does a process that has ended. */
static __always_inline void first_thread_write(struct seq_file *seq, struct task_struct *task)
{
	struct file *file = READ(task, mm, exe_file);
	struct iter_thread record = {
		.flags = ITER_THREAD_FIRST, .tid = (__u32)task->pid, .pid = (__u32)task->tgid};
	struct iter_program program = {0};
	struct scratch_slot *slot;
	__u64 at, bytes;
	__u32 key;

	slot = file ? scratch_take(&key) : NULL;
	if (!slot)
		return;
	program_read(&program, task, file);
	at = program_path(slot, key, file, &bytes);
	CHECKED(at);
	CHECKED(bytes);
	if (bytes > ITER_PATH_BYTES_MAX || at >= PATH_BYTES)
		bytes = 0;
	program.path_bytes = (__u32)bytes;
	bpf_seq_write(seq, &record, sizeof(record));
	bpf_seq_write(seq, &program, sizeof(program));
	if (bytes)
		bpf_seq_write(seq, slot->work + at, bytes);
	scratch_give_back(slot);
}

static __always_inline int threads_run(struct threads_context *ctx)
{
	struct task_struct *task = ctx->task;
	struct iter_thread record = {0};

	if (task && task->pid == task->tgid) {
		first_thread_write(ctx->meta->seq, task);
		return 0;
	}
	if (!task)
		record.flags = ITER_THREAD_END;
	else
		thread_read(&record, task);
	bpf_seq_write(ctx->meta->seq, &record, sizeof(record));
	return 0;
}

#endif
