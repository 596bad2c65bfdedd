/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * The entry times of the calls in progress, in a table by thread id, where two threads may share an
 * entry; then the time of one is not known. There is no lock: a thread writes both words of its
 * time, and both contain its id, so that words of two threads are not taken for one time. A call
 * removes its time on exit, and its number is compared too, as some calls begin without a
 * tracepoint (the child's side of a clone, those that seccomp rejects) and some do not end at one
 * (rt_sigreturn, an exec that changes the thread id). Calls that end a thread are not noted: the
 * next call with that id and number may be a rejected one.
 */
#ifndef LANNER_LATENCY_BPF_H
#define LANNER_LATENCY_BPF_H

#include "bpf/core/frame.bpf.h"

enum {
	TID_BITS = 22, /* PID_MAX_LIMIT of include/linux/threads.h */
	LOW_BITS = 64 - TID_BITS, /* of a time, beside a thread id */
	HIGH_BITS = 64 - LOW_BITS, /* of a time: the others */
	CALL_ID_COMPAT = SYSCALL_NR_MAX, /* in the id of a call, beside its number */
	CALL_ID_NUMBER = SYSCALL_NR_MAX - 1,
};

#define LOW_MASK ((1ULL << LOW_BITS) - 1)

struct enter_time {
	__u64 low; /* thread, lower bits of the time; 0: none */
	__u64 high; /* thread, id of the call, upper bits of the time */
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, ENTER_TIMES);
	__type(key, __u32);
	__type(value, struct enter_time);
} enter_times_noted SEC(".maps");

static __always_inline struct enter_time *enter_time_of(__u32 tid)
{
	__u32 key = tid & (ENTER_TIMES - 1);

	return bpf_map_lookup_elem(&enter_times_noted, &key);
}

/* Which call it is, by its number. */
static __always_inline __u32 call_id(struct pt_regs *regs, struct task_struct *task)
{
	return (call_number(regs) & CALL_ID_NUMBER) | (call_is_compat(regs, task) ? CALL_ID_COMPAT : 0);
}

static __always_inline __u64 high_word(__u32 tid, __u32 id, __u64 ns)
{
	return (__u64)tid << LOW_BITS | (__u64)id << HIGH_BITS | ns >> LOW_BITS;
}

static __always_inline __u64 low_word(__u32 tid, __u64 ns)
{
	return (__u64)tid << LOW_BITS | (ns & LOW_MASK);
}

static __always_inline void enter_time_note(__u32 tid, __u32 id)
{
	struct enter_time *time = enter_time_of(tid);
	__u64 now = bpf_ktime_get_boot_ns();

	if (!time)
		return;
	*(volatile __u64 *)&time->high = high_word(tid, id, now);
	*(volatile __u64 *)&time->low = low_word(tid, now);
}

static __always_inline bool is_anothers(__u64 word, __u32 tid)
{
	return word && word >> LOW_BITS != tid;
}

static __always_inline void count_untimed(void)
{
	__u32 zero = 0;
	struct driver_counters *driver = bpf_map_lookup_elem(&driver_counters, &zero);

	if (driver)
		count(&driver->untimed);
}

/* The call that an entry has; enter_time_take() checks whether the entry is the thread's own. */
static __always_inline __u32 enter_time_id(struct enter_time *time)
{
	return (*(volatile __u64 *)&time->high & LOW_MASK) >> HIGH_BITS;
}

/*
 * Removes and returns the entry time of the thread's call, in ns of the boot clock; 0 if `time`, the
 * entry of that thread id, is of another call or thread.
 */
static __always_inline __u64 enter_time_take(struct enter_time *time, __u32 tid, __u32 id)
{
	__u64 low = *(volatile __u64 *)&time->low, high = *(volatile __u64 *)&time->high;
	__u64 ns = (low & LOW_MASK) | high << LOW_BITS;

	if (low == low_word(tid, ns) && high == high_word(tid, id, ns)) {
		*(volatile __u64 *)&time->low = 0;
		return ns;
	}
	/* Both are checked: a call that has ended since has left its upper word. */
	if (is_anothers(low, tid) || is_anothers(high, tid))
		count_untimed();
	return 0;
}

/* Removes and returns the entry time of the current call; 0 if it is not known. */
static __always_inline __u64 call_time_take(struct pt_regs *regs)
{
	struct task_struct *task = this_task();
	__u32 tid = tid_of(task), id = call_id(regs, task);
	struct enter_time *time = enter_time_of(tid);

	return time ? enter_time_take(time, tid, id) : 0;
}

#endif
