/* SPDX-License-Identifier: MIT */
/* A copy of the thread that the tables have for a moment, with references to its parts. */
#include "sinsp/state/kept.h"

#include <errno.h>
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

/* Of the threads, parts are shared: they stay as they are for as long as somebody has them. */
static void kept_take(const struct state_thread *thread, struct state_kept *kept)
{
	kept->thread = *thread;
	kept->thread.cgroups = state_cgroups_ref(thread->cgroups);
	kept->thread.program = state_program_ref(thread->program);
	kept->thread.fs = state_fs_ref(thread->fs);
	kept->thread.fds = NULL;
}

int state_keep_process(struct state *state, int64_t pid, struct state_kept *kept)
{
	struct state_thread *thread, *ancestor;
	int64_t above;
	int r;

	state_finish_last(state);
	r = kept_load(state, pid, &thread);
	if (r)
		return r;
	kept_take(thread, kept);
	above = thread->ptid;
	for (int i = 0; i < ANCESTORS_MAX && above > 0; i++) {
		ancestor = state_thread_get(state, above);
		if (!ancestor && kept_load(state, above, &ancestor) != 0)
			break;
		above = ancestor->ptid;
	}
	/* Its first process may name the container, which ancestors tell. */
	thread = state_thread_get(state, pid);
	if (thread)
		state_find_named_container(state, thread);
	return 0;
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
	kept_take(thread, kept);
	state_threads_remove(&state->threads, state_thread_entry(thread));
	return 0;
}

void state_kept_finish(struct state *state, struct state_kept *kept)
{
	if (!kept->thread.program)
		return;
	state_cgroups_unref(kept->thread.cgroups);
	state_program_unref(&state->pool, kept->thread.program);
	state_fs_unref(&state->pool, kept->thread.fs);
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
