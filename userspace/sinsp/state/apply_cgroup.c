/* SPDX-License-Identifier: MIT */
/* Control groups: threads and processes that move to others. */
#include "sinsp/state/apply.h"
#include "sinsp/state/core.h"

struct group_move {
	int64_t pid;
	uint32_t subsystems;
	const char *path;
};

static void move_thread(const struct group_move *move, struct sinsp_thread *thread)
{
	sinsp_thread_move_cgroups(thread, move->subsystems, move->path);
}

static void move_if_of_process(struct sinsp_thread_entry *entry, void *context)
{
	const struct group_move *move = context;

	if (entry->thread.pid == move->pid)
		move_thread(move, &entry->thread);
}

/* The main thread may have ended before the others, which move all the same. */
static void move_process(struct sinsp *sinsp, struct group_move *move)
{
	struct sinsp_thread_entry *main = sinsp_threads_find(&sinsp->threads, move->pid);

	if (main && !main->unknown && !main->ended && main->thread.nthreads <= 1)
		move_thread(move, &main->thread);
	else
		sinsp_threads_each(&sinsp->threads, move_if_of_process, move);
}

/* The event's thread is the one that moves another. What is not known yet is read from /proc. */
void state_cgroup_attach(struct sinsp *sinsp, struct state_event *event)
{
	const struct event *ev = event->ev;
	struct group_move move = {
		.pid = event_param_i64(ev, cgroup_attach__pid),
		.subsystems = (uint32_t)event_param_u64(ev, cgroup_attach__subsystems),
		.path = event_param_string(ev, cgroup_attach__path),
	};
	struct sinsp_thread *thread;

	if (!move.path || !move.subsystems)
		return;
	if (event_param_u64(ev, cgroup_attach__threadgroup)) {
		move_process(sinsp, &move);
		return;
	}
	thread = state_thread_find(sinsp, event_param_i64(ev, cgroup_attach__tid));
	if (thread)
		move_thread(&move, thread);
}
