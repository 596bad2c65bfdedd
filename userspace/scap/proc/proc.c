/* SPDX-License-Identifier: MIT */
/*
 * Walking /proc: all threads, the descriptors of one, and single ones. The files of a thread
 * and of a descriptor are read by proc/thread.c and proc/fd.c.
 */
#include "scap/proc/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "scap/proc/cgroup_keys.h"
#include "scap/proc/impl.h"
#include "scap/proc/text.h"
#include "util/clock.h"

enum { LINK_BYTES = 64 };

static int open_below(int dir, const char *path, struct scap_proc **proc)
{
	struct scap_proc *made = calloc(1, sizeof(*made));

	if (!made)
		return -ENOMEM;
	made->fds_task_dir = -1;
	made->boot_offset_ns = clock_boot_offset_ns();
	made->dir = openat(dir, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (made->dir < 0) {
		int error = errno;

		free(made);
		return -error;
	}
	*proc = made;
	return 0;
}

int scap_proc_open(const char *path, struct scap_proc **proc, struct error *err)
{
	int r = open_below(AT_FDCWD, path, proc);

	return r ? error_set(err, r, "reading %s: %s; is it mounted?", path, strerror(-r)) : 0;
}

int scap_proc_copy(const struct scap_proc *proc, struct scap_proc **copy)
{
	struct scap_proc *made = NULL;
	int r = open_below(proc->dir, ".", &made);

	if (r == 0)
		scap_proc_set_readers(made, proc->readers);
	if (r == 0)
		r = scap_proc_set_cgroup_roots(made, &proc->cgroup_roots);
	if (r)
		scap_proc_close(made);
	else
		*copy = made;
	return r;
}

static void close_walk(DIR **dir)
{
	if (*dir)
		closedir(*dir);
	*dir = NULL;
}

static void proc_close_fds(struct scap_proc *proc)
{
	close_walk(&proc->fds);
	if (proc->fds_task_dir >= 0)
		close(proc->fds_task_dir);
	proc->fds_task_dir = -1;
	proc->fds_namespace = 0;
}

void scap_proc_close(struct scap_proc *proc)
{
	if (!proc)
		return;
	close_walk(&proc->processes);
	close_walk(&proc->tasks);
	proc_close_fds(proc);
	close(proc->dir);
	scap_cgroup_keys_destroy(proc->hierarchies);
	proc_readers_unref(proc->readers);
	buf_finish(&proc->text);
	buf_finish(&proc->args);
	buf_finish(&proc->env);
	buf_finish(&proc->cgroups);
	buf_finish(&proc->cgroup_roots);
	proc_net_finish(&proc->net);
	free(proc);
}

void scap_proc_set_readers(struct scap_proc *proc, struct proc_readers *readers)
{
	proc_readers_unref(proc->readers);
	proc->readers = proc_readers_ref(readers);
}

uint64_t scap_proc_reads_given_up(const struct scap_proc *proc)
{
	return proc->readers ? proc_readers_given_up(proc->readers) : 0;
}

struct proc_readers *scap_proc_readers(const struct scap_proc *proc)
{
	return proc->readers;
}

int scap_proc_dir(const struct scap_proc *proc)
{
	return proc->dir;
}

/* In a cgroup namespace of its own the caller has mounts of a part. */
static void find_hierarchies(struct scap_proc *proc)
{
	char own[LINK_BYTES], mounts[LINK_BYTES], root[LINK_BYTES];

	proc->hierarchies_tried = true;
	snprintf(own, sizeof(own), "/proc/self/fd/%d/self/mounts", proc->dir);
	snprintf(mounts, sizeof(mounts), "/proc/self/fd/%d/1/mounts", proc->dir);
	snprintf(root, sizeof(root), "/proc/self/fd/%d/1/root", proc->dir);
	if (scap_cgroup_keys_create(own, "", &proc->hierarchies))
		scap_cgroup_keys_create(mounts, root, &proc->hierarchies);
}

uint32_t scap_proc_cgroup_owner(struct scap_proc *proc, const char *group, size_t len)
{
	uint32_t owner = SCAP_CGROUP_ANYBODY;

	if (!proc->hierarchies_tried)
		find_hierarchies(proc);
	if (proc->hierarchies)
		scap_cgroup_keys_owner(proc->hierarchies, group, len, &owner);
	return owner;
}

/* Opens a directory for reading its entries. */
static int open_walk(int dir, const char *name, DIR **walk)
{
	int fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *opened;

	if (fd < 0)
		return -errno;
	opened = fdopendir(fd);
	if (!opened) {
		int error = errno;

		close(fd);
		return -error;
	}
	*walk = opened;
	return 0;
}

/* The next entry whose name is a number. Returns 1, 0 at the end, or -errno. */
static int next_number(DIR *walk, int64_t *number)
{
	struct dirent *entry;

	for (;;) {
		errno = 0;
		entry = readdir(walk);
		if (!entry)
			return -errno;
		if (proc_name_number(entry->d_name, number))
			return 1;
	}
}

/* Opens the directory of a thread. An exited process is always -ESRCH. */
static int open_task(struct scap_proc *proc, int64_t pid, int64_t tid)
{
	char name[64];
	int fd;

	snprintf(name, sizeof(name), "%" PRId64 "/task/%" PRId64, pid, tid);
	fd = openat(proc->dir, name, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? -ESRCH : -errno;
	return fd;
}

int scap_proc_rewind(struct scap_proc *proc)
{
	close_walk(&proc->processes);
	close_walk(&proc->tasks);
	proc_net_finish(&proc->net);
	proc->program_pid = 0;
	return open_walk(proc->dir, ".", &proc->processes);
}

/* Errors that affect every entry of a walk; any other error skips only one entry. */
static bool is_fatal(int r)
{
	return r == -ENOMEM || r == -EMFILE || r == -ENFILE;
}

/* A thread of the walk. Returns 1; 0 if it exited or is malformed, and is skipped. */
static int visit(struct scap_proc *proc, int64_t pid, int64_t tid, struct scap_thread *thread)
{
	int task_dir = open_task(proc, pid, tid);
	int r;

	if (task_dir < 0)
		return is_fatal(task_dir) ? task_dir : 0;
	r = proc_thread_fill(proc, task_dir, true, thread);
	close(task_dir);
	if (r < 0)
		return is_fatal(r) ? r : 0;
	return thread->tid == tid && thread->pid == pid;
}

/* The next thread of the current process except its main thread, which was returned first. */
static int next_task(struct scap_proc *proc, struct scap_thread *thread)
{
	int64_t tid;
	int r;

	while ((r = next_number(proc->tasks, &tid)) == 1) {
		if (tid == proc->walk_pid)
			continue;
		r = visit(proc, proc->walk_pid, tid, thread);
		if (r)
			return r;
	}
	close_walk(&proc->tasks);
	/* The process exited meanwhile. */
	return r == -ENOENT || r == -ESRCH ? 0 : r;
}

int scap_proc_next(struct scap_proc *proc, struct scap_thread *thread)
{
	char name[48];
	int r;

	if (!proc->processes)
		return 0;
	for (;;) {
		if (proc->tasks) {
			r = next_task(proc, thread);
			if (r)
				return r;
		}
		r = next_number(proc->processes, &proc->walk_pid);
		if (r <= 0)
			return r;
		snprintf(name, sizeof(name), "%" PRId64 "/task", proc->walk_pid);
		r = open_walk(proc->dir, name, &proc->tasks);
		if (is_fatal(r))
			return r;
		if (r < 0)
			continue;
		r = visit(proc, proc->walk_pid, proc->walk_pid, thread);
		if (r)
			return r;
	}
}

int scap_proc_next_process(struct scap_proc *proc, struct scap_thread *thread)
{
	int r;

	if (!proc->processes)
		return 0;
	while ((r = next_number(proc->processes, &proc->walk_pid)) == 1) {
		r = visit(proc, proc->walk_pid, proc->walk_pid, thread);
		if (r)
			return r;
	}
	return r;
}

int scap_proc_thread(struct scap_proc *proc, int64_t tid, struct scap_thread *thread)
{
	int task_dir = open_task(proc, tid, tid);
	int r;

	if (task_dir < 0)
		return task_dir;
	r = proc_thread_fill(proc, task_dir, false, thread);
	close(task_dir);
	return r;
}

int scap_proc_fds(struct scap_proc *proc, int64_t tid)
{
	int r;

	proc_close_fds(proc);
	proc->fds_task_dir = open_task(proc, tid, tid);
	proc->fds_walk_tid = tid;
	if (proc->fds_task_dir < 0)
		return proc->fds_task_dir;
	r = open_walk(proc->fds_task_dir, "fd", &proc->fds);
	if (r < 0)
		proc_close_fds(proc);
	return r == -ENOENT ? -ESRCH : r;
}

int scap_proc_next_fd(struct scap_proc *proc, struct scap_fd *fd)
{
	int64_t num;
	int r;

	if (!proc->fds)
		return 0;
	while ((r = next_number(proc->fds, &num)) == 1) {
		proc->fds_tid = proc->fds_walk_tid;
		r = proc_fd_fill(proc, proc->fds_task_dir, &proc->fds_namespace, num, fd);
		if (r == 0)
			return 1;
		if (is_fatal(r))
			return r;
	}
	proc_close_fds(proc);
	return r == -ENOENT || r == -ESRCH ? 0 : r;
}

int scap_proc_fd(struct scap_proc *proc, int64_t tid, int64_t num, struct scap_fd *fd)
{
	int task_dir = open_task(proc, tid, tid);
	int r;

	if (task_dir < 0)
		return task_dir;
	proc->fds_tid = tid;
	r = proc_fd_fill_held(proc, task_dir, num, fd);
	close(task_dir);
	return r;
}

void scap_proc_fd_inode(struct scap_proc *proc, int64_t tid, struct scap_fd *fd)
{
	int task_dir = open_task(proc, tid, tid);

	if (task_dir < 0)
		return;
	proc_fd_read_inode(task_dir, fd);
	close(task_dir);
}

int scap_proc_cwd(struct scap_proc *proc, int64_t tid, const char **cwd)
{
	int task_dir = open_task(proc, tid, tid);
	int r;

	if (task_dir < 0)
		return task_dir;
	r = proc_read_link(task_dir, "cwd", proc->cwd, sizeof(proc->cwd));
	close(task_dir);
	if (r < 0)
		return r == -ENOENT ? -ESRCH : r;
	proc_cut_deleted(proc->cwd, (size_t)r);
	*cwd = proc->cwd;
	return 0;
}
