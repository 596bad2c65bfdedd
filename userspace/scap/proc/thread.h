/* SPDX-License-Identifier: MIT */
/* A thread as /proc or a capture describes it: ids, limits, memory, program, directories. */
#ifndef SCAP_PROC_THREAD_H
#define SCAP_PROC_THREAD_H

#include <stddef.h>
#include <stdint.h>

/*
 * Pointers lead to memory of the reader, valid until its next call. Ids are those of the initial
 * namespaces unless their name starts with v; in captures unknown ones are -1.
 */
struct scap_thread {
	int64_t tid, pid, ptid, vtid, vpid, pgid, vpgid, sid;
	uint32_t uid, gid; /* effective */
	uint32_t loginuid; /* 0xffffffff: not set */
	uint32_t tty; /* device number, 0: none */
	uint64_t start_ns; /* since the epoch; 0: not known */
	int64_t fd_limit; /* soft limit of open files, -1 unknown */
	uint64_t caps_permitted, caps_effective, caps_inheritable;
	uint64_t faults_major, faults_minor;
	uint32_t vm_size_kib, vm_rss_kib, vm_swap_kib;
	uint64_t exe_ino, exe_ctime_ns, exe_mtime_ns; /* 0: not known */
	uint32_t exe_flags; /* execve_flags values, as far as known */
	uint32_t flags; /* clone_flags values, as far as known */
	uint64_t pidns_start_ns; /* when the init of its pid namespace began; 0: not known */
	uint64_t exec_id; /* exec_id_of() of the process; 0 for all but main threads */
	char comm[16];
	const char *exe; /* argv[0]; "" for kernel threads */
	const char *exepath; /* of the executable; "" when there is none */
	const char *args; /* argv[1..], each with its NUL */
	size_t args_len;
	const char *env; /* each with its NUL */
	size_t env_len;
	const char *cgroups; /* "name=/path", each with its NUL */
	size_t cgroups_len;
	const char *cwd; /* absolute, regardless of the thread's root; "" if unreadable */
	const char *root; /* usually "/" */
};

#endif
