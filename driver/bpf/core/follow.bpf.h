/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Processes that were chosen: --pid, or a command and its children. Of others nothing is captured,
 * whatever the state would need: user space reads what comes from them where it arrives. It puts
 * the first ones into the map; the kernel adds their children and removes those that ended. The
 * verifier removes all of this where all processes are captured.
 *
 * A process that shall lose nothing is stopped, in the call whose exit finds the ring of its CPU
 * filled beyond a mark: that takes no time to react, and what its threads still write finds room
 * behind the mark.
 */
#ifndef LANNER_FOLLOW_BPF_H
#define LANNER_FOLLOW_BPF_H

#include "bpf/core/filler.bpf.h"
#include "bpf/core/ring.bpf.h"

enum { STOP_SIGNAL = 19 }; /* SIGSTOP, whose header has more than numbers */

/* Key: process. User space makes it small if all are captured. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, FOLLOWED_MAX);
	__type(key, __u32);
	__type(value, struct followed_process);
} followed SEC(".maps");

__u32 followed_overflows; /* one is missing there: then all are captured */

static __always_inline struct followed_process *followed_find(struct task_struct *task)
{
	__u32 pid = pid_of(task);

	return bpf_map_lookup_elem(&followed, &pid);
}

/* Whether events of that id of a process are left out. Not inlined, as kernel_filter_run(). */
static __attribute__((noinline)) bool followed_lacks(__u32 pid, __u32 event)
{
	struct followed_process *process;
	__u8 whose;

	if (followed_overflows || event >= EVENT_ID_MAX)
		return false;
	whose = followed_of[event];
	if (whose == FOLLOWED_ALL)
		return false;
	process = bpf_map_lookup_elem(&followed, &pid);
	return !process || (process->kin && whose != FOLLOWED_KIN);
}

static __always_inline bool is_left_out(struct task_struct *task, __u32 event)
{
	return follows && followed_lacks(pid_of(task), event);
}

/*
 * Stops the process of a task if its ring is too full. The signal precedes the note of it, so that
 * the SIGCONT of whoever reads the note comes later. Each call sends it: another one may have
 * continued the process.
 */
static __attribute__((noinline)) bool follow_hold(struct task_struct *task)
{
	struct ring_use *ring =
		ring_of_slot(bpf_get_smp_processor_id() * SCRATCH_SLOTS_PER_CPU);
	struct followed_process *process;

	if (!ring || !ring->mark || (__s64)(ring->sent - ring->read) <= (__s64)ring->mark)
		return false;
	process = followed_find(task);
	if (!process || process->kin || bpf_send_signal(STOP_SIGNAL))
		return false;
	process->held = 1;
	if (!ring->held_ns)
		ring->held_ns = bpf_ktime_get_boot_ns();
	return true;
}

/* A child of a chosen process is chosen, too, if that is wanted. */
static __always_inline int note_followed_run(__u64 *ctx)
{
	struct task_struct *parent = (void *)ctx[0], *child = (void *)ctx[1];
	struct followed_process added = {.group = (__u64)READ(child, signal)}, *creator;
	__u32 pid = READ(child, tgid);

	creator = followed_find(parent);
	if (!creator || creator->kin || !follows_children || pid == (__u32)READ(parent, tgid))
		return 0;
	if (bpf_map_update_elem(&followed, &pid, &added, BPF_ANY))
		followed_overflows = 1;
	return 0;
}

/*
 * When the last thread is freed: until then each may have events. The thread that executes a
 * program takes the id of the first one, which is freed before; and an id may be that of another
 * process by now.
 */
static __always_inline int forget_followed_run(__u64 *ctx)
{
	struct task_struct *task = (void *)ctx[0];
	struct signal_struct *group = READ(task, signal);
	__u32 pid = READ(task, tgid);
	struct followed_process *process = bpf_map_lookup_elem(&followed, &pid);

	if (process && (!process->group || process->group == (__u64)group) &&
	    !READ(group, nr_threads))
		bpf_map_delete_elem(&followed, &pid);
	return 0;
}

#endif
