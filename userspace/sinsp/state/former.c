/* SPDX-License-Identifier: MIT */
/* Copies of threads, which hold references to what they share. */
#include "sinsp/state/former.h"

#include "sinsp/state/core.h"
#include "sinsp/state/program.h"

struct state_thread *state_former_create(struct state *state, const struct state_thread *thread)
{
	struct state_fds *fds = state_fds_create(&state->fd_store);
	struct state_thread_entry *entry = fds ? pool_alloc(&state->pool, sizeof(*entry)) : NULL;

	if (!entry) {
		state_fds_unref(fds);
		return NULL;
	}
	*entry = (struct state_thread_entry){0};
	state_thread_share(thread, &entry->thread);
	entry->thread.exiting = false;
	entry->thread.fds = fds;
	return &entry->thread;
}

struct state_thread *state_former_create_unknown(struct state *state)
{
	static const struct state_thread nobody = {
		.tid = -1,
		.pid = -1,
		.vtid = -1,
		.vpid = -1,
		.pgid = -1,
		.vpgid = -1,
		.sid = -1,
		.ptid = -1,
		.fd_limit = -1,
		.is_nobody = true,
	};
	struct state_thread_entry *entry = pool_alloc(&state->pool, sizeof(*entry));

	if (!entry)
		return NULL;
	*entry = (struct state_thread_entry){.thread = nobody};
	if (state_thread_begin(state, &entry->thread))
		return &entry->thread;
	state_thread_entry_free(&state->pool, entry);
	return NULL;
}

void state_former_release(struct state *state, struct state_thread *kept)
{
	if (kept)
		state_thread_entry_free(&state->pool, state_thread_entry(kept));
}

static void set_memory(struct state_thread *thread, uint32_t size_kib, uint32_t resident_kib)
{
	thread->vm_size_kib = size_kib;
	thread->vm_rss_kib = resident_kib;
}

void state_former_note_memory(struct state *state, int64_t tid, uint32_t size_kib,
			      uint32_t resident_kib)
{
	struct state_thread *thread = state_thread_get(state, tid), *main;

	if (!thread)
		return;
	set_memory(thread, size_kib, resident_kib);
	main = state_thread_get(state, thread->pid);
	if (main)
		set_memory(main, size_kib, resident_kib);
}
