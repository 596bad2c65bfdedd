/* SPDX-License-Identifier: MIT */
/* Loads threads and descriptors from /proc or a capture into the tables. */
#include "sinsp/state/load.h"

#include <string.h>

#include "sinsp/state/container_json.h"
#include "sinsp/state/container_users_live.h"
#include "sinsp/state/follow.h"
#include "sinsp/state/parts.h"
#include "sinsp/state/room.h"
#include "sinsp/state/program.h"
#include "sinsp/state/socket.h"

static void load_values(struct sinsp_thread *thread, const struct scap_thread *from)
{
	thread->vtid = from->vtid;
	thread->vpid = from->vpid;
	thread->pgid = from->pgid;
	thread->vpgid = from->vpgid;
	thread->sid = from->sid;
	thread->uid = from->uid;
	thread->gid = from->gid;
	thread->loginuid = from->loginuid;
	thread->tty = from->tty;
	thread->clone_ts_ns = from->start_ns;
	thread->exec_id = from->exec_id;
	thread->fd_limit = from->fd_limit;
	thread->caps_permitted = from->caps_permitted;
	thread->caps_effective = from->caps_effective;
	thread->caps_inheritable = from->caps_inheritable;
	thread->faults_major = from->faults_major;
	thread->faults_minor = from->faults_minor;
	thread->vm_size_kib = from->vm_size_kib;
	thread->vm_rss_kib = from->vm_rss_kib;
	thread->vm_swap_kib = from->vm_swap_kib;
	thread->pidns_start_ns = from->pidns_start_ns;
	memcpy(thread->comm, from->comm, sizeof(thread->comm));
	thread->comm[sizeof(thread->comm) - 1] = '\0';
}

static void load_program(struct sinsp *sinsp, struct sinsp_thread *thread,
			 const struct scap_thread *from)
{
	const struct sinsp_program found = {
		.flags = from->exe_flags,
		.exe_ino = from->exe_ino,
		.exe_ctime_ns = from->exe_ctime_ns,
		.exe_mtime_ns = from->exe_mtime_ns,
		.exe = from->exe,
		.exepath = from->exepath,
		.args = from->args,
		.args_len = from->args_len,
		.env = from->env,
		.env_len = from->env_len,
	};
	struct sinsp_program *program = sinsp_program_create(&sinsp->pool, &found);

	if (!program)
		return;
	sinsp_program_unref(&sinsp->pool, thread->program);
	thread->program = program;
}

struct sinsp_thread *state_load_thread(struct sinsp *sinsp, const struct scap_thread *from)
{
	const struct sinsp_thread *before =
		state_thread_find(sinsp, from->tid); /* it is reloaded */
	bool followed = before && before->followed;
	uint32_t nthreads = before && sinsp_thread_is_main(before) ? before->nthreads : 0;
	struct sinsp_thread *thread = state_thread_add(sinsp, from->tid, from->pid), *main;

	if (!thread)
		return NULL;
	/* Loaded data of a capture is older than its events. */
	sinsp_thread_entry(thread)->since_ns = sinsp->proc ? state_now_ns(sinsp) : 0;
	load_values(thread, from);
	if (nthreads > thread->nthreads && sinsp_thread_is_main(thread))
		thread->nthreads = nthreads; /* the others stayed */
	sinsp_threads_set_parent(&sinsp->threads, thread, from->ptid);
	sinsp_thread_set_cgroups(&sinsp->containers, thread, from->cgroups, from->cgroups_len);
	main = sinsp_thread_is_main(thread) ? NULL : state_thread_find(sinsp, from->pid);
	if (main) {
		/* Nearly all threads share these with their process. */
		state_share(sinsp, thread, main, clone_flags__CLONE_FILES | clone_flags__CLONE_FS);
	} else {
		load_program(sinsp, thread, from);
		sinsp_fs_set(&sinsp->pool, thread->fs, from->cwd, strlen(from->cwd));
		sinsp_fs_set_root(&sinsp->pool, thread->fs, from->root);
	}
	state_follow_loaded(sinsp, thread, followed);
	state_learn_users(sinsp, thread);
	return thread;
}

static void set_bit(uint8_t *bits, unsigned int at)
{
	bits[at / 8] |= (uint8_t)(1u << at % 8);
}

static bool has_bit(const uint8_t *bits, unsigned int at)
{
	return bits[at / 8] >> at % 8 & 1;
}

/*
 * /proc does not report which end called: it was the remote one if a local socket listens on the
 * port.
 */
static void guess_role(struct sinsp *sinsp, struct sinsp_fd *fd)
{
	union sinsp_ends *ends;

	fd->role = SINSP_ROLE_CLIENT;
	if (!has_bit(sinsp->listening, sinsp_fd_ends(fd)->source.port))
		return;
	ends = sinsp_fd_make_ends(&sinsp->fd_store, fd);
	if (!ends)
		return;
	fd->role = SINSP_ROLE_SERVER;
	sinsp_socket_swap(ends);
}

