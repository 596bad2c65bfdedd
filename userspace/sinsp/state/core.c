/* SPDX-License-Identifier: MIT */
/* Threads of the tables: found and added. */
#include "sinsp/state/core.h"

#include "sinsp/state/program.h"

struct sinsp_thread *state_thread_find(const struct sinsp *sinsp, int64_t tid)
{
	struct sinsp_thread_entry *entry = sinsp_threads_find(&sinsp->threads, tid);

	return entry && !entry->unknown ? &entry->thread : NULL;
}

struct sinsp_thread *state_thread_named(const struct sinsp *sinsp, struct sinsp_thread *caller,
					int64_t pid)
{
	if (pid == 0 || pid == caller->vpid)
		return caller;
	return state_is_outside(caller) ? state_thread_find(sinsp, pid) : NULL;
}

struct sinsp_thread *state_thread_add(struct sinsp *sinsp, int64_t tid, int64_t pid)
{
	struct sinsp_thread_entry *entry = sinsp_threads_add(&sinsp->threads, tid, pid);
	struct sinsp_thread *thread;

	if (!entry)
		return NULL;
	thread = &entry->thread;
	entry->since_ns = sinsp->now_ns;
	thread->program = sinsp_program_ref(sinsp->no_program);
	thread->fs = sinsp_fs_create(&sinsp->pool, "", 0);
	thread->fds = sinsp_fds_create(&sinsp->fd_store);
	sinsp_thread_set_cgroups(&sinsp->containers, thread, "", 0);
	if (thread->fs && thread->fds && thread->cgroups)
		return thread;
	sinsp_threads_remove(&sinsp->threads, entry);
	return NULL;
}
