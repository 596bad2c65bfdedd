/* SPDX-License-Identifier: MIT */
/* A gap is a property of the table of descriptors; what an event adds to it is forgotten after it.
 */
#include "sinsp/state/gaps.h"

#include "sinsp/state/core.h"

struct walk {
	const struct state_thread *main;
	bool (*test)(const struct state_thread *thread, void *context);
	void *context;
	uint32_t threads;
	bool fails;
};

static void visit(struct state_thread_entry *entry, void *context)
{
	const struct state_thread *thread = &entry->thread;
	struct walk *walk = context;

	if (entry->unknown || thread->pid != walk->main->pid)
		return;
	walk->threads++;
	walk->fails =
		walk->fails || thread->fds != walk->main->fds || !walk->test(thread, walk->context);
}

/* What is missing of a program may be learnt without an event of its process. */
static bool is_whole(const struct state_thread *main)
{
	return main && state_thread_is_main(main) && main->exec_id && *main->program->exepath &&
	       *main->program->exe && !main->exiting &&
	       !state_thread_entry((struct state_thread *)main)->ended;
}

bool state_process_is(struct state *state, int64_t pid,
		      bool (*test)(const struct state_thread *thread, void *context), void *context)
{
	struct walk walk = {state_thread_get(state, pid), test, context};

	if (!is_whole(walk.main))
		return false;
	if (walk.main->nthreads <= 1)
		visit(state_thread_entry((struct state_thread *)walk.main), &walk);
	else if (!state->threads.evicted && state->threads.entries <= STATE_WALKED_MAX)
		state_threads_each(&state->threads, visit, &walk);
	return !walk.fails && walk.threads && walk.threads == state_fds_users(walk.main->fds);
}

void state_begin_gap(struct state *state, int64_t pid)
{
	struct state_thread *main = state_thread_get(state, pid);

	state_finish_last(state);
	if (!main)
		return;
	state_fds_set_gap(main->fds, UINT64_MAX, 0);
	state->has_gaps = true;
}

bool state_is_in_gap(const struct state_thread *thread)
{
	return state_fds_gap_is_open(thread->fds);
}

void state_end_gap(struct state *state, int64_t pid, uint64_t ns, int64_t tid)
{
	struct state_thread *main = state_thread_get(state, pid);

	if (main)
		state_fds_set_gap(main->fds, ns, tid);
}
