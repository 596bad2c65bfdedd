/* SPDX-License-Identifier: MIT */
/*
 * Threads of the tables: found, added, followed, evicted; paths below mounts that have moved; the
 * end of an event.
 */
#include "sinsp/state/core.h"

#include <string.h>

#include "sinsp/state/program.h"

/* Threads of the tables: found and added. */

struct sinsp_thread *state_thread_find(const struct sinsp *sinsp, int64_t tid)
{
	struct sinsp_thread_entry *entry = sinsp_threads_find(&sinsp->threads, tid);

	return entry && !entry->unknown ? &entry->thread : NULL;
}

struct sinsp_thread *state_thread_named(const struct sinsp *sinsp, struct sinsp_thread *caller,
					int64_t pid)
{
	if (pid == 0 || pid == caller->vpid)
		return caller;
	return state_is_outside(caller) ? state_thread_find(sinsp, pid) : NULL;
}

struct sinsp_thread *state_thread_add(struct sinsp *sinsp, int64_t tid, int64_t pid)
{
	struct sinsp_thread_entry *entry = sinsp_threads_add(&sinsp->threads, tid, pid);
	struct sinsp_thread *thread;

	if (!entry)
		return NULL;
	thread = &entry->thread;
	entry->since_ns = sinsp->now_ns;
	thread->program = sinsp_program_ref(sinsp->no_program);
	thread->fs = sinsp_fs_create(&sinsp->pool, "", 0);
	thread->fds = sinsp_fds_create(&sinsp->fd_store);
	sinsp_thread_set_cgroups(&sinsp->containers, thread, "", 0);
	if (thread->fs && thread->fds && thread->cgroups)
		return thread;
	sinsp_threads_remove(&sinsp->threads, entry);
	return NULL;
}

/*
 * A process is named by its id. On a live machine that is the process with the id at the start:
 * another one may get the id later. In a capture it is every process with the id, at any time.
 */

static void core_follow(struct sinsp *sinsp, struct sinsp_thread *thread)
{
	sinsp->threads.followed += !thread->followed;
	thread->followed = true;
}

static bool is_live(const struct sinsp *sinsp)
{
	return sinsp->proc;
}

static bool core_is_named(const struct sinsp *sinsp, int64_t pid)
{
	for (size_t i = 0; i < sinsp->follow.count; i++)
		if (sinsp->follow.pids[i] == pid)
			return true;
	return false;
}

/* Threads follow their process; children follow if requested. */
static bool goes_with(const struct sinsp *sinsp, const struct sinsp_thread *thread,
		      const struct sinsp_thread *creator)
{
	return creator && creator->followed &&
	       (sinsp->follow.children || creator->pid == thread->pid);
}

static bool came_later(const struct sinsp *sinsp, const struct sinsp_thread *thread)
{
	return thread->clone_ts_ns > sinsp->follow_since_ns;
}

/* All threads loaded while the tables are filled existed at the start. */
static bool was_named(const struct sinsp *sinsp, const struct sinsp_thread *thread)
{
	bool seeding = sinsp->stats.events == 0;

	return !sinsp->follow.from_exec && core_is_named(sinsp, thread->pid) &&
	       (!is_live(sinsp) || seeding || !came_later(sinsp, thread));
}

void state_follow_loaded(struct sinsp *sinsp, struct sinsp_thread *thread, bool was_followed)
{
	const struct sinsp_thread *main, *parent;

	if (!sinsp->follow.count)
		return;
	main = sinsp_thread_is_main(thread) ? NULL : state_thread_find(sinsp, thread->pid);
	parent = is_live(sinsp) && came_later(sinsp, thread)
			 ? state_thread_find(sinsp, thread->ptid)
			 : NULL;
	if (was_followed || was_named(sinsp, thread) || goes_with(sinsp, thread, main) ||
	    goes_with(sinsp, thread, parent))
		core_follow(sinsp, thread);
}

void state_follow_created(struct sinsp *sinsp, struct sinsp_thread *thread,
			  const struct sinsp_thread *creator)
{
	if (!sinsp->follow.count)
		return;
	if (goes_with(sinsp, thread, creator) ||
	    (!is_live(sinsp) && core_is_named(sinsp, thread->pid)))
		core_follow(sinsp, thread);
}

