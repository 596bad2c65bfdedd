/* SPDX-License-Identifier: MIT */
/*
 * Files and descriptors: opening, closing, copying and controlling them; kernel objects; mounts
 * that move.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sinsp/state/apply.h"
#include "sinsp/state/container_state.h"
#include "sinsp/state/core.h"
#include "sinsp/state/load.h"
#include "sinsp/state/path.h"
#include "sinsp/state/program.h"

/* Files: opening them, and the current directory. */

/*
 * Current directories that are not kept are looked up for a relative name. The kernel reports the
 * path of nearly all files that are opened, so that few events need it.
 */
static void find_base(struct state *state, struct apply_event *event, unsigned int name)
{
	int64_t dirfd;

	if ((state->lacks & STATE_DIRECTORIES) && state_path_is_relative(event->ev, name, &dirfd))
		state_look_up_base(state, event, dirfd);
}

/* The name that was passed to a call that opened a file. */
struct given {
	size_t len; /* 0: the path itself */
	char name[STATE_PATH_MAX];
};

static void take_given(const struct event *ev, unsigned int param, const char *path,
		       struct given *given)
{
	const char *name = event_param_string(ev, param);

	given->len = 0;
	/* Most names are equal to the path; those are not stored. */
	if (!name || strcmp(name, path) == 0)
		return;
	given->len = state_path_collapse(name, given->name);
	if (strcmp(given->name, path) == 0)
		given->len = 0;
}

/* The flags that a file was opened with. */
static uint32_t flags_of(const struct event *ev, const struct event_opens *opens)
{
	if (opens->flags)
		return (uint32_t)event_param_u64(ev, opens->flags - 1u);
	return event_param_present(ev, creat__flags)
		       ? (uint32_t)event_param_u64(ev, creat__flags)
		       : file_flags__O_WRONLY | file_flags__O_CREAT | file_flags__O_TRUNC;
}

/*
 * When files were made, for calls that remove them. What is not fact, as others could change a name
 * or answer for the kernel, removes nothing.
 */

static struct created_scope scope_of(const struct state_thread *thread)
{
	const struct state_container *container = thread->cgroups->container;
	struct created_scope scope = {.root = thread->fs->root, .uid = thread->uid};

	if (container) {
		scope.container = container->id;
		scope.container_len = container->id_len;
	}
	scope.group = state_cgroups_text(thread->cgroups, &scope.group_len);
	return scope;
}

/* The event carries a name as a parameter; `text` has room for STATE_PATH_MAX. */
static struct created_name name_carried(const struct apply_event *event, unsigned int param,
					char *text)
{
	struct created_name name = {.text = text};

	if (event->ev->marks.contested & (UINT64_C(1) << param))
		return name;
	name.len = apply_event_path(event->ev, event->thread, param, text, STATE_PATH_MAX);
	if (*text != '/')
		name.len = 0; /* the directory is not known */
	return name;
}

/* What a file was opened by may be another name than the path, which links lead to. */
static struct created_name given_name(const struct event *ev, unsigned int param, char *text)
{
	const char *given = event_param_string(ev, param);
	struct created_name name = {.text = text};

	if (given && *given == '/')
		name.len = state_path_join("", 0, given, strlen(given), text);
	return name;
}

static void note_created(struct state *state, const struct apply_event *event, uint32_t flags)
{
	const unsigned int param = event->ev->desc->opens.name - 1u;
	char path[STATE_PATH_MAX], given[STATE_PATH_MAX];
	struct created_name names[CREATED_NAMES];
	struct created_scope scope;

	if (!(flags & file_flags__O_F_CREATED) || state->lacks & STATE_CREATED || !event->thread ||
	    state_is_doubtful(event))
		return;
	names[0] = name_carried(event, param, path);
	names[1] = given_name(event->ev, param, given);
	scope = scope_of(event->thread);
	if (names[0].len)
		created_put(&state->created, &scope, names, event->ev->ts_ns);
}

