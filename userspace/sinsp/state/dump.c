/* SPDX-License-Identifier: MIT */
/* Reports the tables, as /proc would show them, to the writer of a capture. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sinsp/state/containers/container_json.h"
#include "sinsp/state/engine.h"
#include "sinsp/state/core.h"
#include "sinsp/state/machine.h"

/* Threads in the order in which they are reported. */
struct order {
	const struct state_thread **threads; /* owned */
	size_t count;
};

static void dump_put(struct state_thread_entry *entry, void *context)
{
	struct order *order = context;

	/* Skips those of which only events are known. */
	if (entry->thread.pid > 0)
		order->threads[order->count++] = &entry->thread;
}

static int dump_compare(const void *left, const void *right)
{
	const struct state_thread *a = *(const struct state_thread *const *)left;
	const struct state_thread *b = *(const struct state_thread *const *)right;

	if (state_thread_is_main(a) != state_thread_is_main(b))
		return state_thread_is_main(a) ? -1 : 1;
	return (a->tid > b->tid) - (a->tid < b->tid);
}

static struct scap_user dump_user_of(const struct state_user *user)
{
	return (struct scap_user){
		.uid = user->id,
		.gid = user->gid,
		.name = user->name,
		.home = user->home ? user->home : "",
		.shell = user->shell ? user->shell : "",
	};
}

static int dump_user(const struct state_user *user, void *context)
{
	struct scap_snapshot *to = context;
	const struct scap_user out = dump_user_of(user);

	return to->ops->user(to, &out);
}

static int dump_group(const struct state_user *group, void *context)
{
	struct scap_snapshot *to = context;
	const struct scap_group out = {.gid = group->id, .name = group->name};

	return to->ops->group(to, &out);
}

static void dump_take_program(const struct state_program *program, struct scap_thread *out)
{
	out->exe_ino = program->exe_ino;
	out->exe_ctime_ns = program->exe_ctime_ns;
	out->exe_mtime_ns = program->exe_mtime_ns;
	out->exe_flags = program->flags;
	out->exe = program->exe;
	out->exepath = program->exepath;
	out->args = program->args;
	out->args_len = program->args_len;
	out->env = program->env;
	out->env_len = program->env_len;
}

static uint32_t flags_of(const struct state_thread *thread)
{
	if (!state_thread_is_main(thread))
		return clone_flags__CLONE_THREAD | clone_flags__CLONE_FILES;
	return ((const struct state_thread_entry *)thread)->ended ? clone_flags__CLOSED : 0;
}

/* Converts a time to the current wall clock, which the next events have; 0: unknown. */
static uint64_t dump_wall_ns(const struct state *state, uint64_t ns)
{
	return ns ? ns + (uint64_t)state->clock_step_ns : 0;
}

static int dump_thread(const struct state *state, const struct state_thread *thread,
		       struct scap_snapshot *to)
{
	struct scap_thread out = {
		.tid = thread->tid,
		.pid = thread->pid,
		.ptid = thread->ptid,
		.vtid = thread->vtid,
		.vpid = thread->vpid,
		.pgid = thread->pgid,
		.vpgid = thread->vpgid,
		.sid = thread->sid,
		.uid = thread->uid,
		.gid = thread->gid,
		.loginuid = thread->loginuid,
		.tty = thread->tty,
		.start_ns = dump_wall_ns(state, thread->clone_ts_ns),
		.fd_limit = thread->fd_limit,
		.caps_permitted = thread->caps_permitted,
		.caps_effective = thread->caps_effective,
		.caps_inheritable = thread->caps_inheritable,
		.faults_major = thread->faults_major,
		.faults_minor = thread->faults_minor,
		.vm_size_kib = thread->vm_size_kib,
		.vm_rss_kib = thread->vm_rss_kib,
		.vm_swap_kib = thread->vm_swap_kib,
		.flags = flags_of(thread),
		.pidns_start_ns = dump_wall_ns(state, thread->pidns_start_ns),
		.exec_id = thread->exec_id,
		.cgroups = thread->cgroups->text,
		.cgroups_len = thread->cgroups->len,
		.cwd = thread->fs->cwd,
		.root = thread->fs->root ? thread->fs->root : "/",
	};

