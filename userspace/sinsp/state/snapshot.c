/* SPDX-License-Identifier: MIT */
/* The listener that fills the tables from a capture, in place of /proc. */
#include <errno.h>
#include <string.h>

#include "sinsp/state/engine.h"
#include "sinsp/state/core.h"
#include "sinsp/state/load.h"
#include "sinsp/state/program.h"

static struct state *state_of(struct scap_snapshot *to)
{
	return ((struct state_listener *)to)->state;
}

/* A capture may have several snapshots; the times of events continue. */
static int snapshot_begin(struct scap_snapshot *to)
{
	struct state *state = state_of(to);

	state_finish_last(state);
	state_threads_clear(&state->threads);
	state_containers_forget_unused(&state->containers);
	state->containers.keeps_unused = true;
	names_forget_users(state->names);
	machine_finish(&state->machine);
	state->boot = 0;
	state->run_ns = 0;
	state->listener.tid = 0;
	memset(state->exited, 0, sizeof(state->exited));
	memset(state->listening, 0, sizeof(state->listening));
	memset(state->switches, 0, state->switched_cpus * sizeof(state->switches[0]));
	state->switched_cpus = 0;
	return 0;
}

static int take_machine(struct scap_snapshot *to, const struct scap_machine *machine)
{
	struct state *state = state_of(to);

	machine_set(&state->machine, machine);
	state->boot = machine_boot_of(state->machine.hostname) ^ machine->boot_ns;
	return 0;
}

/* Entries beyond the limits of the tables are skipped; the snapshot continues. */
static int unless_full(int r)
{
	return r == -ENOSPC ? 0 : r;
}

static int take_interface(struct scap_snapshot *to, const struct scap_interface *interface)
{
	return unless_full(machine_add_interface(&state_of(to)->machine, interface));
}

static int take_user(struct scap_snapshot *to, const struct scap_user *user)
{
	const struct user_entry entry = {
		.id = user->uid,
		.gid = user->gid,
		.name = user->name,
		.home = user->home,
		.shell = user->shell,
	};

	return unless_full(users_add(&state_of(to)->names->users, &entry));
}

static int snapshot_take_group(struct scap_snapshot *to, const struct scap_group *group)
{
	const struct user_entry entry = {.id = group->gid, .name = group->name};

	return unless_full(users_add(&state_of(to)->names->groups, &entry));
}

static int take_thread(struct scap_snapshot *to, const struct scap_thread *thread)
{
	struct state_thread *taken = NULL;

	state_make_room(state_of(to));
	if (thread->tid > 0 && thread->pid > 0)
		taken = state_load_thread(state_of(to), thread);
	if (taken && state_thread_is_main(taken))
		state_thread_entry(taken)->ended = thread->flags & clone_flags__CLOSED;
	return 0;
}

static int take_fds(struct scap_snapshot *to, int64_t tid)
{
	state_of(to)->listener.tid = tid;
	return 0;
}

static int take_fd(struct scap_snapshot *to, const struct scap_fd *fd)
{
	struct state *state = state_of(to);
	struct state_thread *thread;

	state_make_room(state);
	thread = state_thread_get(state, state->listener.tid);
	if (thread && fd->type > SCAP_FD_UNKNOWN && fd->type < SCAP_FD_TYPES_COUNT)
		state_load_fd(state, thread->fds, fd);
	return 0;
}

static int snapshot_take_container(struct scap_snapshot *to, const struct scap_container *container)
{
	state_load_container(state_of(to), container->json, container->len);
	return 0;
}

static int take_container_user(struct scap_snapshot *to, const struct scap_container_user *user)
{
	struct state_container_users *own =
		state_containers_own_users(&state_of(to)->containers, user->container);
	int r = 0;

	if (own && user->user)
		r = users_add(&own->users, &(struct user_entry){.id = user->user->uid,
								.gid = user->user->gid,
								.name = user->user->name,
								.home = user->user->home,
								.shell = user->user->shell});
	else if (own && user->group)
		r = users_add(&own->groups, &(struct user_entry){.id = user->group->gid,
								 .name = user->group->name});
	return unless_full(r);
}

static void count_itself(struct state_thread_entry *entry, void *context)
{
	entry->thread.nthreads = state_thread_is_main(&entry->thread) && !entry->ended;
}

/* Threads may be reported before the main one of their process, and main ones twice. */
static void join_process(struct state_thread_entry *entry, void *context)
{
	struct state *state = context;
	struct state_thread *thread = &entry->thread, *main = state_thread_get(state, thread->pid);

	if (!main || main == thread)
		return;
	main->nthreads++;
	if (thread->fds != main->fds)
		state_share(state, thread, main, clone_flags__CLONE_FILES | clone_flags__CLONE_FS);
}

static int snapshot_end(struct scap_snapshot *to)
{
	struct state *state = state_of(to);

	state_threads_each(&state->threads, count_itself, NULL);
	state_threads_each(&state->threads, join_process, state);
	state_correct_roles(state);
	return 0;
}

struct scap_snapshot *state_snapshot(struct state *state)
{
	static const struct scap_snapshot_ops ops = {
		.begin = snapshot_begin,
		.machine = take_machine,
		.interface = take_interface,
		.user = take_user,
		.group = snapshot_take_group,
		.thread = take_thread,
		.fds = take_fds,
		.fd = take_fd,
		.container = snapshot_take_container,
		.container_user = take_container_user,
		.end = snapshot_end,
	};
	struct scap_snapshot *listener = &state->listener.snapshot;

	if (listener->ops)
		return listener;
	listener->ops = &ops;
	state->listener.state = state;
	state->proc = NULL;
	state->seed_ns = 0;
	names_forget_hosts(state->names);
	snapshot_begin(listener);
	return listener;
}