/* Whether a call on names surely succeeded. */
static bool is_done(const struct state *state, const struct apply_event *event)
{
	return event->thread && !(state->lacks & STATE_CREATED) &&
	       event_param_present(event->ev, 0) && event_param_i64(event->ev, 0) == 0 &&
	       !state_is_doubtful(event);
}

/* No opening made that. */
static bool removes_directory(const struct event *ev)
{
	return ev->desc->id == EVENT_unlinkat &&
	       event_param_u64(ev, unlinkat__flags) & unlinkat_flags__AT_REMOVEDIR;
}

void apply_unlink(struct state *state, struct apply_event *event)
{
	const uint8_t param = event->ev->desc->paths.name;
	char path[STATE_PATH_MAX];
	struct created_scope scope;
	struct created_name name;
	uint64_t ns;

	if (!is_done(state, event) || !param || removes_directory(event->ev))
		return;
	name = name_carried(event, param - 1u, path);
	scope = scope_of(event->thread);
	ns = created_take(&state->created, &scope, &name);
	if (ns && event->ev->ts_ns > ns)
		state->file_age_ns = event->ev->ts_ns - ns;
}

void apply_rename(struct state *state, struct apply_event *event)
{
	const struct event_paths *paths = &event->ev->desc->paths;
	char from_path[STATE_PATH_MAX], to_path[STATE_PATH_MAX];
	struct created_name from, to;
	struct created_scope scope;
	bool exchanged =
		event->ev->desc->id == EVENT_renameat2 &&
		event_param_u64(event->ev, renameat2__flags) & renameat2_flags__RENAME_EXCHANGE;

	if (!is_done(state, event) || !paths->source || !paths->target)
		return;
	from = name_carried(event, paths->source - 1u, from_path);
	to = name_carried(event, paths->target - 1u, to_path);
	scope = scope_of(event->thread);
	created_move(&state->created, &scope, &from, &to, exchanged);
}

void apply_open(struct state *state, struct apply_event *event)
{
	const struct event_opens *opens = &event->ev->desc->opens;
	const unsigned int name = opens->name - 1u;
	const uint32_t flags = flags_of(event->ev, opens);
	char path[STATE_PATH_MAX];
	struct given given;
	size_t len;
	struct state_fds *fds;

	fds = event->fds;
	if (!fds || event->fd_num < 0)
		return;
	find_base(state, event, name);
	note_created(state, event, flags);
	len = apply_event_path(event->ev, event->thread, name, path, sizeof(path));
	if (len == 0) {
		/* The name could not be read in the kernel: /proc has it. */
		event->fd = state_replace_fd(state, event, event->fd_num);
		/* No such call makes a socket: the number is another descriptor's by now. */
		if (event->fd && state_fd_is_socket(event->fd))
			event->fd = NULL;
		event->fd_named = event->fd;
		return;
	}
	take_given(event->ev, name, path, &given);
	event->fd = state_fds_open_given(fds, event->fd_num, path, len, given.name, given.len);
	if (!event->fd)
		return;
	event->fd->type = flags & file_flags__O_DIRECTORY ? SCAP_FD_DIRECTORY : SCAP_FD_FILE;
	event->fd->flags = flags;
	event->fd->dev = (uint32_t)event_param_u64(event->ev, opens->dev - 1u);
	state_fd_set_ino(event->fd, event_param_u64(event->ev, opens->ino - 1u));
	state_fds_set_cloexec(fds, event->fd_num, flags & file_flags__O_CLOEXEC);
	event->fd_named = true;
}

/* Changes the thread's directory to a path that may contain links. */
static void change_directory(struct state *state, struct state_thread *thread, const char *path,
			     size_t len)
{
	const char *real = "";
	int r = -ENOENT;

	if (path[0] != '/')
		len = 0; /* relative to an unknown directory */
	/*
	 * The thread's directory in /proc may be newer than this event, so the path is resolved
	 * instead; unless there is no path, or a link cannot be followed now.
	 */
	if (len)
		r = state_real_directory(state, thread, path, &real);
	if ((!len || r == -ELOOP) && state_look_up_cwd(state, thread))
		return;
	/* Where the path leads is unknown if /proc may not be asked. */
	if (r == 0 || r == -EBUSY)
		state_fs_set(&state->pool, thread->fs, real, strlen(real));
	else if (len)
		state_fs_set(&state->pool, thread->fs, path, len);
}

