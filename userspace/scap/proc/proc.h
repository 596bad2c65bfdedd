/* SPDX-License-Identifier: MIT */
/*
 * Threads and their descriptors from /proc: the state before the first event. The state engine
 * seeds its tables from it and looks up unknown threads.
 */
#ifndef SCAP_PROC_PROC_H
#define SCAP_PROC_PROC_H

#include <stddef.h>
#include <stdint.h>

#include "scap/proc/fd.h"
#include "scap/proc/thread.h"
#include "scap/proc/readers.h"
#include "util/buf.h"
#include "util/error.h"

struct scap_proc;

/* Opens a proc file system ("/proc", or another one for tests). Returns 0 or -errno. */
int scap_proc_open(const char *path, struct scap_proc **proc, struct error *err);
void scap_proc_close(struct scap_proc *proc);

/* Opens the same one again, for another thread. Returns 0 or -errno. */
int scap_proc_copy(const struct scap_proc *proc, struct scap_proc **copy);

/*
 * Has others read what a process may let wait forever: arguments, environment, and files below its
 * root. Without them it is read here. Takes a reference.
 */
void scap_proc_set_readers(struct scap_proc *proc, struct proc_readers *readers);

/* How many reads were given up. */
uint64_t scap_proc_reads_given_up(const struct scap_proc *proc);

struct proc_readers *scap_proc_readers(const struct scap_proc *proc); /* NULL: none */

/* The open directory, which `proc` owns. */
int scap_proc_dir(const struct scap_proc *proc);

/*
 * Sets the control groups in which the caller's cgroup namespace begins, "name=/path" and a NUL
 * each, of subsystems as in scap_thread: paths in /proc are relative to them. Before this, and
 * without any, paths are taken as they are there, without "..". Copied. Returns 0 or -ENOMEM.
 */
int scap_proc_set_cgroup_roots(struct scap_proc *proc, const struct buf *roots);

/*
 * The control groups of the process with that directory, as in scap_thread; empty if they cannot be
 * read. Valid until the next call about a thread. Returns 0 or -ENOMEM.
 */
int scap_proc_cgroups(struct scap_proc *proc, int process, const struct buf **cgroups);

/*
 * Who can make control groups in a group: see scap_cgroup_keys_owner(). Where the hierarchies are,
 * the mounts of the caller say, or those of the first process. SCAP_CGROUP_ANYBODY: it cannot be
 * known.
 */
uint32_t scap_proc_cgroup_owner(struct scap_proc *proc, const char *group, size_t len);

/* Begins a new walk over all threads (every task of every process). */
int scap_proc_rewind(struct scap_proc *proc);

/*
 * The next thread of the walk. Returns 1, 0 at the end, or -errno. Threads that exit meanwhile are
 * skipped. The main thread of a process comes before its other threads.
 */
int scap_proc_next(struct scap_proc *proc, struct scap_thread *thread);

/*
 * The next main thread of the walk. Returns as scap_proc_next(). One walk takes one of these
 * functions.
 */
int scap_proc_next_process(struct scap_proc *proc, struct scap_thread *thread);

/* One thread. Returns 0, -ESRCH if it exited, or another -errno. */
int scap_proc_thread(struct scap_proc *proc, int64_t tid, struct scap_thread *thread);

/* What a number of ticks since the boot, in which /proc reports starts, is since the epoch. */
uint64_t scap_proc_start_ns(const struct scap_proc *proc, uint64_t ticks);

/* Begins the walk over the descriptors of a thread. Returns 0 or -errno. */
int scap_proc_fds(struct scap_proc *proc, int64_t tid);

/*
 * The next descriptor of that walk. Returns 1, 0 at the end, or -errno. May be interleaved with the
 * walk over threads.
 */
int scap_proc_next_fd(struct scap_proc *proc, struct scap_fd *fd);

/* One descriptor. Returns 0, -EBADF when it is not open, -ESRCH, or another -errno. */
int scap_proc_fd(struct scap_proc *proc, int64_t tid, int64_t num, struct scap_fd *fd);

/* Reads type, inode and device of a file that is open there; they stay as they are if that fails.
 */
void scap_proc_fd_inode(struct scap_proc *proc, int64_t tid, struct scap_fd *fd);

/* The current directory of a thread, absolute as the caller sees it. Returns 0 or -errno. */
int scap_proc_cwd(struct scap_proc *proc, int64_t tid, const char **cwd);

/*
 * The real path of a directory that a thread names by an absolute path: symbolic links resolved
 * below that thread's root, and the path as seen from there. Returns 0; -ESRCH if the thread
 * exited; -EXDEV for directories of /proc, which differ between processes; -ELOOP if a link cannot
 * be followed; -EAGAIN if the path is not in the kernel's cache; or another -errno.
 */
int scap_proc_real_directory(struct scap_proc *proc, int64_t tid, const char *path,
			     const char **real);

#endif
