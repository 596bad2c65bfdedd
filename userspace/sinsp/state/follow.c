/* SPDX-License-Identifier: MIT */
/*
 * A process is named by its id. On a live machine that is the process with the id at the start:
 * another one may get the id later. In a capture it is every process with the id, at any time.
 */
#include "sinsp/state/follow.h"

static void follow(struct sinsp *sinsp, struct sinsp_thread *thread)
{
	sinsp->threads.followed += !thread->followed;
	thread->followed = true;
}

static bool is_live(const struct sinsp *sinsp)
{
	return sinsp->proc;
}

static bool is_named(const struct sinsp *sinsp, int64_t pid)
{
	for (size_t i = 0; i < sinsp->follow.count; i++)
		if (sinsp->follow.pids[i] == pid)
			return true;
	return false;
}

/* Threads follow their process; children follow if requested. */
static bool goes_with(const struct sinsp *sinsp, const struct sinsp_thread *thread,
		      const struct sinsp_thread *creator)
{
	return creator && creator->followed &&
	       (sinsp->follow.children || creator->pid == thread->pid);
}

static bool came_later(const struct sinsp *sinsp, const struct sinsp_thread *thread)
{
	return thread->clone_ts_ns > sinsp->follow_since_ns;
}

/* All threads loaded while the tables are filled existed at the start. */
static bool was_named(const struct sinsp *sinsp, const struct sinsp_thread *thread)
{
	bool seeding = sinsp->stats.events == 0;

	return !sinsp->follow.from_exec && is_named(sinsp, thread->pid) &&
	       (!is_live(sinsp) || seeding || !came_later(sinsp, thread));
}

void state_follow_loaded(struct sinsp *sinsp, struct sinsp_thread *thread, bool was_followed)
{
	const struct sinsp_thread *main, *parent;

	if (!sinsp->follow.count)
		return;
	main = sinsp_thread_is_main(thread) ? NULL : state_thread_find(sinsp, thread->pid);
	parent = is_live(sinsp) && came_later(sinsp, thread)
			 ? state_thread_find(sinsp, thread->ptid)
			 : NULL;
	if (was_followed || was_named(sinsp, thread) || goes_with(sinsp, thread, main) ||
	    goes_with(sinsp, thread, parent))
		follow(sinsp, thread);
}

void state_follow_created(struct sinsp *sinsp, struct sinsp_thread *thread,
			  const struct sinsp_thread *creator)
{
	if (!sinsp->follow.count)
		return;
	if (goes_with(sinsp, thread, creator) || (!is_live(sinsp) && is_named(sinsp, thread->pid)))
		follow(sinsp, thread);
}

void state_follow_exec(struct sinsp *sinsp, struct sinsp_thread *thread)
{
	if (sinsp->follow.from_exec && is_named(sinsp, thread->pid))
		follow(sinsp, thread);
}