void state_follow_exec(struct sinsp *sinsp, struct sinsp_thread *thread)
{
	if (sinsp->follow.from_exec && core_is_named(sinsp, thread->pid))
		core_follow(sinsp, thread);
}

void state_learn_users(struct sinsp *sinsp, const struct sinsp_thread *thread)
{
	struct sinsp_container *container = thread->cgroups->container;

	if (!container || container->users_read || !sinsp->proc)
		return;
	container->users_tid = thread->tid;
	if (!container->users_asked)
		sinsp_container_list_add(&sinsp->containers.lists, container,
					 SINSP_CONTAINERS_UNREAD);
}

/* Decides whether threads or descriptors have to go. */

enum { STEPS_MAX = 64 }; /* for one event, which adds less */

/* Descriptors with their names may use half of the memory, if threads need the rest. */
static bool evict_one(struct sinsp *sinsp)
{
	struct sinsp_fd_store *store = &sinsp->fd_store;

	if (state_held_bytes(sinsp) <= sinsp->memory_max)
		return sinsp_fds_evict(store);
	if (store->units * HOLDER_UNIT_BYTES > sinsp->memory_max / 2 && sinsp_fds_evict(store))
		return true;
	return sinsp_threads_evict(&sinsp->threads) || sinsp_fds_evict(store);
}

void state_make_room(struct sinsp *sinsp)
{
	for (int i = 0; i < STEPS_MAX && state_is_crowded(sinsp); i++)
		if (!evict_one(sinsp))
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
static size_t put_below(const char *directory, const char *rest, char out[SINSP_PATH_MAX])
{
	rest += strspn(rest, "/");
	return sinsp_path_join(directory, strlen(directory), *rest ? rest : ".",
			       *rest ? strlen(rest) : 1, out);
}

/*
 * A directory of the old root moves below its new place; the root itself is replaced by the new
 * root.
 */
static void move_cwd(struct sinsp *sinsp, struct sinsp_fs *fs, const struct state_move *move)
{
	const char *rest = below(fs->cwd, move->from), *to = move->to;
	char moved[SINSP_PATH_MAX];

	if (!rest && *move->old_root) {
		rest = fs->cwd;
		to = move->old_root;
	}
	if (rest && strcmp(fs->cwd, "/") != 0)
		sinsp_fs_set(&sinsp->pool, fs, moved, put_below(to, rest, moved));
}

/* Files opened in another namespace do not move: those of the old root are unchanged. */
static void move_fd(struct sinsp *sinsp, struct sinsp_fd *fd, const struct state_move *move)
{
	const char *rest = below(fd->name, move->from), *given;
	char moved[SINSP_PATH_MAX];
	size_t len, given_len;

	if (!rest || (fd->type != SCAP_FD_FILE && fd->type != SCAP_FD_DIRECTORY))
		return;
	given = sinsp_fd_given_name(fd, &given_len);
	len = put_below(move->to, rest, moved);
	sinsp_fd_set_names(&sinsp->fd_store, fd, moved, len, given, given_len);
}

void state_apply_move(struct sinsp *sinsp, const struct state_move *move)
{
	struct sinsp_thread *thread = state_thread_find(sinsp, move->tid);
	struct sinsp_fd *fd;

	if (!thread)
		return;
	move_cwd(sinsp, thread->fs, move);
	for (int64_t num = 0; (fd = sinsp_fds_next(thread->fds, &num)); num++) {
		move_fd(sinsp, fd, move);
		sinsp_fds_recharge(thread->fds, num);
	}
}

/* The end of an event: what it closed, ended or moved. */

void state_finish(struct sinsp *sinsp)
{
	struct state_after *after = &sinsp->after;

	if (after->closed_in)
		sinsp_fds_close(after->closed_in, after->closed);
	if (after->emptied)
		sinsp_fds_close_range(after->emptied, 0, UINT32_MAX);
	if (after->ended)
		sinsp_threads_end(&sinsp->threads, after->ended);
	if (after->moved)
		state_apply_move(sinsp, &sinsp->move);
	*after = (struct state_after){0};
}
