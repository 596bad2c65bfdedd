/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Timeouts that the kernel overwrites with the time left: for ppoll and pselect6 the timeout is
 * noted on entry. Notes are in a table by thread id, where two threads may share an entry, without
 * a lock: the second word of a note is computed from the first and the thread, so that a note that
 * two threads wrote is valid for neither, unless their timeouts are equal. Without a note the event
 * has the time left.
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
 * On entry; `address`: a timespec of the native form. An invalid time, or one that is too long to
 * be counted, is not noted: the kernel leaves the former as it is, and no process waits for the end
 * of the latter.
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
 * Removes and returns the thread's note, if it has one. 32-bit programs do not pass the tracepoints
 * on entry, so their note is of an earlier program of the thread.
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