/* Takes the directory that the event reports. Returns false if it has none. */
static bool follow_kernel(struct state *state, struct apply_event *event, unsigned int cwd)
{
	const char *path = event_param_string(event->ev, cwd);

	if (!path)
		return false;
	state_fs_set(&state->pool, event->thread->fs, path, strlen(path));
	return true;
}

void apply_chdir(struct state *state, struct apply_event *event)
{
	char path[STATE_PATH_MAX] = "";
	size_t len;

	if (!event->thread || event_param_i64(event->ev, chdir__res) != 0 ||
	    follow_kernel(state, event, chdir__cwd))
		return;
	len = apply_event_path(event->ev, event->thread, chdir__path, path, sizeof(path));
	change_directory(state, event->thread, path, len);
}

void apply_fchdir(struct state *state, struct apply_event *event)
{
	const struct state_fd *fd = event->fd;

	if (!event->thread || event_param_i64(event->ev, fchdir__res) != 0 ||
	    follow_kernel(state, event, fchdir__cwd))
		return;
	if (fd && fd->name_len)
		change_directory(state, event->thread, fd->name, fd->name_len);
}

/* Descriptors: closing, copying and controlling them, and pipes. */

void apply_close(struct state *state, struct apply_event *event)
{
	/* Whatever other error close reports, the descriptor is closed; even an unknown one. */
	if (!event->thread || event_param_i64(event->ev, close__res) == -EBADF)
		return;
	if (state_is_doubtful(event) || (event->ev->file.ino && !event->fd))
		return; /* the number is already the next file's */
	if (event->fds)
		state_close_after(state, event->fds, event->fd_num);
}

void apply_close_range(struct state *state, struct apply_event *event)
{
	const struct event *ev = event->ev;
	uint32_t first = (uint32_t)event_param_u64(ev, close_range__first);
	uint32_t last = (uint32_t)event_param_u64(ev, close_range__last);
	uint64_t flags = event_param_u64(ev, close_range__flags);

	if (!event->thread || event_param_i64(ev, close_range__res) != 0)
		return;
	if (flags & close_range_flags__CLOSE_RANGE_UNSHARE)
		state_unshare_fds(event->thread);
	if (flags & close_range_flags__CLOSE_RANGE_CLOEXEC) {
		state_fds_cloexec_range(event->thread->fds, first, last);
		return;
	}
	state_note_gone(state, event->thread->fds,
			&(struct state_fds_going){.first = first, .last = last});
	state_fds_close_range(event->thread->fds, first, last);
}

static bool was_read(const struct state_fds *fds, int64_t num)
{
	const struct state_fd *fd = state_fds_find(fds, num);

	return fd && fd->was_read;
}

/*
 * Makes `to` a copy of the event's descriptor. Returns its entry. If the table was read later than
 * that, the number may be another file by now; the copy is as it was read then.
 */
static struct state_fd *copy_fd(struct apply_event *event, int64_t to, bool cloexec)
{
	struct state_fds *fds = event->thread->fds;
	bool is_other = state_fds_is_ahead(fds, event->ev->ts_ns) && was_read(fds, event->fd_num);
	struct state_fd *fd = NULL;

	if (is_other && was_read(fds, to))
		return state_fds_find(fds, to);
	if (!is_other && !state_is_doubtful(event))
		fd = state_fds_dup(fds, event->fd_num, to);
	if (fd)
		state_fds_set_cloexec(fds, to, cloexec);
	else
		state_fds_close(fds, to); /* it may refer to another, unknown file now */
	return fd;
}

/* Makes a copy, which becomes the event's descriptor. */
static void duplicate(struct apply_event *event, int64_t to, bool cloexec)
{
	if (!event->thread || to < 0)
		return;
	/* dup2 to itself changes nothing. */
	if (to != event->fd_num)
		state_set_fd(event, to, copy_fd(event, to, cloexec));
}

