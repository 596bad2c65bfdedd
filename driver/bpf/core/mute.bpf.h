/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Muted processes: the filter rejects all of their events, whatever these are, so that their calls
 * are dropped, also those that only the state would need. The verifier removes all of this where
 * the filter cannot say so of any process.
 *
 * User space puts a process into the map before it decides, and mutes it only if it is still there
 * then (userspace/agent/run/mutes.h). Here it is removed when something begins that the decision
 * depends on, after the time of that event was taken: an event that is older than the entry is part
 * of the decision, and one that is younger prevents it.
 */
#ifndef LANNER_MUTE_BPF_H
#define LANNER_MUTE_BPF_H

#include "bpf/core/event_ids.bpf.h"
#include "bpf/core/filler.bpf.h"

/*
 * Key: process. Value: exec_id_of() the program that is muted; 0: it is not muted yet. User space
 * makes it small if no process can be muted.
 */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, MUTED_MAX);
	__type(key, __u32);
	__type(value, __u64);
} muted SEC(".maps");

/* A number that another program of the same process does not have, nor a process that began later. */
static __always_inline __u64 program_of(struct task_struct *task)
{
	struct mm_struct *mm = GET(task, mm);

	return exec_id_of(GET(task, group_leader, start_boottime) / TICK_NS,
			  mm ? GET(mm, start_stack) : 0);
}

/* Whether a call of `task` is dropped; it is counted then. Not inlined, as kernel_filter_run(). */
static __attribute__((noinline)) bool mute_drops(struct task_struct *task, __u32 event)
{
	struct event_counters *of_event;
	__u64 *program;
	__u32 pid;

	if (event >= EVENT_ID_MAX || kernel_filters.mute[event] != KERNEL_MUTE_DROPS)
		return false;
	pid = pid_of(task);
	program = bpf_map_lookup_elem(&muted, &pid);
	if (!program || *program != program_of(task))
		return false;
	of_event = bpf_map_lookup_elem(&counters, &event);
	if (of_event) {
		count(&of_event->filtered);
		count(&of_event->muted);
	}
	return true;
}

/* Of a task that an event is about: it is another one if that is moved. */
static __always_inline __u32 mute_ended_pid(struct filler *f)
{
	struct task_struct *moved = (void *)((__u64 *)f->ctx)[2];

	return f->event == EVENT_cgroup_attach ? (__u32)READ(moved, tgid) : event_pid(f);
}

/* A process that creates another one stays muted; the other one begins with nothing. */
static __always_inline void mute_end(struct filler *f)
{
	__u32 pid;

	if (!kernel_filters.mutes || kernel_filters.mute[f->event] != KERNEL_MUTE_ENDS ||
	    (event_has(f->event, EF_MAKES_TASK) && f->ret))
		return;
	pid = mute_ended_pid(f);
	bpf_map_delete_elem(&muted, &pid);
}

#endif