static void name_socket(struct sinsp *sinsp, struct sinsp_fd *fd)
{
	static const char unknown[] = "<unknown>";
	char name[SOCKET_NAME_MAX];
	size_t len = sinsp_socket_name(fd, name);

	if (fd->l4 == SCAP_L4_UNKNOWN)
		sinsp_fd_rename(&sinsp->fd_store, fd, unknown, sizeof(unknown) - 1);
	else
		sinsp_fd_rename(&sinsp->fd_store, fd, name, len);
}

static bool is_nowhere(const struct scap_endpoint *end)
{
	static const struct scap_endpoint nowhere;

	return end->port == 0 &&
	       memcmp(end->address, nowhere.address, sizeof(nowhere.address)) == 0;
}

static void load_socket(struct sinsp *sinsp, struct sinsp_fd *fd, const struct scap_fd *from)
{
	union sinsp_ends *ends;

	fd->l4 = from->l4;
	if (is_nowhere(&from->local) && is_nowhere(&from->remote))
		return;
	ends = sinsp_fd_make_ends(&sinsp->fd_store, fd);
	if (!ends)
		return;
	fd->listening = is_nowhere(&from->remote);
	if (fd->listening) {
		ends->dest = from->local;
		if (from->local.port)
			set_bit(sinsp->listening, from->local.port);
	} else {
		ends->source = from->local;
		ends->dest = from->remote;
		fd->connected = true;
		guess_role(sinsp, fd);
	}
	sinsp_socket_unmap(fd, ends);
	name_socket(sinsp, fd);
}

static void load_unix_socket(struct sinsp *sinsp, struct sinsp_fd *fd, const struct scap_fd *from)
{
	fd->role = fd->name_len ? SINSP_ROLE_SERVER : SINSP_ROLE_CLIENT;
	state_set_unix_ends(sinsp, fd, from->unix_socket, from->unix_peer);
}

struct sinsp_fd *state_load_fd(struct sinsp *sinsp, struct sinsp_fds *fds,
			       const struct scap_fd *from)
{
	struct sinsp_fd *fd = sinsp_fds_open(fds, from->num, from->name, strlen(from->name));

	if (!fd)
		return NULL;
	fd->type = from->type;
	fd->flags = from->flags;
	fd->dev = from->dev;
	sinsp_fd_set_ino(fd, from->ino);
	sinsp_fds_set_cloexec(fds, from->num, from->flags & file_flags__O_CLOEXEC);
	if (sinsp_socket_is_ip(fd))
		load_socket(sinsp, fd, from);
	else if (fd->type == SCAP_FD_UNIX)
		load_unix_socket(sinsp, fd, from);
	sinsp_fds_recharge(fds, from->num);
	return fd;
}

void state_load_fds(struct sinsp *sinsp, struct sinsp_thread *thread, unsigned int max)
{
	struct scap_fd found;

	if (scap_proc_fds(sinsp->proc, thread->tid) < 0)
		return;
	while (max-- && scap_proc_next_fd(sinsp->proc, &found) == 1) {
		state_load_fd(sinsp, thread->fds, &found);
		/* Others' descriptors may be those of the event that goes on. */
		if (state_is_crowded(sinsp))
			sinsp_fds_evict_from(thread->fds);
	}
}

static void correct_roles_of(struct sinsp_thread_entry *entry, void *context)
{
	struct sinsp *sinsp = context;
	struct sinsp_fd *fd;

	if (!sinsp_thread_is_main(&entry->thread))
		return;
	for (int64_t num = 0; (fd = sinsp_fds_next(entry->thread.fds, &num)); num++) {
		if (!sinsp_socket_is_ip(fd) || fd->role != SINSP_ROLE_CLIENT)
			continue;
		guess_role(sinsp, fd);
		if (fd->role == SINSP_ROLE_SERVER)
			name_socket(sinsp, fd);
	}
}

void state_correct_roles(struct sinsp *sinsp)
{
	sinsp_threads_each(&sinsp->threads, correct_roles_of, sinsp);
}

void state_load_container(struct sinsp *sinsp, const char *json, size_t len)
{
	struct sinsp_container_json read;
	struct sinsp_description description;

	if (sinsp_container_json_read(json, len, sinsp->with_env, &read)) {
		sinsp->stats.descriptions_corrupt++;
		return;
	}
	sinsp->stats.descriptions_ignored += read.ignored;
	description = (struct sinsp_description){
		.id = read.id, .state = read.state, .info = read.info, .bytes = len};
	if (sinsp_containers_describe(&sinsp->containers, &description))
		sinsp->stats.descriptions_corrupt++;
}
