/* SPDX-License-Identifier: MIT */
/*
 * Looks up threads and descriptors in /proc, each once; loads those of a snapshot into the tables.
 */
#include "sinsp/state/load.h"

#include <errno.h>
#include <string.h>

#include "sinsp/state/container_json.h"
#include "sinsp/state/container_state.h"
#include "sinsp/state/core.h"
#include "sinsp/state/event_fd.h"
#include "sinsp/state/program.h"
#include "sinsp/state/machine.h"

/* Threads and descriptors without an event: each is looked up in /proc once. */

enum {
	/*
	 * What may be looked up in a period: one lookup may take longer than the call. A thread
	 * that is found takes as long as many that are gone.
	 */
	LOOKUPS_SPAN_NS = 100000000,
	FD_LOOKUPS_MAX = 500,
	DIRECTORY_LOOKUPS_MAX = 500,
	THREAD_LOOKUPS_MAX = 500,
	THREAD_FOUND = 10,
	/* Of a process that is looked up: others are when they are used. */
	FDS_LOADED_MAX = 256,
};

static void note_unknown(struct sinsp *sinsp, int64_t tid)
{
	struct sinsp_thread_entry *entry = sinsp_threads_add(&sinsp->threads, tid, tid);

	if (!entry)
		return;
	entry->unknown = true;
	sinsp->threads.unknown++;
}

void state_note_program(struct sinsp *sinsp, int64_t tid, uint64_t exec_id,
			const struct sinsp_program *program)
{
	const struct note note = {.tid = tid, .exec_id = exec_id, .until_ns = state_now_ns(sinsp)};

	if (*program->exepath)
		notes_put(&sinsp->notes, &sinsp->pool, &note, program, sinsp->now_ns);
}

/*
 * A clone event has what the kernel knows of the new process but for its executable, which it has
 * of its creator. If that one began unseen, the kernel's list of threads may have it.
 */
void state_complete_program(struct sinsp *sinsp, struct sinsp_thread *thread)
{
	struct sinsp_program *noted;

	notes_expire(&sinsp->notes, &sinsp->pool, sinsp->now_ns);
	if (*thread->program->exepath || !sinsp->proc)
		return;
	sinsp->stats.programs_missed++;
	noted = notes_take(&sinsp->notes, thread->tid, thread->exec_id);
	if (noted)
		state_learn_executable(sinsp, thread, noted);
	sinsp->missed |= !noted;
	sinsp_program_unref(&sinsp->pool, noted);
}

/*
 * What is left of a budget: events must not pile up while /proc is read, whatever processes do. A
 * rejected lookup is not remembered, so the next event may try again.
 */
static uint32_t budget_left(const struct sinsp *sinsp, struct state_budget *budget, uint32_t max)
{
	if (sinsp->now_ns - budget->since_ns >= LOOKUPS_SPAN_NS)
		*budget = (struct state_budget){.since_ns = sinsp->now_ns};
	return budget->spent < max ? max - budget->spent : 0;
}

static bool may_ask_for_thread(struct sinsp *sinsp)
{
	if (budget_left(sinsp, &sinsp->thread_budget, THREAD_LOOKUPS_MAX))
		return true;
	sinsp->stats.thread_lookups_rejected++;
	return false;
}

static int load_ask_proc(struct sinsp *sinsp, int64_t tid, struct scap_thread *found)
{
	int r = scap_proc_thread(sinsp->proc, tid, found);

	sinsp->thread_budget.spent += r == 0 ? THREAD_FOUND : 1;
	return r;
}

/* The first descriptors; others are looked up when they are used. */
static void load_some_fds(struct sinsp *sinsp, struct sinsp_thread *thread)
{
	uint32_t max = budget_left(sinsp, &sinsp->fd_budget, FD_LOOKUPS_MAX);

	if (max > FDS_LOADED_MAX)
		max = FDS_LOADED_MAX;
	sinsp->fd_budget.spent += state_load_fds(sinsp, thread, max);
}

/* Adds an unknown thread from /proc, and first the main one of its process. */
static struct sinsp_thread *ask_for_thread(struct sinsp *sinsp, int64_t tid)
{
	struct scap_thread found;
	struct sinsp_thread *thread;
	int r;

	if (!may_ask_for_thread(sinsp))
		return NULL;
	sinsp->stats.thread_lookups++;
	r = load_ask_proc(sinsp, tid, &found);
	if (r == 0 && found.pid != tid && !sinsp_threads_find(&sinsp->threads, found.pid)) {
		state_thread(sinsp, found.pid);
		/* That call reused the memory of `found`. */
		r = load_ask_proc(sinsp, tid, &found);
	}
	if (r < 0) {
		sinsp->stats.thread_lookups_failed++;
		note_unknown(sinsp, tid);
		return NULL;
	}
	thread = state_load_thread(sinsp, &found);
	if (thread && sinsp_thread_is_main(thread) && !(sinsp->lacks & SINSP_DESCRIPTORS))
		load_some_fds(sinsp, thread);
	return thread;
}

