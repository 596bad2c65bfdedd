/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Structs of the caller's memory as 64-bit programs have them, as far as they are read. Nothing
 * here is kernel memory; user_memory.bpf.h reads them for the rows.
 */
#ifndef LANNER_LAYOUT_USER_BPF_H
#define LANNER_LAYOUT_USER_BPF_H

#include <linux/types.h>

struct user_message {
	__u64 name;
	__s32 name_len;
	__u32 pad;
	__u64 vector;
	__u64 vector_len;
	__u64 control;
	__u64 control_len;
};

struct user_iovec {
	__u64 base;
	__u64 len;
};

/* What sendmmsg and recvmmsg take for each message. */
struct user_messages_entry {
	struct user_message message;
	__u64 flags;
	__u32 len;
	__u32 pad;
};

/* A timespec or a timeval: the fraction counts nanoseconds or microseconds. */
struct user_time {
	__s64 seconds, fraction;
};

/* An itimerspec or an itimerval. */
struct user_itimer {
	struct user_time interval, value;
};

struct user_rlimit {
	__u64 soft, hard;
};

struct user_timezone {
	__s32 minuteswest, dsttime;
};

struct user_timex {
	__u32 modes, pad;
	__s64 offset, freq, maxerror, esterror;
	__u32 status, pad2;
	__s64 constant, precision, tolerance;
	struct user_time time;
	__s64 tick;
};

struct user_tms {
	__s64 utime, stime, cutime, cstime;
};

struct user_sigaction {
	__u64 handler, flags, restorer, mask;
};

struct user_sigstack {
	__u64 sp;
	__u32 flags, pad;
	__u64 size;
};

/* What follows the code depends on it; this is the layout for signals between processes. */
struct user_siginfo {
	__s32 signo, error, code, pad;
	__s32 pid;
	__u32 uid;
	__u64 value; /* of a child: its status, in the low half */
};

struct user_sigevent {
	__u64 value;
	__u32 signo, notify;
};

struct user_rusage {
	struct user_time utime, stime;
	__s64 maxrss, ixrss, idrss, isrss, minflt, majflt;
};

struct user_sched_attr {
	__u32 size, policy;
	__u64 flags;
	__s32 nice;
	__u32 priority;
	__u64 runtime, deadline, period;
};

struct user_capability_header {
	__u32 version;
	__s32 pid;
};

struct user_capabilities {
	__u32 effective, permitted, inheritable;
};

struct user_ipc_perm {
	__s32 key;
	__u32 uid, gid, cuid, cgid, mode;
};

struct user_semaphore {
	__u16 num;
	__s16 op, flags;
};

struct user_mq_attr {
	__s64 flags, maxmsg, msgsize, curmsgs;
};

/* An iovec that names memory and not data. */
struct user_range {
	__u64 start, len;
};

struct user_futex {
	__u64 val, uaddr;
	__u32 flags, reserved;
};

struct user_perf_attr {
	__u32 type, size;
	__u64 config, sample_period, sample_type, read_format, flags;
};

/* A segment of memory as modify_ldt and set_thread_area want it. */
struct user_segment {
	__u32 entry_number, base_addr, limit, flags;
};

struct user_sysinfo {
	__s64 uptime;
	__u64 loads[3];
	__u64 totalram, freeram, sharedram, bufferram, totalswap, freeswap;
	__u16 procs;
};

#endif
