/* SPDX-License-Identifier: MIT */
/* The functions of scap/proc.h over a list in memory. */
#include "fake_proc.h"

#include <errno.h>
#include <stdio.h>

static const struct fake_thread *find(const struct scap_proc *proc, int64_t tid)
{
	for (size_t i = 0; i < proc->count; i++)
		if (proc->threads[i].tid == tid)
			return &proc->threads[i];
	return NULL;
}

static void fill(const struct fake_thread *from, struct scap_thread *thread)
{
	*thread = (struct scap_thread){
		.tid = from->tid,
		.pid = from->pid,
		.ptid = from->ptid,
		.vtid = from->tid,
		.vpid = from->pid,
		.uid = 33,
		.start_ns = from->start_ns ? from->start_ns : 5,
		.fd_limit = 256,
		.vm_size_kib = from->vm_size_kib,
		.exe = from->comm,
		.exepath = "/bin/known",
		.args = "x",
		.args_len = 2,
		.env = "E=1",
		.env_len = 4,
		.cgroups = "",
		.cwd = from->cwd ? from->cwd : "",
		.root = "/",
	};
	snprintf(thread->comm, sizeof(thread->comm), "%s", from->comm);
}

int scap_proc_open(const char *path, struct scap_proc **proc, struct error *err)
{
	return -ENOSYS;
}

void scap_proc_close(struct scap_proc *proc)
{
}

int scap_proc_copy(const struct scap_proc *proc, struct scap_proc **copy)
{
	*copy = (struct scap_proc *)proc;
	return 0;
}

/* It has no files. */
void scap_proc_set_readers(struct scap_proc *proc, struct proc_readers *readers)
{
}

struct proc_readers *scap_proc_readers(const struct scap_proc *proc)
{
	return NULL;
}

uint64_t scap_proc_reads_given_up(const struct scap_proc *proc)
{
	return 0;
}

int scap_proc_dir(const struct scap_proc *proc)
{
	return -1;
}

int scap_proc_cgroups(struct scap_proc *proc, int process, const struct buf **cgroups)
{
	static const struct buf none;

	*cgroups = &none;
	return 0;
}

uint32_t scap_proc_cgroup_owner(struct scap_proc *proc, const char *group, size_t len)
{
	return 0;
}

int scap_proc_rewind(struct scap_proc *proc)
{
	proc->at = 0;
	return 0;
}

int scap_proc_next(struct scap_proc *proc, struct scap_thread *thread)
{
	if (proc->at == proc->count)
		return 0;
	fill(&proc->threads[proc->at++], thread);
	return 1;
}

int scap_proc_next_process(struct scap_proc *proc, struct scap_thread *thread)
{
	int r;

	while ((r = scap_proc_next(proc, thread)) == 1 && thread->tid != thread->pid)
		;
	return r;
}

uint64_t scap_proc_start_ns(const struct scap_proc *proc, uint64_t ticks)
{
	return ticks;
}

int scap_proc_thread(struct scap_proc *proc, int64_t tid, struct scap_thread *thread)
{
	const struct fake_thread *found = find(proc, tid);

	proc->asked_threads++;
	if (!found)
		return -ESRCH;
	fill(found, thread);
	return 0;
}

int scap_proc_fds(struct scap_proc *proc, int64_t tid)
{
	proc->fds_of = find(proc, tid);
	proc->fd_at = 0;
	return proc->fds_of ? 0 : -ESRCH;
}

int scap_proc_next_fd(struct scap_proc *proc, struct scap_fd *fd)
{
	if (proc->fd_at == proc->fds_of->nfds)
		return 0;
	*fd = proc->fds_of->fds[proc->fd_at++];
	return 1;
}

void scap_proc_fd_inode(struct scap_proc *proc, int64_t tid, struct scap_fd *fd)
{
}

int scap_proc_fd(struct scap_proc *proc, int64_t tid, int64_t num, struct scap_fd *fd)
{
	const struct fake_thread *thread = find(proc, tid);

	proc->asked_fds++;
	if (!thread)
		return -ESRCH;
	for (size_t i = 0; i < thread->nfds; i++) {
		if (thread->fds[i].num != num)
			continue;
		*fd = thread->fds[i];
		return 0;
	}
	return -EBADF;
}

static int give_directory(struct scap_proc *proc, const char **directory)
{
	proc->asked_directories++;
	if (!proc->directory[0])
		return -ESRCH;
	*directory = proc->directory;
	return 0;
}

int scap_proc_cwd(struct scap_proc *proc, int64_t tid, const char **cwd)
{
	return give_directory(proc, cwd);
}

int scap_proc_real_directory(struct scap_proc *proc, int64_t tid, const char *path,
			     const char **real)
{
	return give_directory(proc, real);
}
