/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Timeouts that the kernel overwrites with what is left of them: ppoll and pselect6 note on entry
 * what was asked for. Notes lie in a table by thread id, where two may meet, and nothing is locked:
 * the second word of a note is made of the first and of the thread, so that a note that two threads
 * wrote is nobody's, unless their timeouts are alike. Without a note the event has what is left.
 */
#ifndef LANNER_TIMEOUT_BPF_H
#define LANNER_TIMEOUT_BPF_H

#include "bpf/readers/time.bpf.h"

enum { TIMEOUT_NOTES = 8192 }; /* a power of two */

/* An odd factor: different for each thread id, and 0 for none. */
#define TIMEOUT_OWNER(tid) ((__u64)(tid) * 0x9e3779b97f4a7c15ULL)

struct timeout_note {
	__u64 ns;
	__u64 check; /* `ns` ^ TIMEOUT_OWNER() of the thread */
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, TIMEOUT_NOTES);
	__type(key, __u32);
	__type(value, struct timeout_note);
} timeouts_noted SEC(".maps");

static __always_inline struct timeout_note *timeout_note_of(__u32 tid)
{
	__u32 key = tid & (TIMEOUT_NOTES - 1);

	return bpf_map_lookup_elem(&timeouts_noted, &key);
}

/*
 * On entry; `address`: a timespec of the native form. What is no time, or too long to be counted, is not noted: the kernel leaves the first
 * as it is, and nobody waits for the end of the second.
 */
static __always_inline int note_timeout(__u64 address)
{
	__u32 tid = current_tid();
	struct timeout_note *note = timeout_note_of(tid);
	struct user_time time = {};
	__u64 ns;

	if (!note)
		return 0;
	*(volatile __u64 *)&note->check = 0;
	if (!address || bpf_probe_read_user(&time, sizeof(time), (void *)address) < 0 ||
	    (__u64)time.seconds >= TIME_MAX_NS / NS_PER_SECOND ||
	    (__u64)time.fraction >= NS_PER_SECOND)
		return 0;
	ns = time.seconds * NS_PER_SECOND + time.fraction;
	*(volatile __u64 *)&note->ns = ns;
	*(volatile __u64 *)&note->check = ns ^ TIMEOUT_OWNER(tid);
	return 0;
}

/*
 * Takes out what the thread noted, if it did. The tracepoints of entries are not those of 32-bit
 * programs, so that a note of theirs is of an earlier program of the thread.
 */
static __always_inline bool timeout_take(struct filler *f, __u64 *ns)
{
	__u32 tid = current_tid();
	struct timeout_note *note = timeout_note_of(tid);
	bool is_own;

	if (!note)
		return false;
	*ns = *(volatile __u64 *)&note->ns;
	is_own = *(volatile __u64 *)&note->check == (*ns ^ TIMEOUT_OWNER(tid));
	if (is_own)
		*(volatile __u64 *)&note->check = 0;
	return is_own && !f->caller.compat;
}

/* As the functions of time.bpf.h, for a timeout that was noted. */
static __always_inline __u64 asked_timespec_ns(struct filler *f, __u64 address)
{
	__u64 ns;

	return timeout_take(f, &ns) ? ns : user_timespec_ns(f, address);
}

static __always_inline __u64 asked_timespec_raw_ns(struct filler *f, __u64 address)
{
	__u64 ns;

	return timeout_take(f, &ns) ? ns : user_timespec_raw_ns(f, address);
}

#endif