	memcpy(out.comm, thread->comm, sizeof(out.comm));
	dump_take_program(thread->program, &out);
	return to->ops->thread(to, &out);
}

/* /proc has the local and the remote end of a connection, not which of them called. */
static void take_ends(const struct state_fd *fd, struct scap_fd *out)
{
	bool is_server = fd->listening || fd->role == STATE_ROLE_SERVER;

	out->name = "";
	out->l4 = fd->l4;
	out->local = is_server ? state_fd_ends(fd)->dest : state_fd_ends(fd)->source;
	if (!fd->listening)
		out->remote = is_server ? state_fd_ends(fd)->source : state_fd_ends(fd)->dest;
}

static int dump_fd(const struct state_fds *fds, int64_t num, const struct state_fd *fd,
		   struct scap_snapshot *to)
{
	uint32_t cloexec = state_fds_cloexec(fds, num) ? file_flags__O_CLOEXEC : 0;
	struct scap_fd out = {
		.num = num,
		.type = fd->type,
		.flags = (fd->flags & ~file_flags__O_CLOEXEC) | cloexec,
		.dev = fd->dev,
		.ino = state_fd_ino(fd),
		.name = fd->name,
	};

	if (state_socket_is_ip(fd)) {
		take_ends(fd, &out);
	} else if (fd->type == SCAP_FD_UNIX) {
		out.unix_socket = state_fd_ends(fd)->unix_socket;
		out.unix_peer = state_fd_ends(fd)->unix_peer;
	}
	return to->ops->fd(to, &out);
}

static int dump_fds(const struct state_thread *thread, struct scap_snapshot *to)
{
	const struct state_fd *fd;
	int r = to->ops->fds(to, thread->tid);

	for (int64_t num = 0; r == 0 && (fd = state_fds_next(thread->fds, &num)); num++)
		if (fd->type != SCAP_FD_UNKNOWN)
			r = dump_fd(thread->fds, num, fd, to);
	return r;
}

static int dump_threads(struct state *state, struct scap_snapshot *to)
{
	struct order order = {.threads =
				      calloc(state->threads.entries + 1, sizeof(*order.threads))};
	int r = order.threads ? 0 : -ENOMEM;

	if (r < 0)
		return r;
	state_threads_each(&state->threads, dump_put, &order);
	qsort(order.threads, order.count, sizeof(*order.threads), dump_compare);
	for (size_t i = 0; i < order.count && r == 0; i++)
		r = dump_thread(state, order.threads[i], to);
	for (size_t i = 0; i < order.count && r == 0; i++)
		if (state_thread_is_main(order.threads[i]))
			r = dump_fds(order.threads[i], to);
	free(order.threads);
	return r;
}

/* When something is reported that belongs between two events, or before the first one. */
static uint64_t dump_ns(const struct state *state)
{
	return dump_wall_ns(state, state->now_ns ? state->now_ns : state->seed_ns);
}

/* Descriptions that readers would reject as too long are counted, and left out. */
static int dump_container(struct state *state, const struct state_container *container,
			  bool at_start, struct scap_snapshot *to)
{
	struct scap_container out = {.at_start = at_start};
	struct buf json = {0};
	int r = -ENOMEM;

	state_container_json_append(container, &json);
	buf_append_char(&json, '\0');
	if (!json.failed && json.len > CONTAINER_JSON_BYTES_MAX) {
		state->stats.descriptions_too_long++;
		r = 0;
	} else if (!json.failed) {
		out.json = json.data;
		out.len = json.len - 1;
		out.ts_ns = dump_ns(state);
		r = to->ops->container(to, &out);
	}
	buf_finish(&json);
	return r;
}

/* What the users of a container are reported with. */
struct users_dump {
	struct scap_snapshot *to;
	struct scap_container_user out;
};

static int dump_own_user(const struct state_user *user, void *context)
{
	const struct scap_user own = dump_user_of(user);
	struct users_dump *dump = context;

	dump->out.user = &own;
	return dump->to->ops->container_user(dump->to, &dump->out);
}

