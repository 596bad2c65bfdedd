/* SPDX-License-Identifier: MIT */
/*
 * Threads of the tables: found, added, followed, evicted; paths below mounts that have moved; the
 * end of an event.
 */
#include "sinsp/state/core.h"

#include <string.h>

#include "sinsp/state/program.h"

/* Threads of the tables: found and added. */

struct state_thread *state_thread_get(const struct state *state, int64_t tid)
{
	struct state_thread_entry *entry = state_threads_find(&state->threads, tid);

	return entry && !entry->unknown ? &entry->thread : NULL;
}

struct state_thread *state_thread_named(const struct state *state, struct state_thread *caller,
					int64_t pid)
{
	if (pid == 0 || pid == caller->vpid)
		return caller;
	return state_is_outside(caller) ? state_thread_get(state, pid) : NULL;
}

bool state_thread_begin(struct state *state, struct state_thread *thread)
{
	thread->program = state_program_ref(state->no_program);
	thread->fs = state_fs_create(&state->pool, "", 0);
	thread->fds = state_fds_create(&state->fd_store);
	state_thread_set_cgroups(&state->containers, thread, "", 0);
	return thread->fs && thread->fds && thread->cgroups;
}

void state_thread_share(const struct state_thread *thread, struct state_thread *copy)
{
	*copy = *thread;
	copy->program = state_program_ref(thread->program);
	copy->fs = state_fs_ref(thread->fs);
	copy->cgroups = state_cgroups_ref(thread->cgroups);
	copy->fds = NULL;
}

struct state_thread *state_thread_add(struct state *state, int64_t tid, int64_t pid)
{
	struct state_thread_entry *entry = state_threads_add(&state->threads, tid, pid);

	if (!entry)
		return NULL;
	entry->since_ns = state->now_ns;
	if (state_thread_begin(state, &entry->thread))
		return &entry->thread;
	state_threads_remove(&state->threads, entry);
	return NULL;
}

void state_forget_forks(struct state *state, bool all)
{
	while (state->oldest_fork != state->next_fork && (all || state_has_old_forks(state))) {
		struct state_fork *fork = &state->forks[state->oldest_fork++ % FORKS_COUNT];

		state_fds_unref(fork->fds);
		fork->fds = NULL;
	}
}

/*
 * A process is named by its id. On a live machine that is the process with the id at the start:
 * another one may get the id later. In a capture it is every process with the id, at any time.
 */

static void core_follow(struct state *state, struct state_thread *thread)
{
	state->threads.followed += !thread->followed;
	thread->followed = true;
}

static bool is_live(const struct state *state)
{
	return state->proc;
}

static bool core_is_named(const struct state *state, int64_t pid)
{
	for (size_t i = 0; i < state->follow.count; i++)
		if (state->follow.pids[i] == pid)
			return true;
	return false;
}

/* Threads follow their process; children follow if requested. */
static bool goes_with(const struct state *state, const struct state_thread *thread,
		      const struct state_thread *creator)
{
	return creator && creator->followed &&
	       (state->follow.children || creator->pid == thread->pid);
}

static bool came_later(const struct state *state, const struct state_thread *thread)
{
	return thread->clone_ts_ns > state->follow_since_ns;
}

/* All threads loaded while the tables are filled existed at the start. */
static bool was_named(const struct state *state, const struct state_thread *thread)
{
	bool seeding = state->stats.events == 0;

	return !state->follow.from_exec && core_is_named(state, thread->pid) &&
	       (!is_live(state) || seeding || !came_later(state, thread));
}

void state_follow_loaded(struct state *state, struct state_thread *thread, bool was_followed)
{
	const struct state_thread *main, *parent;

	if (!state->follow.count)
		return;
	main = state_thread_is_main(thread) ? NULL : state_thread_get(state, thread->pid);
	parent = is_live(state) && came_later(state, thread) ? state_thread_get(state, thread->ptid)
							     : NULL;
	if (was_followed || was_named(state, thread) || goes_with(state, thread, main) ||
	    goes_with(state, thread, parent))
		core_follow(state, thread);
}

void state_follow_created(struct state *state, struct state_thread *thread,
			  const struct state_thread *creator)
{
	if (!state->follow.count)
		return;
	if (goes_with(state, thread, creator) ||
	    (!is_live(state) && core_is_named(state, thread->pid)))
		core_follow(state, thread);
}

void state_follow_exec(struct state *state, struct state_thread *thread)
{
	if (state->follow.from_exec && core_is_named(state, thread->pid))
		core_follow(state, thread);
}

void state_learn_users(struct state *state, const struct state_thread *thread)
{
	struct state_container *container = thread->cgroups->container;

	if (!container || container->users_read || !state->proc)
		return;
	container->users_tid = thread->tid;
	if (!container->users_asked)
		state_container_list_add(&state->containers.lists, container,
					 STATE_CONTAINERS_UNREAD);
}

/* Decides whether threads or descriptors have to go. */

