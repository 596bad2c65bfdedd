/* SPDX-License-Identifier: MIT */
/* Copies of threads, which share what these shared, but for descriptors. */
#include "sinsp/state/ended.h"

#include <stdlib.h>

#include "sinsp/state/core.h"
#include "sinsp/state/program.h"

static struct state_thread_entry **ended_place(const struct state *state, int64_t pid)
{
	return &state->ended.entries[(uint64_t)pid % ENDED_MAX];
}

static void ended_forget(struct state *state, struct state_thread_entry **place)
{
	if (*place)
		state_thread_entry_free(&state->pool, *place);
	*place = NULL;
}

void state_ended_begin(struct state *state)
{
	if (!state->ended.entries)
		state->ended.entries = calloc(ENDED_MAX, sizeof(*state->ended.entries));
}

void state_ended_clear(struct state *state)
{
	for (int64_t i = 0; state->ended.entries && i < ENDED_MAX; i++)
		ended_forget(state, ended_place(state, i));
}

void state_ended_finish(struct state *state)
{
	state_ended_clear(state);
	free(state->ended.entries);
	state->ended.entries = NULL;
}

void state_ended_keep(struct state *state, const struct state_thread_entry *ended)
{
	const struct state_thread *thread = &ended->thread;
	struct state_thread_entry *entry, **place;
	struct state_fds *fds;

	if (!state->ended.entries || ended->unknown || !state_thread_is_main(thread))
		return;
	place = ended_place(state, thread->pid);
	ended_forget(state, place);
	fds = state_fds_create(&state->fd_store);
	entry = fds ? pool_alloc(&state->pool, sizeof(*entry)) : NULL;
	if (!entry) {
		state_fds_unref(fds);
		return;
	}
	*entry = (struct state_thread_entry){.thread = *thread};
	entry->thread.exiting = false;
	entry->thread.fds = fds;
	state_program_ref(thread->program);
	state_fs_ref(thread->fs);
	state_cgroups_ref(thread->cgroups);
	*place = entry;
}

struct state_thread *state_ended_find(const struct state *state, int64_t pid)
{
	struct state_thread_entry *entry =
		state->ended.entries && pid > 0 ? *ended_place(state, pid) : NULL;

	return entry && entry->thread.pid == pid ? &entry->thread : NULL;
}
