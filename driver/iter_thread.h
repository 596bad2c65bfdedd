/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * What the iterator over threads writes (bpf/threads.bpf.h), and user space reads
 * (scap/live/iter.h): a record for each thread, without gaps, and one at the end. That of the first
 * thread of a process has its ids alone; behind it are the program and its path.
 */
#ifndef LANNER_ITER_THREAD_H
#define LANNER_ITER_THREAD_H

#include <linux/types.h>

/* Bits of iter_thread.flags. */
enum {
	ITER_THREAD_END = 1, /* there are no more: all else is 0 */
	ITER_THREAD_OWN_CGROUPS = 2, /* it is in other control groups than the first thread */
	ITER_THREAD_FIRST = 4, /* the first of its process: struct iter_program follows */
	ITER_THREAD_FLAGS = ITER_THREAD_END | ITER_THREAD_OWN_CGROUPS | ITER_THREAD_FIRST,
	ITER_PATH_BYTES_MAX = 4096,
};

/* Ids are those of the initial namespaces. What is not here is the same for a whole process. */
struct iter_thread {
	__u32 flags;
	__u32 tid, pid;
	__u32 vtid; /* in its own pid namespace */
	__u32 uid, gid; /* effective */
	__u32 loginuid; /* 0xffffffff: not set */
	__u32 padding;
	__u64 start_ns; /* since the boot */
	__u64 faults_minor, faults_major;
	__u64 caps_permitted, caps_effective, caps_inheritable;
	char comm[16];
};

/* What a process executes. */
struct iter_program {
	__u64 exec_id; /* as in clone events: exec_id_of() */
	__u64 ino, ctime_ns, mtime_ns;
	__u32 flags; /* as in exec events */
	__u32 path_bytes; /* of the path that follows, with its NUL; 0: it is too long */
};

#endif