enum { STEPS_MAX = 64 }; /* for one event, which adds less */

/* Descriptors with their names may use half of the memory, if threads need the rest. */
static bool evict_one(struct state *state)
{
	struct state_fd_store *store = &state->fd_store;

	if (state_held_bytes(state) <= state->memory_max)
		return state_fds_evict(store);
	if (store->units * HOLDER_UNIT_BYTES > state->memory_max / 2 && state_fds_evict(store))
		return true;
	return state_threads_evict(&state->threads) || state_fds_evict(store);
}

void state_make_room(struct state *state)
{
	state_ended_clear(state);
	for (int i = 0; i < STEPS_MAX && state_is_crowded(state); i++)
		if (!evict_one(state))
			return;
}

/* Paths below mounts that have moved. */

/* The part of a path below a directory: "" for itself, "/x"; NULL if it is not below. */
static const char *below(const char *path, const char *directory)
{
	size_t len = strlen(directory);

	if (strcmp(directory, "/") == 0)
		len = 0;
	if (strncmp(path, directory, len) != 0 || (path[len] != '/' && path[len]))
		return NULL;
	return path + len;
}

/* Puts a path below another directory. */
static size_t put_below(const char *directory, const char *rest, char out[STATE_PATH_MAX])
{
	rest += strspn(rest, "/");
	return state_path_join(directory, strlen(directory), *rest ? rest : ".",
			       *rest ? strlen(rest) : 1, out);
}

/*
 * A directory of the old root moves below its new place; the root itself is replaced by the new
 * root.
 */
static void move_cwd(struct state *state, struct state_fs *fs, const struct state_move *move)
{
	const char *rest = below(fs->cwd, move->from), *to = move->to;
	char moved[STATE_PATH_MAX];

	if (!rest && *move->old_root) {
		rest = fs->cwd;
		to = move->old_root;
	}
	if (rest && strcmp(fs->cwd, "/") != 0)
		state_fs_set(&state->pool, fs, moved, put_below(to, rest, moved));
}

/* Files opened in another namespace do not move: those of the old root are unchanged. */
static void move_fd(struct state *state, struct state_fd *fd, const struct state_move *move)
{
	const char *rest = below(fd->name, move->from), *given;
	char moved[STATE_PATH_MAX];
	size_t len, given_len;

	if (!rest || (fd->type != SCAP_FD_FILE && fd->type != SCAP_FD_DIRECTORY))
		return;
	given = state_fd_given_name(fd, &given_len);
	len = put_below(move->to, rest, moved);
	state_fd_set_names(&state->fd_store, fd, moved, len, given, given_len);
}

void state_apply_move(struct state *state, const struct state_move *move)
{
	struct state_thread *thread = state_thread_get(state, move->tid);
	struct state_fd *fd;

	if (!thread)
		return;
	move_cwd(state, thread->fs, move);
	for (int64_t num = 0; (fd = state_fds_next(thread->fds, &num)); num++) {
		move_fd(state, fd, move);
		state_fds_recharge(thread->fds, num);
	}
}

void state_note_gone(struct state *state, struct state_fds *fds,
		     const struct state_fds_going *going)
{
	struct state_after *after = &state->after;

	/* What is known of a table in a gap is no proof that nobody has it. */
	if (!state->gone || after->gone || state_fds_gap_is_open(fds))
		return;
	after->gone = state_fds_hold_last(fds, going, state->gone, STATE_GONE_MAX);
	after->gone_from = fds;
	after->pending |= after->gone;
}

/* The end of an event: what it closed, ended or moved. */

/* The table may lose its last owner before the next event: a reference keeps it. */
static void keep_for_end(struct state *state, struct state_fds **kept, struct state_fds *fds)
{
	state_fds_ref(fds);
	state_fds_unref(*kept);
	*kept = fds;
	state->after.pending = true;
}

void state_close_after(struct state *state, struct state_fds *fds, int64_t num)
{
	keep_for_end(state, &state->after.closed_in, fds);
	state->after.closed = num;
}

void state_empty_after(struct state *state, struct state_fds *fds)
{
	keep_for_end(state, &state->after.emptied, fds);
}

void state_finish(struct state *state)
{
	struct state_after *after = &state->after;

	if (after->closed_in)
		state_fds_close(after->closed_in, after->closed);
	if (after->replaced)
		state_fd_release(&state->fd_store, after->replaced);
	for (uint32_t i = 0; i < after->gone; i++)
		state_fd_release(&state->fd_store, state->gone[i].fd);
	if (after->emptied)
		state_fds_close_range(after->emptied, 0, UINT32_MAX);
	if (after->ended)
		state_ended_keep(state, after->ended);
	if (after->ended)
		state_threads_end(&state->threads, after->ended);
	if (after->moved)
		state_apply_move(state, &state->move);
	state_fds_unref(after->closed_in);
	state_fds_unref(after->emptied);
	*after = (struct state_after){0};
}
