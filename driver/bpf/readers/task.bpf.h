/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* What the current task is: ids, credentials, limits, memory, control groups, arguments. */
#ifndef LANNER_TASK_BPF_H
#define LANNER_TASK_BPF_H

#include "bpf/core/call.bpf.h"
#include "bpf/core/frame.bpf.h"
#include "bpf/readers/file.bpf.h"
#include "bpf/readers/flags.bpf.h"

#include <linux/prctl.h>
#include <linux/sched.h>

enum {
	RLIMIT_NOFILE_INDEX = 7,
	CAPABILITIES = 41,
	EXEC_STRINGS_MAX = 16, /* read of a failed exec's vectors */
	CGROUP_DEPTH_MAX = 6,
	CGROUP_NAME_BYTES = 256,
	CGROUPS_BYTES_MAX = WORK_BYTES - 2 * CGROUP_NAME_BYTES,
	CLONE_CHILD_IN_PIDNS = 1 << 29,
	TASK_EXITING = 4,
	REAPER_THREADS_MAX = 30,
	REAPER_ANCESTORS_MAX = 60,
};

static __always_inline struct task_struct *current_task(struct filler *f)
{
	if (!f->task)
		f->task = (void *)bpf_get_current_task();
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

static __always_inline __u32 task_vm_rss(struct filler *f)
{
	struct mm_struct *mm = GET(current_task(f), mm);

	if (!mm)
		return 0;
	return pages_kib(MM_PAGES(mm, RSS_FILE) + MM_PAGES(mm, RSS_ANON) +
			 MM_PAGES(mm, RSS_SHMEM));
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

/* What a pid is in the namespace `level` levels below the initial one. */
static __always_inline struct upid *pid_upid(struct pid *pid, __u32 level)
{
	return (void *)&pid->numbers[0] + level * bpf_core_type_size(struct upid);
}

static __always_inline int pid_number(struct pid *pid, __u32 level)
{
	struct upid *upid = pid_upid(pid, level);

	return GET(upid, nr);
}

/* The number of a pid where its own namespace sees it. */
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

/* When the first process of the child's pid namespace began; the child's side of a clone alone. */
static __always_inline __u64 pidns_start_ns(struct filler *f)
{
	struct pid_namespace *ns;

	if (f->ret != 0)
		return 0;
	ns = task_pidns(current_task(f));
	return ns ? GET(ns, child_reaper, start_time) : 0;
}

static __always_inline __u64 clone3_read_flags(__u64 args)
{
	__u64 flags = 0;

	bpf_probe_read_user(&flags, sizeof(flags), (void *)args);
	return (__u32)flags;
}

/*
 * The caller's arguments often lie on its stack, where it may be the first to return: the child
 * would read what has been written over them. So the flags of a call that works are noted before
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

/* What a child that has not run yet shares with its maker, as flags of clone. */
static __always_inline __u64 child_flags(struct task_struct *maker, struct task_struct *child)
{
	__u64 flags = 0;

	if (READ(child, pid) != READ(child, tgid))
		flags |= CLONE_THREAD | CLONE_SIGHAND | CLONE_VM;
	if (READ(child, files) == READ(maker, files))
		flags |= CLONE_FILES;
	return flags;
}

static __always_inline bool prctl_is_name(__u32 option)
{
	return option == PR_SET_NAME || option == PR_GET_NAME;
}

/* The second argument of prctl, where it is a name. */
static __always_inline void put_prctl_name(struct filler *f, __u32 option, __u64 argument)
{
	if (prctl_is_name(option))
		put_string(f, argument);
	else
		put_absent(f);
}

/* The second argument of prctl, where it is a number, or what it points to. */
static __always_inline __s64 prctl_number(__u32 option, __u64 argument)
{
	__s32 pointed_to = 0;

	if (prctl_is_name(option))
		return 0;
	if (option != PR_GET_CHILD_SUBREAPER)
		return argument;
	bpf_probe_read_user(&pointed_to, sizeof(pointed_to), (void *)argument);
	return pointed_to;
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

/* The strings between two addresses of the caller, at most `limit` bytes; the last one is a NUL. */
static __always_inline void put_area(struct filler *f, __u64 start, __u64 end, __u64 limit)
{
	__u8 *room = frame_room(f);
	__u64 n = end - start;

	if (!room)
		return;
	if (end <= start || limit == 0) {
		frame_advance(f, 0);
		return;
	}
	if (n > limit)
		n = limit;
	CHECKED(n);
	if (n > STRING_BYTES_MAX)
		n = STRING_BYTES_MAX;
	if (bpf_probe_read_user(room, n, (void *)start)) {
		count_unreadable(f);
		n = 0;
	} else if (n > 0) {
		room[n - 1] = '\0';
	}
	frame_advance(f, n);
}

/*
 * Writes the strings of a vector from `first` on, one behind the other, into the frame that a slot
 * is getting, at `pos`, at most `limit` bytes. Returns the bytes. Not inlined: the verifier walks it
 * once.
 */
__attribute__((noinline)) __u64 strings_read(__u32 slot_key, __u64 pos, __u64 vector, __u32 first,
					     __u64 limit)
{
	struct scratch_slot *slot = bpf_map_lookup_elem(&scratch, &slot_key);
	const struct caller caller = call_caller();
	__u64 at = 0;
	__u8 *room;

	if (!slot || pos > FRAME_BYTES_MAX)
		return 0;
	room = slot_frame(slot) + pos;
	for (__u32 i = 0; i < EXEC_STRINGS_MAX; i++) {
		__u64 address = 0, left;
		const __u32 bytes = word_bytes(slot, caller);
		long n;

		at = forget(slot, at);
		if (at >= limit || at >= STRING_BYTES_MAX ||
		    bpf_probe_read_user(&address, bytes, (void *)vector) || !address)
			break;
		vector += bytes;
		if (i < first)
			continue;
		left = forget(slot, limit - at);
		if (left > STRING_BYTES_MAX)
			left = STRING_BYTES_MAX;
		n = read_user_string(room + at, left, (void *)address);
		if (n <= 0)
			break;
		at += n;
	}
	return at;
}

static __always_inline void put_vector_strings(struct filler *f, __u64 vector, __u32 first,
					       __u64 limit)
{
	__u64 n = strings_read(f->slot_key, f->pos, vector, first, limit);

	frame_advance(f, n & (2 * STRING_BYTES_MAX - 1));
}

/* In place of an argument vector, for calls that have none. */
#define NO_VECTOR (~0ULL)

/* Only the result of an exec is worth forgetting: its readers have most to do. */
static __always_inline bool exec_failed(struct filler *f, __u64 vector)
{
	if (vector == NO_VECTOR || __builtin_constant_p(f->ret))
		return f->ret < 0;
	return call_failed(f);
}

/*
 * argv[0]. A failed exec has not replaced the caller: what it asked for is in `argv`, where none is
 * as good as an empty one, and absent what cannot be read.
 */
static __always_inline void put_exe(struct filler *f, __u64 argv)
{
	struct mm_struct *mm = GET(current_task(f), mm);
	__u64 exe = 0;
	__u8 *room;

	if (exec_failed(f, argv) && argv == NO_VECTOR) {
		put_absent(f);
		return;
	}
	if (!exec_failed(f, argv)) {
		put_string(f, mm ? GET(mm, arg_start) : 0);
		return;
	}
	if (argv && bpf_probe_read_user(&exe, word_bytes(f->slot, f->caller), (void *)argv)) {
		count_unreadable(f);
		put_absent(f);
		return;
	}
	if (exe) {
		put_string(f, exe);
		return;
	}
	f->argv_ended = true;
	room = frame_room(f);
	if (!room)
		return;
	*room = '\0';
	frame_advance(f, 1);
}

/* argv[1] and on, together with argv[0] at most 4096 bytes. Put right behind put_exe(). */
static __always_inline void put_args(struct filler *f, __u64 argv)
{
	struct mm_struct *mm = GET(current_task(f), mm);
	__u16 exe_len = length_put(f, f->param - 1);
	__u64 limit = STRING_BYTES_MAX - (exe_len & (STRING_BYTES_MAX - 1));

	if (exe_len >= STRING_BYTES_MAX || !mm || (exec_failed(f, argv) && argv == NO_VECTOR) ||
	    f->argv_ended)
		put_absent(f);
	else if (exec_failed(f, argv))
		put_vector_strings(f, argv, 1, limit);
	else
		put_area(f, GET(mm, arg_start) + exe_len, GET(mm, arg_end), limit);
}

static __always_inline void put_env(struct filler *f, __u64 envp)
{
	struct mm_struct *mm = GET(current_task(f), mm);

	if (exec_failed(f, envp) && envp)
		put_vector_strings(f, envp, 0, STRING_BYTES_MAX);
	else if (exec_failed(f, envp) || !mm)
		put_absent(f);
	else
		put_area(f, GET(mm, env_start), GET(mm, env_end), STRING_BYTES_MAX);
}

/* In the order of the .scap format. */
enum cgroup_index { CGROUP_CPUSET, CGROUP_CPU, CGROUP_CPUACCT, CGROUP_IO, CGROUP_MEMORY, CGROUPS };

struct cgroup_name {
	char text[12]; /* "name=" */
	__u32 len;
};

static const struct cgroup_name cgroup_names[CGROUPS] = {
	{"cpuset=", 7}, {"cpu=", 4}, {"cpuacct=", 8}, {"io=", 3}, {"memory=", 7},
};

/* The running kernel's number of a subsystem, -1 if it was built without. */
#define CGROUP_SUBSYSTEM(id)                                                                       \
	(bpf_core_enum_value_exists(enum cgroup_subsys_id, id) ?                                   \
		 (int)bpf_core_enum_value(enum cgroup_subsys_id, id) :                             \
		 -1)

static __always_inline int cgroup_subsystem(__u32 index)
{
	switch (index) {
	case CGROUP_CPUSET:
		return CGROUP_SUBSYSTEM(cpuset_cgrp_id);
	case CGROUP_CPU:
		return CGROUP_SUBSYSTEM(cpu_cgrp_id);
	case CGROUP_CPUACCT:
		return CGROUP_SUBSYSTEM(cpuacct_cgrp_id);
	case CGROUP_IO:
		return CGROUP_SUBSYSTEM(io_cgrp_id);
	default:
		return CGROUP_SUBSYSTEM(memory_cgrp_id);
	}
}

/* The innermost nodes from `node` up, without the root, whose name is not part of a path. */
static __always_inline int cgroup_walk(struct kernfs_node *node,
				       struct kernfs_node *nodes[CGROUP_DEPTH_MAX])
{
	int depth = 0;

	for (int i = 0; i < CGROUP_DEPTH_MAX; i++) {
		struct kernfs_node *parent = kernfs_parent(node);

		if (!parent)
			break;
		nodes[i] = node;
		node = parent;
		depth = i + 1;
	}
	return depth;
}

/*
 * Appends "name=/path" and its NUL in the work area of a slot. Returns where the next one goes.
 * Not inlined: the verifier walks it once.
 */
__attribute__((noinline)) __u64 cgroup_append(__u32 slot_key, __u64 task, __u64 at, __u64 index)
{
	struct scratch_slot *slot = bpf_map_lookup_elem(&scratch, &slot_key);
	struct css_set *css_set = GET((struct task_struct *)task, cgroups);
	struct kernfs_node *nodes[CGROUP_DEPTH_MAX] = {}, *node;
	struct cgroup_subsys_state *state = NULL;
	int subsystem = cgroup_subsystem(index), depth;

	CHECKED(index);
	if (!slot || index >= CGROUPS || subsystem < 0 || at > CGROUPS_BYTES_MAX)
		return at;
	bpf_core_read(&state, sizeof(state), (void *)&css_set->subsys + subsystem * sizeof(state));
	node = GET(state, cgroup, kn);
	if (!node)
		return at;
	depth = cgroup_walk(node, nodes);
	__builtin_memcpy(slot->work + at, cgroup_names[index].text, 8);
	at += cgroup_names[index].len & 15;
	if (depth == 0) {
		slot->work[at++] = '/';
		slot->work[at++] = '\0';
		return at;
	}
	for (int i = CGROUP_DEPTH_MAX - 1; i >= 0; i--) {
		long n;

		at = forget(slot, at);
		if (i >= depth || at > CGROUPS_BYTES_MAX)
			continue;
		slot->work[at] = '/';
		n = bpf_probe_read_kernel_str(slot->work + at + 1, CGROUP_NAME_BYTES,
					      GET(nodes[i], name));
		at += n > 0 ? n : 0;
	}
	return at + 1;
}

static __always_inline void put_cgroups(struct filler *f)
{
	__u64 task = (__u64)current_task(f), at = 0;
	__u8 *room = frame_room(f);

	if (!room)
		return;
	for (__u32 i = 0; i < CGROUPS; i++)
		at = cgroup_append(f->slot_key, task, at, i);
	CHECKED(at);
	if (at > WORK_BYTES)
		at = 0;
	bpf_probe_read_kernel(room, at, f->slot->work);
	frame_advance(f, at);
}

#endif
