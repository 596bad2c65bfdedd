/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Properties of the current task: ids, credentials, limits, memory, terminal. */
#ifndef LANNER_TASK_BPF_H
#define LANNER_TASK_BPF_H

#include "bpf/core/call.bpf.h"
#include "bpf/readers/file.bpf.h"

enum {
	RLIMIT_NOFILE_INDEX = 7,
	CAPABILITIES = 41,
};

static __always_inline struct task_struct *current_task(struct filler *f)
{
	if (!f->task) {
		f->task = (void *)bpf_get_current_task();
		/* There always is one: later parameters do not check again. */
		__builtin_assume(f->task != NULL);
	}
	return f->task;
}

static __always_inline __s64 task_tid(struct filler *f)
{
	return event_tid(f);
}

static __always_inline __s64 task_pid(struct filler *f)
{
	return event_pid(f);
}

static __always_inline __s64 task_ptid(struct filler *f)
{
	return GET(current_task(f), real_parent, pid);
}

static __always_inline __u64 task_fdlimit(struct filler *f)
{
	return GET(current_task(f), signal, rlim[RLIMIT_NOFILE_INDEX].rlim_cur);
}

static __always_inline __u64 task_faults_major(struct filler *f)
{
	return GET(current_task(f), maj_flt);
}

static __always_inline __u64 task_faults_minor(struct filler *f)
{
	return GET(current_task(f), min_flt);
}

static __always_inline __u32 pages_kib(__u64 pages)
{
	return pages << kib_per_page_shift;
}

static __always_inline __u32 task_vm_size(struct filler *f)
{
	struct mm_struct *mm = GET(current_task(f), mm);

	return mm ? pages_kib(GET(mm, total_vm)) : 0;
}

static __always_inline __u32 mm_rss_kib(struct mm_struct *mm)
{
	return pages_kib(MM_PAGES(mm, RSS_FILE) + MM_PAGES(mm, RSS_ANON) +
			 MM_PAGES(mm, RSS_SHMEM));
}

static __always_inline __u32 task_vm_rss(struct filler *f)
{
	struct mm_struct *mm = GET(current_task(f), mm);

	return mm ? mm_rss_kib(mm) : 0;
}

static __always_inline __u32 task_vm_swap(struct filler *f)
{
	struct mm_struct *mm = GET(current_task(f), mm);

	return mm ? pages_kib(MM_PAGES(mm, RSS_SWAP)) : 0;
}

static __always_inline __u32 task_euid(struct filler *f)
{
	return GET(current_task(f), cred, euid.val);
}

static __always_inline __u32 task_egid(struct filler *f)
{
	return GET(current_task(f), cred, egid.val);
}

/* Capability sets have 64 bits, before 6.3 as two words of 32. */
#define DEFINE_TASK_CAP(set)                                                                       \
	static __always_inline __u64 task_##set(struct filler *f)                                  \
	{                                                                                          \
		const struct cred *cred = GET(current_task(f), cred);                              \
		__u64 caps = 0;                                                                    \
                                                                                                   \
		bpf_core_read(&caps, sizeof(caps), &cred->set);                                    \
		return caps & ((1ULL << CAPABILITIES) - 1);                                        \
	}

DEFINE_TASK_CAP(cap_inheritable)
DEFINE_TASK_CAP(cap_permitted)
DEFINE_TASK_CAP(cap_effective)

static __always_inline __u32 task_loginuid(struct filler *f)
{
	struct task_struct *task = current_task(f);

	return bpf_core_field_exists(task->loginuid) ? GET(task, loginuid.val) : (__u32)-1;
}

static __always_inline void put_comm(struct filler *f)
{
	put_kernel_string(f, &current_task(f)->comm, sizeof(f->task->comm));
}

/* The entry of a pid for the namespace `level` levels below the initial one. */
static __always_inline struct upid *pid_upid(struct pid *pid, __u32 level)
{
	return (void *)&pid->numbers[0] + level * bpf_core_type_size(struct upid);
}

static __always_inline int pid_number(struct pid *pid, __u32 level)
{
	struct upid *upid = pid_upid(pid, level);

	return GET(upid, nr);
}

/* The number of a pid in its own namespace. */
static __always_inline __s64 pid_number_inner(struct pid *pid)
{
	return pid ? pid_number(pid, GET(pid, level)) : 0;
}

static __always_inline __s64 task_vtid(struct filler *f)
{
	return pid_number_inner(GET(current_task(f), thread_pid));
}

static __always_inline __s64 task_vpid(struct filler *f)
{
	return pid_number_inner(GET(current_task(f), signal, pids[PIDTYPE_TGID]));
}

static __always_inline __s64 task_vpgid(struct filler *f)
{
	return pid_number_inner(GET(current_task(f), signal, pids[PIDTYPE_PGID]));
}

static __always_inline __s64 task_pgid(struct filler *f)
{
	struct pid *pid = GET(current_task(f), signal, pids[PIDTYPE_PGID]);

	return pid ? pid_number(pid, 0) : 0;
}

static __always_inline struct pid_namespace *task_pidns(struct task_struct *task)
{
	struct pid *pid = GET(task, thread_pid);
	struct upid *upid;

	if (!pid)
		return NULL;
	upid = pid_upid(pid, GET(pid, level));
	return READ(upid, ns);
}

static __always_inline __u64 task_exec_id(struct filler *f)
{
	struct task_struct *task = current_task(f);
	struct mm_struct *mm = GET(task, mm);

	return exec_id_of(GET(task, group_leader, start_boottime) / TICK_NS,
			  mm ? GET(mm, start_stack) : 0);
}

/*
 * The start time of the first process of the child's pid namespace; only at the child's side of a
 * clone, else 0.
 */
static __always_inline __u64 pidns_start_ns(struct filler *f)
{
	struct pid_namespace *ns;

	if (f->ret != 0)
		return 0;
	ns = task_pidns(current_task(f));
	return ns ? GET(ns, child_reaper, start_time) : 0;
}

static __always_inline __u32 task_tty(struct filler *f)
{
	struct tty_struct *tty = GET(current_task(f), signal, tty);

	if (!tty)
		return 0;
	return device_encode((__u32)GET(tty, driver, major) << 20 |
			     GET(tty, driver, minor_start)) +
	       GET(tty, index);
}

#endif