static int dump_own_group(const struct state_user *group, void *context)
{
	const struct scap_group own = {.gid = group->id, .name = group->name};
	struct users_dump *dump = context;

	dump->out.group = &own;
	return dump->to->ops->container_user(dump->to, &dump->out);
}

static int dump_tables(struct state *state, struct state_users *users, struct state_users *groups,
		       struct users_dump *dump)
{
	int r = state_users_each(users, state->now_ns, dump_own_user, dump);

	dump->out.user = NULL;
	return r ? r : state_users_each(groups, state->now_ns, dump_own_group, dump);
}

/*
 * The users of a container: nobody as long as they are not known, or if its files cannot be used.
 * Those of the host are reported only after that.
 */
static int dump_container_users(struct state *state, const struct state_container *container,
				bool at_start, struct scap_snapshot *to)
{
	char short_id[STATE_CONTAINER_SHORT_LEN + 1];
	struct users_dump dump = {to, {.container = container->id, .ts_ns = dump_ns(state)}};
	struct state_container_users *own = container->users;
	bool are_unknown = state->proc && !container->users_read;

	if (state_container_short_len(container) < container->id_len) {
		snprintf(short_id, sizeof(short_id), "%s", container->id);
		dump.out.container = short_id;
	}
	if (own ? own->users.count + own->groups.count == 0 : are_unknown)
		return to->ops->container_user(to, &dump.out);
	if (own)
		return dump_tables(state, &own->users, &own->groups, &dump);
	if (state->proc && !at_start)
		return dump_tables(state, &state->names->users, &state->names->groups, &dump);
	return 0;
}

/* Containers in the order in which they are reported. */
struct container_order {
	const struct state_container **containers; /* owned */
	size_t count;
};

static void put_container(struct state_container *container, void *context)
{
	struct container_order *order = context;

	if (container->refs || state_container_is_described(container))
		order->containers[order->count++] = container;
}

static int compare_containers(const void *left, const void *right)
{
	const struct state_container *a = *(const struct state_container *const *)left;
	const struct state_container *b = *(const struct state_container *const *)right;

	return strcmp(a->id, b->id);
}

static int dump_containers(struct state *state, struct scap_snapshot *to)
{
	struct container_order order = {
		.containers = calloc(state->containers.count + 1, sizeof(*order.containers))};
	int r = order.containers ? 0 : -ENOMEM;

	if (r < 0)
		return r;
	state_containers_each(&state->containers, put_container, &order);
	qsort(order.containers, order.count, sizeof(*order.containers), compare_containers);
	for (size_t i = 0; i < order.count && r == 0; i++)
		if (state_container_is_described(order.containers[i]))
			r = dump_container(state, order.containers[i], true, to);
	for (size_t i = 0; i < order.count && r == 0; i++)
		r = dump_container_users(state, order.containers[i], true, to);
	free(order.containers);
	return r;
}

int state_dump_changed(struct state *state, struct scap_snapshot *to)
{
	const struct state_container *container;
	int r = 0;

	while (r == 0 && (container = state_containers_take_changed(&state->containers)))
		if (to)
			r = dump_container(state, container, false, to);
	while (r == 0 && (container = state_containers_take_users_changed(&state->containers)))
		if (to)
			r = dump_container_users(state, container, false, to);
	return r;
}

int state_dump(struct state *state, struct scap_snapshot *to)
{
	int r = 0;

	state_finish_last(state);
	if (!state->listener.state)
		r = machine_read(&state->machine);
	if (r == 0)
		r = to->ops->begin(to);
	if (r == 0)
		r = machine_dump(&state->machine, state->clock_step_ns, to);
	if (r == 0)
		r = state_users_each(&state->names->users, state->now_ns, dump_user, to);
	if (r == 0)
		r = state_users_each(&state->names->groups, state->now_ns, dump_group, to);
	if (r == 0)
		r = dump_threads(state, to);
	if (r == 0)
		r = dump_containers(state, to);
	if (r == 0)
		r = state_dump_changed(state, NULL);
	return r == 0 ? to->ops->end(to) : r;
}
