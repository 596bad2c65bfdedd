/* SPDX-License-Identifier: MIT */
/*
 * Looks up threads and descriptors in /proc, each once; loads those of a snapshot into the tables.
 */
#include "sinsp/state/load.h"

#include <errno.h>
#include <string.h>

#include "sinsp/state/containers/container_json.h"
#include "sinsp/state/container_state.h"
#include "sinsp/state/core.h"
#include "sinsp/state/engine.h"
#include "sinsp/state/apply.h"
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
	/* Of these a part only while events are late. */
	LATE_NS = 200000000,
	LATE_PART = 10,
	/* Of a process that is looked up: others are when they are used. */
	FDS_LOADED_MAX = 256,
};

static void note_unknown(struct state *state, int64_t tid)
{
	struct state_thread_entry *entry = state_threads_add(&state->threads, tid, tid);

	if (!entry)
		return;
	entry->unknown = true;
	state->threads.unknown++;
}

void state_note_program(struct state *state, int64_t tid, uint64_t exec_id,
			const struct state_program *program)
{
	const struct state_note note = {
		.tid = tid, .exec_id = exec_id, .until_ns = state_now_ns(state)};

	if (*program->exepath)
		state_notes_put(&state->notes, &state->pool, &note, program, state->now_ns);
}

/*
 * A clone event has what the kernel knows of the new process but for its executable, which it has
 * of its creator. If that one began unseen, the kernel's list of threads may have it.
 */
void state_complete_program(struct state *state, struct state_thread *thread)
{
	struct state_program *noted;

	state_notes_expire(&state->notes, &state->pool, state->now_ns);
	if (*thread->program->exepath || !state->proc)
		return;
	state->stats.programs_missed++;
	noted = state_notes_take(&state->notes, thread->tid, thread->exec_id);
	if (noted)
		state_learn_executable(state, thread, noted);
	state->missed |= !noted;
	state_program_unref(&state->pool, noted);
}

/*
 * What is left of a budget: events must not pile up while /proc is read, whatever processes do. A
 * rejected lookup is not remembered, so the next event may try again.
 */
static uint32_t budget_left(const struct state *state, struct state_budget *budget, uint32_t max)
{
	if (state->now_ns - budget->since_ns >= LOOKUPS_SPAN_NS)
		*budget = (struct state_budget){.since_ns = state->now_ns};
	if (state->is_late)
		max /= LATE_PART;
	return budget->spent < max ? max - budget->spent : 0;
}

void state_check_lateness(struct state *state, bool has_more)
{
	state->is_late = has_more && state_now_ns(state) > state->now_ns + LATE_NS;
}

static bool may_ask_for_thread(struct state *state)
{
	if (budget_left(state, &state->thread_budget, THREAD_LOOKUPS_MAX))
		return true;
	state->stats.thread_lookups_rejected++;
	return false;
}

static int load_ask_proc(struct state *state, int64_t tid, struct scap_thread *found)
{
	int r = scap_proc_thread(state->proc, tid, found);

	state->thread_budget.spent += r == 0 ? THREAD_FOUND : 1;
	return r;
}

/* The first descriptors; others are looked up when they are used. */
static void load_some_fds(struct state *state, struct state_thread *thread)
{
	uint32_t max = budget_left(state, &state->fd_budget, FD_LOOKUPS_MAX);

	if (max > FDS_LOADED_MAX)
		max = FDS_LOADED_MAX;
	state->fd_budget.spent += state_load_fds(state, thread, max);
}

/* Adds an unknown thread from /proc, and first the main one of its process. */
static struct state_thread *ask_for_thread(struct state *state, int64_t tid)
{
	struct scap_thread found;
	struct state_thread *thread;
	int r;

