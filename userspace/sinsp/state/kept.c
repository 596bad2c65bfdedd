/* SPDX-License-Identifier: MIT */
/* A copy of the thread that the tables have for a moment, with references to its parts. */
#include "sinsp/state/kept.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sinsp/state/container_state.h"
#include "sinsp/state/core.h"
#include "sinsp/state/load.h"
#include "sinsp/state/program.h"

enum { ANCESTORS_MAX = 16 };

static int kept_load(struct state *state, int64_t pid, struct state_thread **thread)
{
	struct scap_thread found;

	if (!state->proc || scap_proc_thread(state->proc, pid, &found) != 0)
		return -ESRCH;
	state_make_room(state);
	*thread = state_load_thread(state, &found);
	return *thread ? 0 : -ENOMEM;
}

static void kept_release(struct state *state, struct state_thread *copy)
{
	state_cgroups_unref(copy->cgroups);
	state_program_unref(&state->pool, copy->program);
	state_fs_unref(&state->pool, copy->fs);
}

/*
 * The parent of a process that is in the tables: what they had of its id before the process began
 * may be another one. NULL: it is not known.
 */
static struct state_thread *kept_parent(struct state *state, const struct state_thread *child)
{
	struct state_thread *parent = child->ptid > 0 ? state_thread_get(state, child->ptid) : NULL;
	int64_t pid = child->ptid;

	if (parent && state_thread_entry(parent)->since_ns >= child->clone_ts_ns)
		return parent;
	return pid > 0 && kept_load(state, pid, &parent) == 0 ? parent : NULL;
}

int state_keep_process(struct state *state, int64_t pid, bool with_ancestors,
		       struct state_kept *kept)
{
	struct state_thread child, *thread;
	int r;

	*kept = (struct state_kept){0};
	state_finish_last(state);
	r = kept_load(state, pid, &thread);
	if (r)
		return r;
	state_thread_share(thread, &kept->thread);
	if (with_ancestors)
		kept->ancestors = calloc(ANCESTORS_MAX, sizeof(*kept->ancestors));
	/* What is loaded may take the place of what was there. */
	child = *thread;
	for (int i = 0; i < ANCESTORS_MAX && (thread = kept_parent(state, &child)); i++) {
		if (kept->ancestors)
			state_thread_share(thread, &kept->ancestors[kept->ancestors_count++]);
		child = *thread;
	}
	/* Its first process may name the container, which ancestors tell. */
	thread = state_thread_get(state, pid);
	if (thread)
		state_find_named_container(state, thread);
	return 0;
}

static void kept_put(struct state *state, const struct state_thread *copy)
{
	struct state_thread *thread = state_thread_get(state, copy->tid);
	struct state_fds *fds;
	int64_t ptid;

	if (thread && thread->program == copy->program)
		return;
	thread = state_thread_add(state, copy->tid, copy->pid);
	if (!thread)
		return;
	fds = thread->fds;
	ptid = thread->ptid;
	kept_release(state, thread);
	state_thread_share(copy, thread);
	thread->fds = fds;
	thread->ptid = ptid;
	state_threads_set_parent(&state->threads, thread, copy->ptid);
}

void state_kept_restore(struct state *state, const struct state_kept *kept)
{
	for (uint32_t i = 0; i < kept->ancestors_count; i++)
		kept_put(state, &kept->ancestors[i]);
}

int state_keep_unread(struct state *state, int64_t pid, const char *comm, uint32_t uid,
		      struct state_kept *kept)
{
	struct state_thread *thread;

	state_finish_last(state);
	state_make_room(state);
	thread = state_thread_add(state, pid, pid);
	if (!thread)
		return -ENOMEM;
	thread->uid = uid;
	strncpy(thread->comm, comm, sizeof(thread->comm) - 1);
	*kept = (struct state_kept){0};
	state_thread_share(thread, &kept->thread);
	state_threads_remove(&state->threads, state_thread_entry(thread));
	return 0;
}

void state_kept_finish(struct state *state, struct state_kept *kept)
{
	if (!kept->thread.program)
		return;
	kept_release(state, &kept->thread);
	for (uint32_t i = 0; i < kept->ancestors_count; i++)
		kept_release(state, &kept->ancestors[i]);
	free(kept->ancestors);
	*kept = (struct state_kept){0};
}

struct state_thread state_kept_thread(const struct state_kept *kept, int64_t tid, const char *comm)
{
	struct state_thread thread = kept->thread;

	thread.tid = tid;
	memset(thread.comm, 0, sizeof(thread.comm));
	strncpy(thread.comm, comm, sizeof(thread.comm) - 1);
	return thread;
}