void apply_dup(struct state *state, struct apply_event *event)
{
	duplicate(event, event_param_i64(event->ev, dup__res), false);
}

void apply_dup2(struct state *state, struct apply_event *event)
{
	duplicate(event, event_param_i64(event->ev, dup2__res), false);
}

void apply_dup3(struct state *state, struct apply_event *event)
{
	duplicate(event, event_param_i64(event->ev, dup3__res),
		  event_param_u64(event->ev, dup3__flags) & file_flags__O_CLOEXEC);
}

void apply_fcntl(struct state *state, struct apply_event *event)
{
	const struct event *ev = event->ev;
	int64_t result = event_param_i64(ev, fcntl__res);
	uint64_t command = event_param_u64(ev, fcntl__cmd);

	if (!event->thread || result < 0)
		return;
	if (command == fcntl_commands__F_SETFD)
		state_fds_set_cloexec(event->thread->fds, event->fd_num,
				      event_param_u64(ev, fcntl__arg) & 1);
	else if (command == fcntl_commands__F_DUPFD || command == fcntl_commands__F_DUPFD_CLOEXEC)
		duplicate(event, result, command == fcntl_commands__F_DUPFD_CLOEXEC);
}

static struct state_fd *open_end(struct apply_event *event, int64_t num, uint64_t ino,
				 uint32_t flags)
{
	struct state_fd *fd =
		state_open_fd(event, num, SCAP_FD_PIPE, flags & file_flags__O_CLOEXEC);

	if (!fd)
		return NULL;
	state_fd_set_ino(fd, ino);
	fd->flags = flags;
	return fd;
}

/* The parameters of pipe have the same indexes in pipe2. */
static void open_pipe(struct apply_event *event, uint32_t flags)
{
	const struct event *ev = event->ev;
	uint64_t ino = event_param_u64(ev, pipe__ino);
	int64_t second = event_param_i64(ev, pipe__fd2);

	if (event_param_i64(ev, pipe__res) != 0 || event->fd_num < 0 || state_is_untold(event))
		return;
	if (event->thread)
		open_end(event, event->fd_num, ino, flags);
	/* In the .scap world the second end is the event's descriptor. */
	state_set_fd(event, second, event->thread ? open_end(event, second, ino, flags) : NULL);
}

_Static_assert((int)pipe__res == (int)pipe2__res && (int)pipe__fd2 == (int)pipe2__fd2 &&
		       (int)pipe__ino == (int)pipe2__ino,
	       "open_pipe reads both events");

void apply_pipe(struct state *state, struct apply_event *event)
{
	open_pipe(event, 0);
}

void apply_pipe2(struct state *state, struct apply_event *event)
{
	open_pipe(event, (uint32_t)event_param_u64(event->ev, pipe2__flags));
}

/* Kernel objects that are used through descriptors: counters, timers, processes, rings. */

enum { TOKEN_CREATE = 36 }; /* a bpf command without a name in events */

static const char proc_prefix[] = "/proc/";

void apply_make_object(struct state *state, struct apply_event *event)
{
	const struct event *ev = event->ev;
	const struct state_object *object = &state->plans[ev->desc->id].object;
	const char *name = object->name ? event_param_string(ev, object->name - 1u) : NULL;
	bool cloexec = object->flags ? event_param_u64(ev, object->flags - 1u) & object->cloexec
				     : object->cloexec == CLOEXEC_ALWAYS;

	if (!event->thread || event->fd_num < 0)
		return;
	/* Of requests in flight events come after the end of the process. */
	if (object->type == SCAP_FD_IO_URING)
		state_ended_begin(state);
	event->fd = state_open_fd(event, event->fd_num, (enum scap_fd_type)object->type, cloexec);
	if (event->fd && name)
		state_fd_rename(&state->fd_store, event->fd, name, strlen(name));
	if (event->fd)
		state_fds_recharge(event->fds, event->fd_num);
}

/* For calls that create an object without a kind of its own. */
void apply_make_unknown(struct state *state, struct apply_event *event)
{
	if (event->thread && event->fd_num >= 0)
		event->fd = state_replace_fd(state, event, event->fd_num);
}

