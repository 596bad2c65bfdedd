/* SPDX-License-Identifier: MIT */
/* A gap is a property of the table of descriptors; what an event adds to it is forgotten after it.
 */
#include "sinsp/state/gaps.h"

#include "sinsp/state/core.h"

struct walk {
	const struct sinsp_thread *main;
	bool (*test)(const struct sinsp_thread *thread, void *context);
	void *context;
	uint32_t threads;
	bool fails;
};

static void visit(struct sinsp_thread_entry *entry, void *context)
{
	const struct sinsp_thread *thread = &entry->thread;
	struct walk *walk = context;

	if (entry->unknown || thread->pid != walk->main->pid)
		return;
	walk->threads++;
	walk->fails =
		walk->fails || thread->fds != walk->main->fds || !walk->test(thread, walk->context);
}

/* What is missing of a program may be learnt without an event of its process. */
static bool is_whole(const struct sinsp_thread *main)
{
	return main && sinsp_thread_is_main(main) && main->exec_id && *main->program->exepath &&
	       *main->program->exe && !main->exiting &&
	       !sinsp_thread_entry((struct sinsp_thread *)main)->ended;
}

bool sinsp_process_is(struct sinsp *sinsp, int64_t pid,
		      bool (*test)(const struct sinsp_thread *thread, void *context), void *context)
{
	struct walk walk = {state_thread_find(sinsp, pid), test, context};

	if (!is_whole(walk.main))
		return false;
	if (walk.main->nthreads <= 1)
		visit(sinsp_thread_entry((struct sinsp_thread *)walk.main), &walk);
	else if (!sinsp->threads.evicted && sinsp->threads.entries <= SINSP_WALKED_MAX)
		sinsp_threads_each(&sinsp->threads, visit, &walk);
	return !walk.fails && walk.threads && walk.threads == sinsp_fds_users(walk.main->fds);
}

void sinsp_begin_gap(struct sinsp *sinsp, int64_t pid)
{
	struct sinsp_thread *main = state_thread_find(sinsp, pid);

	state_finish_last(sinsp);
	if (!main)
		return;
	sinsp_fds_set_gap(main->fds, UINT64_MAX, 0);
	sinsp->has_gaps = true;
}

bool sinsp_is_in_gap(const struct sinsp_thread *thread)
{
	return sinsp_fds_gap_is_open(thread->fds);
}

void sinsp_end_gap(struct sinsp *sinsp, int64_t pid, uint64_t ns, int64_t tid)
{
	struct sinsp_thread *main = state_thread_find(sinsp, pid);

	if (main)
		sinsp_fds_set_gap(main->fds, ns, tid);
}