struct sinsp_thread *state_thread(struct sinsp *sinsp, int64_t tid)
{
	struct sinsp_thread_entry *entry = sinsp_threads_find(&sinsp->threads, tid);

	if (entry)
		return entry->unknown ? NULL : &entry->thread;
	return sinsp->proc && tid > 0 ? ask_for_thread(sinsp, tid) : NULL;
}

static bool may_ask_for_fd(struct sinsp *sinsp)
{
	if (budget_left(sinsp, &sinsp->fd_budget, FD_LOOKUPS_MAX)) {
		sinsp->fd_budget.spent++;
		return true;
	}
	sinsp->stats.fd_lookups_rejected++;
	return false;
}

/*
 * Whether /proc has found the file that the kernel says it is. Its mount and inode are the
 * kernel's; where only stat(2) is known, some file systems show other devices there.
 */
static bool is_found(const struct scap_fd *found, const struct frame_file *file)
{
	if (!file || !file->ino)
		return true;
	return found->ino == file->ino &&
	       (found->mount ? found->mount == file->mount : found->dev == file->dev);
}

/* The number has become another file since: what is known of this one has no name. */
static struct sinsp_fd *open_unsure(struct sinsp *sinsp, struct sinsp_thread *thread, int64_t num)
{
	sinsp->stats.names_unsure++;
	return sinsp_fds_open(thread->fds, num, "", 0);
}

/* file: which one it is by the kernel; NULL: not known. */
static struct sinsp_fd *ask_for_fd(struct sinsp *sinsp, struct sinsp_thread *thread, int64_t num,
				   const struct frame_file *file)
{
	struct scap_fd found;

	/* Nobody needs what is missing of a process as long as it goes on. */
	if (!sinsp->proc || num < 0 || sinsp_fds_asked(thread->fds, num) ||
	    sinsp_fds_gap_is_open(thread->fds) || !may_ask_for_fd(sinsp))
		return NULL;
	sinsp_fds_note_asked(thread->fds, num);
	sinsp->stats.fd_lookups++;
	if (scap_proc_fd(sinsp->proc, thread->tid, num, &found) < 0) {
		sinsp->stats.fd_lookups_failed++;
		return NULL;
	}
	return is_found(&found, file) ? state_load_fd(sinsp, thread->fds, &found)
				      : open_unsure(sinsp, thread, num);
}

struct sinsp_fd *state_fd(struct sinsp *sinsp, struct sinsp_thread *thread, int64_t num)
{
	struct sinsp_fd *fd = sinsp_fds_find(thread->fds, num);

	/* Nothing asks for a descriptor that is not kept. */
	return fd || (sinsp->lacks & SINSP_DESCRIPTORS) ? fd : ask_for_fd(sinsp, thread, num, NULL);
}

struct sinsp_fd *state_replace_fd(struct sinsp *sinsp, struct state_event *event, int64_t num)
{
	sinsp_fds_close(event->thread->fds, num);
	return ask_for_fd(sinsp, event->thread, num, NULL);
}

/* Whether an entry is of another file. Of many kinds the inode or the device is not known. */
static bool is_another(const struct sinsp_fd *fd, const struct frame_file *file)
{
	uint64_t ino = sinsp_fd_ino(fd);

	return (ino && ino != file->ino) || (fd->dev && fd->dev != file->dev);
}

struct sinsp_fd *state_fd_of_file(struct sinsp *sinsp, struct sinsp_thread *thread, int64_t num,
				  const struct frame_file *file)
{
	struct sinsp_fd *fd = sinsp_fds_find(thread->fds, num);

	if ((sinsp->lacks & SINSP_DESCRIPTORS) || !file->ino)
		return fd ? fd : state_fd(sinsp, thread, num);
	if (fd && is_another(fd, file)) {
		sinsp_fds_close(thread->fds, num);
		fd = NULL;
	}
	if (!fd)
		fd = ask_for_fd(sinsp, thread, num, file);
	if (fd)
		state_note_file(fd, file);
	return fd;
}

void state_note_file(struct sinsp_fd *fd, const struct frame_file *file)
{
	sinsp_fd_set_ino(fd, file->ino);
	/* Others are on devices that nobody has heard of. */
	if (fd->type == SCAP_FD_UNKNOWN || fd->type == SCAP_FD_FILE ||
	    fd->type == SCAP_FD_DIRECTORY)
		fd->dev = file->dev;
}

static bool may_ask_for_directory(struct sinsp *sinsp)
{
	if (budget_left(sinsp, &sinsp->directory_budget, DIRECTORY_LOOKUPS_MAX)) {
		sinsp->directory_budget.spent++;
		return true;
	}
	sinsp->stats.directory_lookups_rejected++;
	return false;
}