void apply_pidfd_open(struct state *state, struct apply_event *event)
{
	char name[32];
	int len = snprintf(name, sizeof(name), "%s%" PRId64, proc_prefix,
			   event_param_i64(event->ev, pidfd_open__pid));

	apply_make_object(state, event);
	if (event->fd)
		state_fd_rename(&state->fd_store, event->fd, name, (size_t)len);
}

/* The process of a pidfd of the event's thread, by the name set above, or NULL. */
static struct state_thread *process_of(struct state *state, struct apply_event *event, int64_t num)
{
	const struct state_fd *fd = state_fds_find(event->thread->fds, num);
	size_t prefix_len = sizeof(proc_prefix) - 1;

	if (!fd || fd->type != SCAP_FD_PIDFD || strncmp(fd->name, proc_prefix, prefix_len) != 0)
		return NULL;
	return state_thread_named(state, event->thread, strtoll(fd->name + prefix_len, NULL, 10));
}

void apply_pidfd_getfd(struct state *state, struct apply_event *event)
{
	const struct event *ev = event->ev;
	struct state_thread *owner;
	struct state_fd *fd = NULL;

	if (!event->thread || event->fd_num < 0)
		return;
	owner = process_of(state, event, event_param_i64(ev, pidfd_getfd__pid_fd));
	if (owner)
		fd = state_look_up_fd(state, owner, event_param_i64(ev, pidfd_getfd__target_fd));
	event->fd = fd ? state_fds_share(event->thread->fds, event->fd_num, fd)
		       : state_replace_fd(state, event, event->fd_num);
	state_fds_set_cloexec(event->thread->fds, event->fd_num, true);
}

enum {
	FIXED_FD_NO_CLOEXEC = 1, /* the flag IORING_FIXED_FD_NO_CLOEXEC */
	SLOT_SKIPPED = -2, /* in place of a descriptor: IORING_REGISTER_FILES_SKIP */
};

/* An operation that gives a registered file a descriptor, too: a number of the same open file. */
void apply_uring(struct state *state, struct apply_event *event)
{
	const struct event *ev = event->ev;
	int64_t to = event_param_i64(ev, io_uring_op__res);
	struct state_fds *slots, *fds = event->thread ? event->thread->fds : NULL;
	struct state_fd *fd = NULL;

	if (event_param_u64(ev, io_uring_op__opcode) !=
		    io_uring_opcodes__IORING_OP_FIXED_FD_INSTALL ||
	    to < 0 || !fds || state_is_untold(event))
		return;
	slots = state_rings_find(&state->rings, ev->uring.ring);
	if (slots)
		fd = state_fds_find(slots, event_param_i64(ev, io_uring_op__fd));
	if (!fd) {
		state_fds_close(fds, to); /* it is another, unknown file now */
		return;
	}
	if (state_fds_share(fds, to, fd))
		state_fds_set_cloexec(
			fds, to,
			!(event_param_u64(ev, io_uring_op__op_flags) & FIXED_FD_NO_CLOEXEC));
}

/* Commands of io_uring_register after which no slot has what it had. */
static bool replaces_files(uint64_t command)
{
	return command == io_uring_register_opcodes__IORING_REGISTER_FILES ||
	       command == io_uring_register_opcodes__IORING_REGISTER_FILES2 ||
	       command == io_uring_register_opcodes__IORING_UNREGISTER_FILES;
}

/* A slot with a descriptor that is not known is found by its file when it is used. */
static void register_file(struct state_fds *slots, int64_t slot, struct state_fds *fds, int32_t num)
{
	struct state_fd *fd = num >= 0 ? state_fds_find(fds, num) : NULL;

	if (num == SLOT_SKIPPED)
		return;
	if (fd)
		state_fds_share(slots, slot, fd);
	else
		state_fds_close(slots, slot);
}