	if (!may_ask_for_thread(state))
		return NULL;
	state->stats.thread_lookups++;
	r = load_ask_proc(state, tid, &found);
	if (r == 0 && found.pid != tid && !state_threads_find(&state->threads, found.pid)) {
		state_look_up_thread(state, found.pid);
		/* That call reused the memory of `found`. */
		r = load_ask_proc(state, tid, &found);
	}
	if (r < 0) {
		state->stats.thread_lookups_failed++;
		note_unknown(state, tid);
		return NULL;
	}
	thread = state_load_thread(state, &found);
	if (thread && state_thread_is_main(thread) && !(state->lacks & STATE_DESCRIPTORS))
		load_some_fds(state, thread);
	return thread;
}

struct state_thread *state_look_up_thread(struct state *state, int64_t tid)
{
	struct state_thread_entry *entry = state_threads_find(&state->threads, tid);

	if (entry)
		return entry->unknown ? NULL : &entry->thread;
	return state->proc && tid > 0 ? ask_for_thread(state, tid) : NULL;
}

static bool may_ask_for_fd(struct state *state)
{
	if (budget_left(state, &state->fd_budget, FD_LOOKUPS_MAX)) {
		state->fd_budget.spent++;
		return true;
	}
	state->stats.fd_lookups_rejected++;
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
static struct state_fd *open_unsure(struct state *state, struct state_thread *thread, int64_t num)
{
	state->stats.names_unsure++;
	return state_fds_open(thread->fds, num, "", 0);
}

/* file: which one it is by the kernel; NULL: not known. */
static struct state_fd *ask_for_fd(struct state *state, struct state_thread *thread, int64_t num,
				   const struct frame_file *file)
{
	struct scap_fd found;

	/* Nobody needs what is missing of a process as long as it goes on. */
	if (!state->proc || num < 0 || is_slot_fd(num) || state_fds_asked(thread->fds, num) ||
	    state_fds_gap_is_open(thread->fds) || !may_ask_for_fd(state))
		return NULL;
	state_fds_note_asked(thread->fds, num);
	state->stats.fd_lookups++;
	if (scap_proc_fd(state->proc, thread->tid, num, &found) < 0) {
		state->stats.fd_lookups_failed++;
		return NULL;
	}
	return is_found(&found, file) ? state_load_fd(state, thread->fds, &found)
				      : open_unsure(state, thread, num);
}

struct state_fd *state_look_up_fd(struct state *state, struct state_thread *thread, int64_t num)
{
	struct state_fd *fd = state_fds_find(thread->fds, num);

	/* Nothing asks for a descriptor that is not kept. */
	return fd || (state->lacks & STATE_DESCRIPTORS) ? fd : ask_for_fd(state, thread, num, NULL);
}

struct state_fd *state_replace_fd(struct state *state, struct apply_event *event, int64_t num)
{
	struct state_fds *fds = state_fds_of(event, num);

	if (fds)
		state_fds_close(fds, num);
	return ask_for_fd(state, event->thread, num, NULL);
}

/* Whether an entry is of another file. Of many kinds the inode or the device is not known. */
static bool is_another(const struct state_fd *fd, const struct frame_file *file)
{
	uint64_t ino = state_fd_ino(fd);

	return (ino && ino != file->ino) || (fd->dev && fd->dev != file->dev);
}

/* Whether an entry was read after the event, which may be about one before it. */
static bool is_newer(const struct state *state, const struct state_fds *fds,
		     const struct state_fd *fd)
{
	return fd->was_read && state_fds_is_ahead(fds, state->now_ns);
}

struct state_fd *state_fd_of_file(struct state *state, struct state_thread *thread, int64_t num,
				  const struct frame_file *file)
{
	struct state_fd *fd = state_fds_find(thread->fds, num);

	if ((state->lacks & STATE_DESCRIPTORS) || !file->ino)
		return fd ? fd : state_look_up_fd(state, thread, num);
	if (fd && is_another(fd, file)) {
		if (is_newer(state, thread->fds, fd)) {
			state->stats.names_unsure++;
			return NULL;
		}
		state_fds_close(thread->fds, num);
		fd = NULL;
	}
	if (!fd)
		fd = ask_for_fd(state, thread, num, file);
	if (fd)
		state_note_file(fd, file);
	return fd;
}

/* Of more descriptors a process has to look for a registered file itself. */
enum { DESCRIPTORS_COMPARED_MAX = 1024 };

/* Whether an entry is that file, and no other one can be: many objects have the same inode. */
static bool load_is_file(const struct state_fd *fd, const struct frame_file *file)
{
	return state_fd_ino(fd) == file->ino && fd->name_len &&
	       (fd->dev ? fd->dev == file->dev : state_fd_is_socket(fd));
}

/* A descriptor that is the file; NULL: none of the first ones, or their names differ. */
static struct state_fd *find_same(const struct state_fds *fds, const struct frame_file *file)
{
	struct state_fd *found = NULL, *fd;
	int compared = 0;

	for (int64_t num = 0; (fd = state_fds_next(fds, &num)); num++) {
		if (++compared > DESCRIPTORS_COMPARED_MAX)
			return NULL;
		if (!load_is_file(fd, file))
			continue;
		if (found && strcmp(found->name, fd->name) != 0)
			return NULL;
		found = fd;
	}
	return found;
}

/* What the slot had before it was in doubt, if it is that file: the change has failed. */
static struct state_fd *find_before(struct state *state, const struct apply_event *event,
				    const struct frame_file *file)
{
	struct state_fd *before =
		state_rings_before(&state->rings, event->ev->uring.ring, event->fd_num);

	return before && state_fd_ino(before) && !is_another(before, file) ? before : NULL;
}

struct state_fd *state_slot_of_file(struct state *state, const struct apply_event *event,
				    const struct frame_file *file)
{
	struct state_fd *fd = state_fds_find(event->fds, event->fd_num), *same = NULL;

	if (!file->ino || (fd && !fd->is_unsure && !is_another(fd, file)))
		return fd;
	if (!fd || fd->is_unsure)
		same = find_before(state, event, file);
	if (same)
		return state_fds_share(event->fds, event->fd_num, same);
	if (fd && !is_another(fd, file)) {
		state_note_file(fd, file);
		return fd;
	}
	if (!(state->lacks & STATE_DESCRIPTORS) && may_ask_for_fd(state))
		same = find_same(event->thread->fds, file);
	state->stats.slots_unsure += !same;
	fd = same ? state_fds_share(event->fds, event->fd_num, same)
		  : state_fds_open(event->fds, event->fd_num, "", 0);
	if (fd)
		state_note_file(fd, file);
	return fd;
}

struct state_fd *state_fd_closed(const struct state_fds *fds, int64_t num,
				 const struct frame_file *file)
{
	struct state_fd *fd = state_fds_find(fds, num);

	return fd && file->ino && !is_another(fd, file) ? NULL : fd;
}

void state_note_file(struct state_fd *fd, const struct frame_file *file)
{
	state_fd_set_ino(fd, file->ino);
	/* Others are on devices that nobody has heard of. */
	if (fd->type == SCAP_FD_UNKNOWN || fd->type == SCAP_FD_FILE ||
	    fd->type == SCAP_FD_DIRECTORY)
		fd->dev = file->dev;
}

static bool may_ask_for_directory(struct state *state)
{
	if (budget_left(state, &state->directory_budget, DIRECTORY_LOOKUPS_MAX)) {
		state->directory_budget.spent++;
		return true;
	}
	state->stats.directory_lookups_rejected++;
	return false;
}

int state_real_directory(struct state *state, const struct state_thread *thread, const char *path,
			 const char **real)
{
	if (!state->proc)
		return -ENOENT;
	return may_ask_for_directory(state)
		       ? scap_proc_real_directory(state->proc, thread->tid, path, real)
		       : -EBUSY;
}

bool state_look_up_cwd(struct state *state, struct state_thread *thread)
{
	const char *cwd = "";

	if (!state->proc ||
	    (may_ask_for_directory(state) && scap_proc_cwd(state->proc, thread->tid, &cwd) < 0))
		return false;
	state_fs_set(&state->pool, thread->fs, cwd, strlen(cwd));
	return true;
}

void state_look_up_base(struct state *state, struct apply_event *event, int64_t dirfd)
{
	struct state_thread *thread = event->thread;

	if (dirfd != AT_FDCWD_STORED) {
		if (state->lacks & STATE_DESCRIPTORS)
			state_replace_fd(state, event, dirfd);
	} else if (!state_look_up_cwd(state, thread)) {
		state_fs_set(&state->pool, thread->fs, "", 0);
	}
}

/* Loads threads and descriptors from /proc or a capture into the tables. */

static void load_values(struct state_thread *thread, const struct scap_thread *from)
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

void state_learn_executable(struct state *state, struct state_thread *thread,
			    const struct state_program *from)
{
	/* Others share that because nothing is known of them. */
	if (thread->program == state->no_program)
		state_set_program(state, thread, thread->program);
	if (thread->program != state->no_program &&
	    state_program_learn(&state->pool, thread->program, from))
		state->stats.programs_learnt++;
}

void state_read_arguments(struct state *state, struct state_thread *thread)
{
	struct state_program read = *thread->program;
	struct scap_thread found;

	if (!may_ask_for_thread(state) || load_ask_proc(state, thread->tid, &found) < 0 ||
	    !*found.exe || strcmp(found.exepath, read.exepath) != 0)
		return;
	read.exe = found.exe;
	read.args = found.args;
	read.args_len = found.args_len;
	read.env = found.env;
	read.env_len = found.env_len;
	state_set_program(state, thread, &read);
}

static void load_program(struct state *state, struct state_thread *thread,
			 const struct scap_thread *from)
{
	const struct state_program found = {
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

	state_set_program(state, thread, &found);
}

struct state_thread *state_load_thread(struct state *state, const struct scap_thread *from)
{
	const struct state_thread *before = state_thread_get(state, from->tid); /* it is reloaded */
	bool followed = before && before->followed;
	uint32_t nthreads = before && state_thread_is_main(before) ? before->nthreads : 0;
	struct state_thread *thread = state_thread_add(state, from->tid, from->pid), *main;

	if (!thread)
		return NULL;
	/* Loaded data of a capture is older than its events. */
	state_thread_entry(thread)->since_ns = state->proc ? state_now_ns(state) : 0;
	load_values(thread, from);
	if (nthreads > thread->nthreads && state_thread_is_main(thread))
		thread->nthreads = nthreads; /* the others stayed */
	state_threads_set_parent(&state->threads, thread, from->ptid);
	state_thread_set_cgroups(&state->containers, thread, from->cgroups, from->cgroups_len);
	main = state_thread_is_main(thread) ? NULL : state_thread_get(state, from->pid);
	if (main) {
		/* Nearly all threads share these with their process. */
		state_share(state, thread, main, clone_flags__CLONE_FILES | clone_flags__CLONE_FS);
	} else {
		load_program(state, thread, from);
		state_fs_set(&state->pool, thread->fs, from->cwd, strlen(from->cwd));
		state_fs_set_root(&state->pool, thread->fs, from->root);
	}
	state_follow_loaded(state, thread, followed);
	state_learn_users(state, thread);
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
static void load_guess_role(struct state *state, struct state_fd *fd)
{
	union state_ends *ends;

	fd->role = STATE_ROLE_CLIENT;
	if (!load_has_bit(state->listening, state_fd_ends(fd)->source.port))
		return;
	ends = state_fd_make_ends(&state->fd_store, fd);
	if (!ends)
		return;
	fd->role = STATE_ROLE_SERVER;
	state_socket_swap(ends);
}

static void load_name_socket(struct state *state, struct state_fd *fd)
{
	static const char unknown[] = "<unknown>";
	char name[SOCKET_NAME_MAX];
	size_t len = state_socket_name(fd, name);

	if (fd->l4 == SCAP_L4_UNKNOWN)
		state_fd_rename(&state->fd_store, fd, unknown, sizeof(unknown) - 1);
	else
		state_fd_rename(&state->fd_store, fd, name, len);
}

static bool is_nowhere(const struct scap_endpoint *end)
{
	static const struct scap_endpoint nowhere;

	return end->port == 0 &&
	       memcmp(end->address, nowhere.address, sizeof(nowhere.address)) == 0;
}

static void load_socket(struct state *state, struct state_fd *fd, const struct scap_fd *from)
{
	union state_ends *ends;

	fd->l4 = from->l4;
	if (is_nowhere(&from->local) && is_nowhere(&from->remote))
		return;
	ends = state_fd_make_ends(&state->fd_store, fd);
	if (!ends)
		return;
	fd->listening = is_nowhere(&from->remote);
	if (fd->listening) {
		ends->dest = from->local;
		if (from->local.port)
			set_bit(state->listening, from->local.port);
	} else {
		ends->source = from->local;
		ends->dest = from->remote;
		fd->connected = true;
		load_guess_role(state, fd);
	}
	state_socket_unmap(fd, ends);
	load_name_socket(state, fd);
}

static void load_unix_socket(struct state *state, struct state_fd *fd, const struct scap_fd *from)
{
	fd->role = fd->name_len ? STATE_ROLE_SERVER : STATE_ROLE_CLIENT;
	state_set_unix_ends(state, fd, from->unix_socket, from->unix_peer);
}

struct state_fd *state_load_fd(struct state *state, struct state_fds *fds,
			       const struct scap_fd *from)
{
	struct state_fd *fd = state_fds_open(fds, from->num, from->name, strlen(from->name));

	if (!fd)
		return NULL;
	fd->type = from->type;
	fd->flags = from->flags;
	fd->dev = from->dev;
	fd->was_read = true;
	state_fd_set_ino(fd, from->ino);
	state_fds_set_cloexec(fds, from->num, from->flags & file_flags__O_CLOEXEC);
	if (state_socket_is_ip(fd))
		load_socket(state, fd, from);
	else if (fd->type == SCAP_FD_UNIX)
		load_unix_socket(state, fd, from);
	state_fds_recharge(fds, from->num);
	return fd;
}

unsigned int state_load_fds(struct state *state, struct state_thread *thread, unsigned int max)
{
	unsigned int count = 0;
	struct scap_fd found;

	if (scap_proc_fds(state->proc, thread->tid) < 0)
		return 0;
	for (; count < max && scap_proc_next_fd(state->proc, &found) == 1; count++) {
		state_load_fd(state, thread->fds, &found);
		/* Others' descriptors may be those of the event that goes on. */
		if (state_is_crowded(state))
			state_fds_evict_from(thread->fds);
	}
	state_fds_set_read(thread->fds, state_now_ns(state));
	return count;
}

static void correct_roles_of(struct state_thread_entry *entry, void *context)
{
	struct state *state = context;
	struct state_fd *fd;

	if (!state_thread_is_main(&entry->thread))
		return;
	for (int64_t num = 0; (fd = state_fds_next(entry->thread.fds, &num)); num++) {
		if (!state_socket_is_ip(fd) || fd->role != STATE_ROLE_CLIENT)
			continue;
		load_guess_role(state, fd);
		if (fd->role == STATE_ROLE_SERVER)
			load_name_socket(state, fd);
	}
}

void state_correct_roles(struct state *state)
{
	state_threads_each(&state->threads, correct_roles_of, state);
}

void state_load_container(struct state *state, const char *json, size_t len)
{
	struct state_container_json read;
	struct state_description description;

	if (state_container_json_read(json, len, state->with_env, &read)) {
		state->stats.descriptions_corrupt++;
		return;
	}
	state->stats.descriptions_ignored += read.ignored;
	description = (struct state_description){
		.id = read.id, .state = read.state, .info = read.info, .bytes = len};
	if (state_containers_describe(&state->containers, &description))
		state->stats.descriptions_corrupt++;
}
