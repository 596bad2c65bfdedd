/* SPDX-License-Identifier: MIT */
/*
 * Threads, and the parts that they share in the kernel: their program, their directories (CLONE_FS)
 * and their descriptors (CLONE_FILES). Shared parts are reference-counted.
 */
#ifndef SINSP_STATE_THREAD_H
#define SINSP_STATE_THREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sinsp/state/containers/containers.h"
#include "sinsp/state/fd.h"

/* The data set by exec. Strings are NUL-terminated, never NULL. */
struct state_program {
	uint64_t id; /* no other program that the engine had or has has it */
	uint32_t refs;
	uint32_t flags; /* execve_flags values */
	uint64_t exe_ino, exe_ctime_ns, exe_mtime_ns;
	const char *exe; /* argv[0] */
	const char *exepath;
	const char *args; /* argv[1..], each with its NUL */
	size_t args_len;
	const char *env;
	size_t env_len;
};

struct state_fs {
	uint32_t refs;
	uint32_t cwd_len;
	char *cwd; /* absolute, ends in '/'; "" if unknown */
	char *root; /* from /proc or a capture; NULL: "/" */
};

struct state_thread {
	int64_t tid, pid, vtid, vpid, pgid, vpgid, sid; /* -1: unknown */
	int64_t ptid; /* see state_threads_set_parent() */
	uint32_t uid, gid, loginuid;
	uint32_t tty;
	uint64_t clone_ts_ns; /* since the epoch; 0 unknown */
	uint64_t exec_id; /* of the process, see exec_id_of(); 0 unknown */
	int64_t fd_limit;
	uint64_t caps_permitted, caps_effective, caps_inheritable;
	uint64_t faults_major, faults_minor;
	uint32_t vm_size_kib, vm_rss_kib, vm_swap_kib;
	uint64_t pidns_start_ns;
	char comm[16];
	uint64_t run_ns; /* on a CPU, from the switches seen */
	uint64_t left_ns; /* when it last left a CPU, by its switch; 0: not seen */
	uint64_t jiffies_user, jiffies_system; /* from the last procinfo event */
	bool has_jiffies;
	uint32_t cpu_user, cpu_system; /* jiffies between the last two such events */
	/* Shared parts, never NULL. */
	struct state_cgroups *cgroups;
	struct state_program *program;
	struct state_fs *fs;
	struct state_fds *fds;
	uint32_t nthreads; /* live threads of the process; kept in its main thread */
	bool followed; /* see state_follow */
	bool exiting; /* removed after the current event */
	bool is_nobody; /* nothing is known of it but ids: see state_former_create_unknown() */
};

/* Whether it is known that it is in no container, or in which. */
static inline bool state_thread_has_place(const struct state_thread *thread)
{
	return thread->cgroups->container || (thread->pid > 0 && !thread->is_nobody);
}

static inline bool state_thread_is_main(const struct state_thread *thread)
{
	return thread->tid == thread->pid;
}

#endif