int state_real_directory(struct sinsp *sinsp, const struct sinsp_thread *thread, const char *path,
			 const char **real)
{
	if (!sinsp->proc)
		return -ENOENT;
	return may_ask_for_directory(sinsp)
		       ? scap_proc_real_directory(sinsp->proc, thread->tid, path, real)
		       : -EBUSY;
}

bool state_look_up_cwd(struct sinsp *sinsp, struct sinsp_thread *thread)
{
	const char *cwd = "";

	if (!sinsp->proc ||
	    (may_ask_for_directory(sinsp) && scap_proc_cwd(sinsp->proc, thread->tid, &cwd) < 0))
		return false;
	sinsp_fs_set(&sinsp->pool, thread->fs, cwd, strlen(cwd));
	return true;
}

void state_look_up_base(struct sinsp *sinsp, struct state_event *event, int64_t dirfd)
{
	struct sinsp_thread *thread = event->thread;

	if (dirfd != AT_FDCWD_STORED) {
		if (sinsp->lacks & SINSP_DESCRIPTORS)
			state_replace_fd(sinsp, event, dirfd);
	} else if (!state_look_up_cwd(sinsp, thread)) {
		sinsp_fs_set(&sinsp->pool, thread->fs, "", 0);
	}
}

/* Loads threads and descriptors from /proc or a capture into the tables. */

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

static void load_set_program(struct sinsp *sinsp, struct sinsp_thread *thread,
			     const struct sinsp_program *from)
{
	struct sinsp_program *program = sinsp_program_create(&sinsp->pool, from);

	if (!program)
		return;
	sinsp_program_unref(&sinsp->pool, thread->program);
	thread->program = program;
}

void state_learn_executable(struct sinsp *sinsp, struct sinsp_thread *thread,
			    const struct sinsp_program *from)
{
	/* Others share that because nothing is known of them. */
	if (thread->program == sinsp->no_program)
		load_set_program(sinsp, thread, thread->program);
	if (thread->program != sinsp->no_program &&
	    sinsp_program_learn(&sinsp->pool, thread->program, from))
		sinsp->stats.programs_learnt++;
}

void state_read_arguments(struct sinsp *sinsp, struct sinsp_thread *thread)
{
	struct sinsp_program read = *thread->program;
	struct scap_thread found;

	if (!may_ask_for_thread(sinsp) || load_ask_proc(sinsp, thread->tid, &found) < 0 ||
	    !*found.exe || strcmp(found.exepath, read.exepath) != 0)
		return;
	read.exe = found.exe;
	read.args = found.args;
	read.args_len = found.args_len;
	read.env = found.env;
	read.env_len = found.env_len;
	load_set_program(sinsp, thread, &read);
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

	load_set_program(sinsp, thread, &found);
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

static bool load_has_bit(const uint8_t *bits, unsigned int at)
{
	return bits[at / 8] >> at % 8 & 1;
}

/*
 * /proc does not report which end called: it was the remote one if a local socket listens on the
 * port.
 */
static void load_guess_role(struct sinsp *sinsp, struct sinsp_fd *fd)
{
	union sinsp_ends *ends;

	fd->role = SINSP_ROLE_CLIENT;
	if (!load_has_bit(sinsp->listening, sinsp_fd_ends(fd)->source.port))
		return;
	ends = sinsp_fd_make_ends(&sinsp->fd_store, fd);
	if (!ends)
		return;
	fd->role = SINSP_ROLE_SERVER;
	sinsp_socket_swap(ends);
}

static void load_name_socket(struct sinsp *sinsp, struct sinsp_fd *fd)
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
		load_guess_role(sinsp, fd);
	}
	sinsp_socket_unmap(fd, ends);
	load_name_socket(sinsp, fd);
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
	fd->was_read = true;
	sinsp_fd_set_ino(fd, from->ino);
	sinsp_fds_set_cloexec(fds, from->num, from->flags & file_flags__O_CLOEXEC);
	if (sinsp_socket_is_ip(fd))
		load_socket(sinsp, fd, from);
	else if (fd->type == SCAP_FD_UNIX)
		load_unix_socket(sinsp, fd, from);
	sinsp_fds_recharge(fds, from->num);
	return fd;
}

unsigned int state_load_fds(struct sinsp *sinsp, struct sinsp_thread *thread, unsigned int max)
{
	unsigned int count = 0;
	struct scap_fd found;

	if (scap_proc_fds(sinsp->proc, thread->tid) < 0)
		return 0;
	for (; count < max && scap_proc_next_fd(sinsp->proc, &found) == 1; count++) {
		state_load_fd(sinsp, thread->fds, &found);
		/* Others' descriptors may be those of the event that goes on. */
		if (state_is_crowded(sinsp))
			sinsp_fds_evict_from(thread->fds);
	}
	sinsp_fds_set_read(thread->fds, state_now_ns(sinsp));
	return count;
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
		load_guess_role(sinsp, fd);
		if (fd->role == SINSP_ROLE_SERVER)
			load_name_socket(sinsp, fd);
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
