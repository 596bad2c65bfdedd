/* SPDX-License-Identifier: MIT */
/*
 * Fills the tables, of this machine or from a capture. The main thread of each process is read from
 * /proc, which alone has its arguments and its directories; its other threads and its descriptors
 * come from iterators of the kernel, and so do the programs of those that ended before they were
 * read. What there is no iterator for, or what it fails to report, is read from /proc as well.
 */
#include <errno.h>
#include <limits.h>
#include <string.h>

#include "sinsp/state/container_state.h"
#include "sinsp/state/core.h"
#include "sinsp/state/engine.h"
#include "sinsp/state/load.h"
#include "sinsp/state/program.h"

static int seed_main_threads(struct state *state)
{
	struct scap_thread found;
	int r = scap_proc_rewind(state->proc);

	while (r >= 0 && (r = scap_proc_next_process(state->proc, &found)) == 1) {
		state_make_room(state);
		state_load_thread(state, &found);
	}
	return r;
}

/* Of all threads, or of those alone that are not the main ones of their processes. */
static int seed_threads(struct state *state, bool others_only)
{
	struct scap_thread found;
	int r = scap_proc_rewind(state->proc);

	while (r >= 0 && (r = scap_proc_next(state->proc, &found)) == 1) {
		state_make_room(state);
		if (!others_only || found.tid != found.pid)
			state_load_thread(state, &found);
	}
	return r;
}

/* What /proc would say of a thread, except for what it shares with the main one. */
static struct scap_thread seed_complete(const struct scap_other_thread *from,
					const struct state_thread *main)
{
	struct scap_thread made = {
		.tid = from->tid,
		.pid = from->pid,
		.ptid = main->ptid,
		.vtid = from->vtid,
		.vpid = main->vpid,
		.pgid = main->pgid,
		.vpgid = main->vpgid,
		.sid = main->sid,
		.uid = from->uid,
		.gid = from->gid,
		.loginuid = from->loginuid,
		.tty = main->tty,
		.start_ns = from->start_ns,
		.fd_limit = main->fd_limit,
		.caps_permitted = from->caps_permitted,
		.caps_effective = from->caps_effective,
		.caps_inheritable = from->caps_inheritable,
		.faults_major = from->faults_major,
		.faults_minor = from->faults_minor,
		.vm_size_kib = main->vm_size_kib,
		.vm_rss_kib = main->vm_rss_kib,
		.vm_swap_kib = main->vm_swap_kib,
		.exe = "",
		.exepath = "",
		.args = "",
		.env = "",
		.cgroups = main->cgroups->text,
		.cgroups_len = main->cgroups->len,
		.cwd = "",
		.root = "/",
	};

	memcpy(made.comm, from->comm, sizeof(made.comm));
	return made;
}

static struct state_program seed_program_of(const struct scap_other_thread *from)
{
	return (struct state_program){.flags = from->exe_flags,
				      .exe_ino = from->exe_ino,
				      .exe_ctime_ns = from->exe_ctime_ns,
				      .exe_mtime_ns = from->exe_mtime_ns,
				      .exe = "",
				      .exepath = from->exepath,
				      .args = "",
				      .env = ""};
}

/*
 * A process that began after /proc was listed, or ended while it was read. If it has ended, nobody
 * else tells what it executed: its events, and those of its descendants, do not.
 */
static void load_first(struct state *state, const struct scap_other_thread *from)
{
	const struct state_program program = seed_program_of(from);
	struct state_thread *thread = state_thread_get(state, from->tid);
	struct scap_thread found;

	if (!thread && scap_proc_thread(state->proc, from->tid, &found) == 0)
		thread = state_load_thread(state, &found);
	if (!thread)
		state_note_program(state, from->tid, from->exec_id, &program);
	else if (!*thread->program->exepath)
		state_learn_executable(state, thread, &program);
}

static void load_other(struct state *state, const struct scap_other_thread *from)
{
	const struct state_thread_entry *pinned = state->threads.pinned;
	struct state_thread *main = state_thread_get(state, from->pid);
	struct scap_thread found;

	/* A process that is not in the table began meanwhile: its events add it. */
	if (!main || !state_thread_is_main(main))
		return;
	/* A main thread that exited has no memory left to share. */
	if (from->own_cgroups || main->vm_size_kib == 0) {
		if (scap_proc_thread(state->proc, from->tid, &found) == 0)
			state_load_thread(state, &found);
		return;
	}
	state->threads.pinned = state_thread_entry(main);
	found = seed_complete(from, main);
	state_load_thread(state, &found);
	state->threads.pinned = pinned;
}

static int seed_other_threads(struct state *state, struct scap_threads *threads)
{
	struct scap_other_thread found;
	int r;

	while ((r = scap_threads_next(threads, &found)) == 1) {
		state_make_room(state);
		if (found.is_first)
			load_first(state, &found);
		else
			load_other(state, &found);
	}
	return r;
}

