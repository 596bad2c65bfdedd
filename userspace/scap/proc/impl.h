/* SPDX-License-Identifier: MIT */
/* What the parts of the reader of /proc share. */
#ifndef SCAP_PROC_IMPL_H
#define SCAP_PROC_IMPL_H

#include <dirent.h>
#include <limits.h>

#include "scap/proc/net.h"
#include "scap/proc/proc.h"
#include "util/buf.h"

struct scap_proc {
	int dir;
	struct proc_readers *readers; /* a reference; NULL: none */
	uint64_t boot_offset_ns; /* from boot to epoch */
	struct buf cgroup_roots; /* see scap_proc_set_cgroup_roots() */
	struct scap_cgroup_keys *hierarchies; /* owned; NULL: not needed yet, or not found */
	bool hierarchies_tried;

	/* The walk over threads: a process, then its other threads. */
	DIR *processes;
	DIR *tasks;
	int64_t walk_pid;

	/* The walk over descriptors. */
	DIR *fds;
	int fds_task_dir; /* -1: none */
	int64_t fds_walk_tid, fds_tid; /* of the walk; of the descriptor that is read now */
	uint64_t fds_namespace; /* of its network; 0: not read yet */

	/* What the last thread and descriptor point to. */
	uint32_t owner; /* of the thread that is read */
	int64_t program_pid; /* the process of `args`, `env` and `exepath`; 0: none */
	uint64_t exe_ino, exe_ctime_ns, exe_mtime_ns;
	uint32_t exe_flags;
	int64_t fd_limit;
	struct buf text, args, env, cgroups;
	char exepath[PATH_MAX], cwd[PATH_MAX], root[PATH_MAX], fd_name[PATH_MAX];
	struct proc_net net;
};

/*
 * Fills a thread from its directory. With `same_program` the data that all threads of a
 * process share is reused from the last call if that was for the same process. Returns 0, -ESRCH,
 * -EBADMSG for malformed files, or another -errno.
 */
int proc_thread_fill(struct scap_proc *proc, int task_dir, bool same_program,
		     struct scap_thread *thread);

/*
 * Leaves the groups of a thread in `cgroups`, "name=/path" and a NUL each; nothing if they cannot
 * be read. Returns 0 or -ENOMEM.
 */
int proc_cgroups_read(struct scap_proc *proc, int task_dir);

/*
 * Fills a descriptor of a task. `namespace` caches the task's network namespace between calls;
 * initially 0. Returns 0, -EBADF if it is not open, or another -errno.
 */
int proc_fd_fill(struct scap_proc *proc, int task_dir, uint64_t *namespace, int64_t num,
		 struct scap_fd *fd);

/*
 * Fills a descriptor through a handle of the file, and returns as proc_fd_fill(), so that all of it
 * is about one file, whatever happens to the number meanwhile. Inode and mount are the kernel's
 * own.
 */
int proc_fd_fill_held(struct scap_proc *proc, int task_dir, int64_t num, struct scap_fd *fd);

/* Reads the inode and the device of a file, which stay as they are if that fails. */
void proc_fd_read_inode(int task_dir, struct scap_fd *fd);

#endif