void apply_register(struct state *state, struct apply_event *event)
{
	const struct event *ev = event->ev;
	const struct event_param *files = &ev->params[io_uring_register__files];
	uint32_t first = (uint32_t)event_param_u64(ev, io_uring_register__slot);
	uint32_t count = (uint32_t)(files->len / sizeof(int32_t));
	uint64_t ring = event_param_u64(ev, io_uring_register__ring);
	struct state_fds *slots;
	int32_t num;

	if (!event->thread || !ring || event_param_i64(ev, io_uring_register__res) < 0)
		return;
	if (replaces_files(event_param_u64(ev, io_uring_register__opcode)))
		state_rings_end(&state->rings, ring);
	if (!count)
		return;
	slots = state_rings_get(&state->rings, &state->fd_store, ring, event->thread);
	for (uint32_t i = 0; slots && i < count; i++) {
		memcpy(&num, files->data + i * sizeof(num), sizeof(num));
		register_file(slots, slot_fd_of(ring, first + i), event->thread->fds, num);
	}
}

/* The commands whose result is a descriptor. */
static const bool makes_fd[] = {
	[bpf_commands__BPF_MAP_CREATE] = true,
	[bpf_commands__BPF_PROG_LOAD] = true,
	[bpf_commands__BPF_OBJ_GET] = true,
	[bpf_commands__BPF_PROG_GET_FD_BY_ID] = true,
	[bpf_commands__BPF_MAP_GET_FD_BY_ID] = true,
	[bpf_commands__BPF_RAW_TRACEPOINT_OPEN] = true,
	[bpf_commands__BPF_BTF_LOAD] = true,
	[bpf_commands__BPF_BTF_GET_FD_BY_ID] = true,
	[bpf_commands__BPF_LINK_CREATE] = true,
	[bpf_commands__BPF_LINK_GET_FD_BY_ID] = true,
	[bpf_commands__BPF_ENABLE_STATS] = true,
	[bpf_commands__BPF_ITER_CREATE] = true,
	[TOKEN_CREATE] = true,
};

void apply_bpf(struct state *state, struct apply_event *event)
{
	uint64_t command = event_param_u64(event->ev, bpf__cmd);

	if (command < sizeof(makes_fd) && makes_fd[command])
		apply_make_object(state, event);
	else
		event->has_fd = false;
}

/* Mounts that move: paths below them change from the next event on. */

/*
 * Notes a move from the path of one parameter to that of another. Ignored if a path is not
 * absolute, or for a move from "/": that is the path of mounts not yet attached.
 */
static struct state_move *note_move(struct state *state, const struct apply_event *event,
				    unsigned int from, unsigned int to)
{
	struct state_move *move = &state->move;

	if (!event->thread || event_param_i64(event->ev, 0) != 0)
		return NULL;
	if (apply_event_path(event->ev, event->thread, from, move->from, STATE_PATH_MAX) < 2 ||
	    apply_event_path(event->ev, event->thread, to, move->to, STATE_PATH_MAX) == 0 ||
	    *move->from != '/' || *move->to != '/')
		return NULL;
	*move->old_root = '\0';
	move->tid = event->thread->tid;
	state->after.moved = true;
	state->after.pending = true;
	return move;
}

void apply_mount(struct state *state, struct apply_event *event)
{
	if (event_param_u64(event->ev, mount__flags) & mount_flags__MOVE)
		note_move(state, event, mount__dev, mount__dir);
}

void apply_move_mount(struct state *state, struct apply_event *event)
{
	note_move(state, event, move_mount__from_path, move_mount__to_path);
}

/* The new root becomes "/", and the old one moves to the second path, as seen from there. */
void apply_pivot_root(struct state *state, struct apply_event *event)
{
	struct state_move *move =
		note_move(state, event, pivot_root__new_root, pivot_root__put_old);
	const char *below = "/";
	size_t len;

	_Static_assert(sizeof(move->old_root) >= sizeof(move->to), "a part of one fits the other");
	if (!move)
		return;
	len = strlen(move->from);
	if (strncmp(move->to, move->from, len) == 0 && move->to[len])
		below = move->to + len;
	memcpy(move->old_root, below, strlen(below) + 1);
	memcpy(move->to, "/", sizeof("/"));
}