/* For the clone events of those that are gone by the time that /proc is read. */
static void note_programs(struct state *state, struct scap_threads *threads)
{
	struct scap_other_thread found;

	while (threads && scap_threads_next(threads, &found) == 1) {
		const struct state_program program = seed_program_of(&found);

		if (found.is_first)
			state_note_program(state, found.tid, found.exec_id, &program);
	}
}

static int seed_all_threads(struct state *state, struct scap_threads *threads)
{
	int r;

	if (!threads)
		return seed_threads(state, false);
	r = seed_main_threads(state);
	if (r < 0)
		return r;
	state->stats.threads_error = seed_other_threads(state, threads);
	return state->stats.threads_error ? seed_threads(state, true) : 0;
}

static int seed_fds(struct state *state, struct scap_open_fds *open_fds)
{
	struct state_thread *thread;
	struct scap_fd found;
	int64_t pid;
	int r;

	while ((r = scap_open_fds_next(open_fds, &pid, &found)) == 1) {
		state_make_room(state);
		thread = state_thread_get(state, pid);
		if (!thread || !state_thread_is_main(thread))
			continue;
		state_load_fd(state, thread->fds, &found);
		state_fds_set_read(thread->fds, state_now_ns(state));
	}
	return r;
}

static void seed_fds_of(struct state_thread_entry *entry, void *context)
{
	if (!entry->unknown && state_thread_is_main(&entry->thread))
		state_load_fds(context, &entry->thread, UINT_MAX);
}

static void seed_all_fds(struct state *state, struct scap_open_fds *open_fds)
{
	int r = open_fds ? seed_fds(state, open_fds) : 0;

	if (!open_fds || r)
		state_threads_each(&state->threads, seed_fds_of, state);
	state->stats.open_fds_error = r;
}

static void find_container_of(struct state_thread_entry *entry, void *context)
{
	if (!entry->unknown)
		state_find_named_container(context, &entry->thread);
}

int state_seed(struct state *state, const struct state_iterators *iterators, struct error *err)
{
	static const struct state_iterators none;
	int r;

	if (!iterators)
		iterators = &none;
	if (!state->proc)
		return 0;
	state->seed_ns = state_now_ns(state);
	note_programs(state, iterators->before);
	r = seed_all_threads(state, iterators->threads);
	if (r < 0)
		return error_set(err, r, "cannot read the threads of this machine from /proc: %s",
				 strerror(-r));
	state_threads_each(&state->threads, find_container_of, state);
	if (!(state->lacks & STATE_DESCRIPTORS))
		seed_all_fds(state, iterators->open_fds);
	state_correct_roles(state);
	return 0;
}

bool state_take_missed(struct state *state)
{
	bool missed = state->missed;

	state->missed = false;
	return missed;
}

/*
 * The list is ahead of the events: a process that is in the tables under this id may be an earlier
 * one, or may execute something else by now.
 */
static void learn_program(struct state *state, const struct scap_other_thread *from)
{
	const struct state_program program = seed_program_of(from);
	struct state_thread *thread = state_thread_get(state, from->tid);

	if (!thread || thread->exec_id != from->exec_id)
		state_note_program(state, from->tid, from->exec_id, &program);
	else if (!*thread->program->exepath && *from->exepath)
		state_learn_executable(state, thread, &program);
}

int state_learn_programs(struct state *state, struct scap_threads *threads, unsigned int max)
{
	struct scap_other_thread found;
	int r = 1;

	state_finish_last(state);
	while (max-- && (r = scap_threads_next(threads, &found)) == 1)
		if (found.is_first)
			learn_program(state, &found);
	return r;
}

int state_reseed(struct state *state, const struct state_iterators *iterators, struct error *err)
{
	state_finish_last(state);
	return state_seed(state, iterators, err);
}

void state_reseed_descriptors(struct state *state, struct scap_open_fds *open_fds)
{
	state_finish_last(state);
	if (state->proc)
		seed_all_fds(state, open_fds);
}

/* The listener that fills the tables from a capture, in place of /proc. */

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
	state->off_ns = 0;
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
	const struct state_user entry = {
		.id = user->uid,
		.gid = user->gid,
		.name = user->name,
		.home = user->home,
		.shell = user->shell,
	};

	return unless_full(state_users_add(&state_of(to)->names->users, &entry));
}

static int snapshot_take_group(struct scap_snapshot *to, const struct scap_group *group)
{
	const struct state_user entry = {.id = group->gid, .name = group->name};

	return unless_full(state_users_add(&state_of(to)->names->groups, &entry));
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
		r = state_users_add(&own->users, &(struct state_user){.id = user->user->uid,
								      .gid = user->user->gid,
								      .name = user->user->name,
								      .home = user->user->home,
								      .shell = user->user->shell});
	else if (own && user->group)
		r = state_users_add(&own->groups, &(struct state_user){.id = user->group->gid,
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
