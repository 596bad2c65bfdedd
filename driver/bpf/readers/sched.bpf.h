/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Scheduler switches and attributes, and what a thread has used and may use. */
#ifndef LANNER_SCHED_BPF_H
#define LANNER_SCHED_BPF_H

#include "bpf/core/budget.bpf.h"
#include "bpf/core/follow.bpf.h"
#include "bpf/core/frame.bpf.h"
#include "bpf/core/kernel_filter.bpf.h"
#include "bpf/core/share_owner.bpf.h"
#include "bpf/core/switched.bpf.h"
#include "bpf/readers/time.bpf.h"
#include "bpf/readers/user_memory.bpf.h"

DEFINE_USER_STRUCT(sched_attr)
DEFINE_USER_STRUCT_OF_TWO_FORMS(rusage, narrow_times)

/* At sched_switch: the next task. The current task is still the previous one. */
static __always_inline struct task_struct *switch_next(struct filler *f)
{
	return (void *)((__u64 *)f->ctx)[2];
}

DEFINE_USER_STRUCT_OF_TWO_FORMS(rlimit, narrow_limits)

/* A limit that a call takes; zeros if there is none. */
static __always_inline struct user_rlimit limit_given(struct filler *f, __u64 address)
{
	return read_rlimit(f, address).value;
}

/* A limit that a call returns; -1 if it failed. */
static __always_inline struct user_rlimit limit_got(struct filler *f, __u64 address)
{
	return f->ret == 0 ? limit_given(f, address) : (struct user_rlimit){-1, -1};
}

/*
 * How long threads wait for a CPU: from when they are woken, or lose theirs while they could go on,
 * until one begins to run them. Only those that wait now have a note, so that what a machine has of
 * sleeping threads takes no room.
 */

enum {
	RUNNABLE_MAX = 65536,
	RUNNABLE_SPARE_MAX = 16384,
	RUNNABLE_OWNERS = 1024, /* place 0 stands for all */
};

/*
 * Key: thread. Since when it waits, by the boot clock. User space makes these maps small without the
 * event.
 */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, RUNNABLE_MAX);
	__type(key, __u32);
	__type(value, __u64);
} runnable_since SEC(".maps");

struct spare_note {
	__u64 since;
	__u32 place;
	__u32 unused;
};

/* The same when that is full, for whoever has less of it than is left for others. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, RUNNABLE_SPARE_MAX);
	__type(key, __u32);
	__type(value, struct spare_note);
} runnable_spare SEC(".maps");

/* How many of these each owner of a share has. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, RUNNABLE_OWNERS);
	__type(key, __u32);
	__type(value, __u32);
} runnable_owners SEC(".maps");

const volatile __u32 runnable_spare_max = RUNNABLE_SPARE_MAX;

static __always_inline __u32 spare_count(__u32 place)
{
	__u32 *count = bpf_map_lookup_elem(&runnable_owners, &place);

	return count ? *(volatile __u32 *)count : 0;
}

static __always_inline void spare_add(__u32 place, __s32 change)
{
	__u32 *count = bpf_map_lookup_elem(&runnable_owners, &place);

	if (count)
		__sync_fetch_and_add(count, change);
}

/* Takes the note of a thread away. Returns since when it has waited; 0: it had none. */
static __always_inline __u64 spare_take(__u32 tid)
{
	struct spare_note *note = spare_count(0) ? bpf_map_lookup_elem(&runnable_spare, &tid) : NULL;
	__u64 since;
	__u32 place;

	if (!note)
		return 0;
	since = note->since;
	place = note->place;
	if (bpf_map_delete_elem(&runnable_spare, &tid))
		return since;
	spare_add(place, -1);
	spare_add(0, -1);
	return since;
}

/* Returns whether there is room. Not inlined, as it is for few. */
static __attribute__((noinline)) bool spare_put(struct task_struct *task, __u32 tid, __u64 since)
{
	struct spare_note note = {.since = since};
	long err;

	note.place = 1 + (share_owner(task) * 0x9e3779b97f4a7c15 >> 32) % (RUNNABLE_OWNERS - 1);
	if (spare_count(note.place) >= runnable_spare_max - spare_count(0))
		return false;
	err = bpf_map_update_elem(&runnable_spare, &tid, &note, BPF_NOEXIST);
	if (err)
		return err == -EEXIST;
	spare_add(note.place, 1);
	spare_add(0, 1);
	return true;
}

/* The idle tasks of CPUs have the number 0, and wait for nothing. */
static __always_inline void runnable_note(struct task_struct *task, __u32 tid, __u64 now, __u64 flags)
{
	long err = tid ? bpf_map_update_elem(&runnable_since, &tid, &now, flags) : 0;

	if (err && err != -EEXIST && !spare_put(task, tid, now))
		count_lost(EVENT_runqueue, LOSS_IN_FLIGHT);
}

static __always_inline int note_woken_run(__u64 *ctx)
{
	struct task_struct *woken = (void *)ctx[0];

	/* Who was put off its CPU before has waited since then. */
	runnable_note(woken, READ(woken, pid), bpf_ktime_get_boot_ns(), BPF_NOEXIST);
	return 0;
}

static __always_inline int note_woken_new_run(__u64 *ctx)
{
	return note_woken_run(ctx);
}

/* The current thread goes off its CPU: it waits for one again, or for something else. */
static __always_inline void runnable_leave(struct task_struct *task, bool preempted, __u64 now)
{
	const __u64 state = task_state(task);
	__u32 tid = READ(task, pid);

	/* It may have been woken while it ran. */
	if (tid)
		spare_take(tid);
	if (!(state & TASK_DEAD_BITS) && (preempted || !state || state & TASK_WAKING_BIT))
		runnable_note(task, tid, now, BPF_ANY);
	else if (tid && bpf_map_lookup_elem(&runnable_since, &tid))
		bpf_map_delete_elem(&runnable_since, &tid);
}

/* Since when a thread has waited that runs now; 0: it is not known. */
static __always_inline __u64 runnable_take(__u32 tid)
{
	__u64 *since = tid ? bpf_map_lookup_elem(&runnable_since, &tid) : NULL;
	__u64 spare = tid ? spare_take(tid) : 0, taken;

	if (!since)
		return spare;
	taken = *since;
	bpf_map_delete_elem(&runnable_since, &tid);
	/* It was put off its CPU while there was no room, and woken when there was. */
	return spare && spare < taken ? spare : taken;
}

/* At sched_switch, of the thread that runs next: returns whether anybody wants to know of its wait. */
static __always_inline bool runqueue_find(struct filler *f, __u64 *ctx, __u16 event)
{
	struct task_struct *prev = (void *)ctx[1], *next = (void *)ctx[2];
	__u64 now = bpf_ktime_get_boot_ns();
	__u32 pid = READ(next, tgid);

	runnable_leave(prev, ctx[0], now);
	f->since_ns = runnable_take(READ(next, pid));
	if (!f->since_ns || is_own_pid(pid) || (follows && followed_lacks(pid, event)))
		return false;
	f->since_ns = now > f->since_ns ? now - f->since_ns : 0;
	if (exit_is_rejected(f->self, event, (long)f->since_ns, 0, 0) || budget_sheds(event))
		return false;
	f->task = next;
	f->of_child = true;
	return true;
}

static __always_inline struct task_struct *runqueue_prev(struct filler *f)
{
	return (void *)((__u64 *)f->ctx)[1];
}

#endif
