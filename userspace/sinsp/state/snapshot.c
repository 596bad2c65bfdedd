/* SPDX-License-Identifier: MIT */
/* The listener that fills the tables from a capture, in place of /proc. */
#include <errno.h>
#include <string.h>

#include "sinsp/state/engine.h"
#include "sinsp/state/core.h"
#include "sinsp/state/load.h"
#include "sinsp/state/program.h"

static struct sinsp *sinsp_of(struct scap_snapshot *to)
{
	return ((struct state_listener *)to)->sinsp;
}

/* A capture may have several snapshots; the times of events continue. */
static int snapshot_begin(struct scap_snapshot *to)
{
	struct sinsp *sinsp = sinsp_of(to);

	state_finish_last(sinsp);
	sinsp_threads_clear(&sinsp->threads);
	sinsp_containers_forget_unused(&sinsp->containers);
	sinsp->containers.keeps_unused = true;
	names_forget_users(sinsp->names);
	machine_finish(&sinsp->machine);
	sinsp->boot = 0;
	sinsp->run_ns = 0;
	sinsp->listener.tid = 0;
	memset(sinsp->exited, 0, sizeof(sinsp->exited));
	memset(sinsp->listening, 0, sizeof(sinsp->listening));
	memset(sinsp->switches, 0, sinsp->switched_cpus * sizeof(sinsp->switches[0]));
	sinsp->switched_cpus = 0;
	return 0;
}

static int take_machine(struct scap_snapshot *to, const struct scap_machine *machine)
{
	struct sinsp *sinsp = sinsp_of(to);

	machine_set(&sinsp->machine, machine);
	sinsp->boot = machine_boot_of(sinsp->machine.hostname) ^ machine->boot_ns;
	return 0;
}

/* Entries beyond the limits of the tables are skipped; the snapshot continues. */
static int unless_full(int r)
{
	return r == -ENOSPC ? 0 : r;
}

static int take_interface(struct scap_snapshot *to, const struct scap_interface *interface)
{
	return unless_full(machine_add_interface(&sinsp_of(to)->machine, interface));
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

	return unless_full(users_add(&sinsp_of(to)->names->users, &entry));
}

static int snapshot_take_group(struct scap_snapshot *to, const struct scap_group *group)
{
	const struct user_entry entry = {.id = group->gid, .name = group->name};

	return unless_full(users_add(&sinsp_of(to)->names->groups, &entry));
}

static int take_thread(struct scap_snapshot *to, const struct scap_thread *thread)
{
	struct sinsp_thread *taken = NULL;

	state_make_room(sinsp_of(to));
	if (thread->tid > 0 && thread->pid > 0)
		taken = state_load_thread(sinsp_of(to), thread);
	if (taken && sinsp_thread_is_main(taken))
		sinsp_thread_entry(taken)->ended = thread->flags & clone_flags__CLOSED;
	return 0;
}

static int take_fds(struct scap_snapshot *to, int64_t tid)
{
	sinsp_of(to)->listener.tid = tid;
	return 0;
}

static int take_fd(struct scap_snapshot *to, const struct scap_fd *fd)
{
	struct sinsp *sinsp = sinsp_of(to);
	struct sinsp_thread *thread;

	state_make_room(sinsp);
	thread = state_thread_find(sinsp, sinsp->listener.tid);
	if (thread && fd->type > SCAP_FD_UNKNOWN && fd->type < SCAP_FD_TYPES_COUNT)
		state_load_fd(sinsp, thread->fds, fd);
	return 0;
}

static int snapshot_take_container(struct scap_snapshot *to, const struct scap_container *container)
{
	state_load_container(sinsp_of(to), container->json, container->len);
	return 0;
}

static int take_container_user(struct scap_snapshot *to, const struct scap_container_user *user)
{
	struct sinsp_container_users *own =
		sinsp_containers_own_users(&sinsp_of(to)->containers, user->container);
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

static void count_itself(struct sinsp_thread_entry *entry, void *context)
{
	entry->thread.nthreads = sinsp_thread_is_main(&entry->thread) && !entry->ended;
}

/* Threads may be reported before the main one of their process, and main ones twice. */
static void join_process(struct sinsp_thread_entry *entry, void *context)
{
	struct sinsp *sinsp = context;
	struct sinsp_thread *thread = &entry->thread, *main = state_thread_find(sinsp, thread->pid);

	if (!main || main == thread)
		return;
	main->nthreads++;
	if (thread->fds != main->fds)
		state_share(sinsp, thread, main, clone_flags__CLONE_FILES | clone_flags__CLONE_FS);
}

static int snapshot_end(struct scap_snapshot *to)
{
	struct sinsp *sinsp = sinsp_of(to);

	sinsp_threads_each(&sinsp->threads, count_itself, NULL);
	sinsp_threads_each(&sinsp->threads, join_process, sinsp);
	state_correct_roles(sinsp);
	return 0;
}

struct scap_snapshot *sinsp_snapshot(struct sinsp *sinsp)
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
	struct scap_snapshot *listener = &sinsp->listener.snapshot;

	if (listener->ops)
		return listener;
	listener->ops = &ops;
	sinsp->listener.sinsp = sinsp;
	sinsp->proc = NULL;
	sinsp->seed_ns = 0;
	names_forget_hosts(sinsp->names);
	snapshot_begin(listener);
	return listener;
}
