/* SPDX-License-Identifier: MIT */
/*
 * Data for fields besides the event: other threads, names, descriptors that it opens or renames,
 * absolute paths.
 */
#include "sinsp/state/event.h"

#include <errno.h>
#include <string.h>

#include "sinsp/state/core.h"
#include "sinsp/state/apply.h"
#include "sinsp/state/load.h"
#include "sinsp/state/path.h"

/* Data for fields besides the event: other threads, and names. */

const struct state_thread *state_thread_find(const struct state *state, int64_t tid)
{
	return state_thread_get(state, tid);
}

const struct state_thread *state_thread_main(const struct state *state,
					     const struct state_thread *thread)
{
	return state_thread_is_main(thread) ? thread : state_thread_get(state, thread->pid);
}

const struct state_thread *state_thread_parent(const struct state *state,
					       const struct state_thread *thread)
{
	const struct state_thread *main = state_thread_main(state, thread), *parent;

	parent = state_thread_find(state, main ? main->ptid : thread->ptid);
	return parent ? state_thread_main(state, parent) : NULL;
}

const struct state_user *state_user(const struct state *state, uint32_t uid)
{
	return state_users_find(&state->names->users, uid, state->now_ns);
}

const char *state_user_name(const struct state *state, uint32_t uid)
{
	const struct state_user *user = state_user(state, uid);

	return user ? user->name : NULL;
}

const char *state_group_name(const struct state *state, uint32_t gid)
{
	const struct state_user *group =
		state_users_find(&state->names->groups, gid, state->now_ns);

	return group ? group->name : NULL;
}

enum owner { OWNER_HOST, OWNER_CONTAINER, OWNER_UNKNOWN };

/* Whose users those of the event's thread are. */
static enum owner event_owner_of(const struct state_event *event,
				 struct state_container_users **own)
{
	const struct state_container *container =
		event->thread ? event->thread->cgroups->container : NULL;

	if (!container)
		return OWNER_HOST;
	*own = container->users;
	if (*own)
		return OWNER_CONTAINER;
	/* On a live machine they are read first. */
	return event->state->proc && !container->users_read ? OWNER_UNKNOWN : OWNER_HOST;
}

const struct state_user *state_event_user(const struct state_event *event, uint32_t uid)
{
	struct state_container_users *own;

	switch (event_owner_of(event, &own)) {
	case OWNER_HOST:
		return state_user(event->state, uid);
	case OWNER_CONTAINER:
		return state_users_find(&own->users, uid, event->state->now_ns);
	default:
		return NULL;
	}
}

const char *state_event_user_name(const struct state_event *event, uint32_t uid)
{
	const struct state_user *user = state_event_user(event, uid);

	return user ? user->name : NULL;
}

const char *state_event_group_name(const struct state_event *event, uint32_t gid)
{
	struct state_container_users *own;
	enum owner owner = event_owner_of(event, &own);
	const struct state_user *group = NULL;

	if (owner == OWNER_HOST)
		return state_group_name(event->state, gid);
	if (owner == OWNER_CONTAINER)
		group = state_users_find(&own->groups, gid, event->state->now_ns);
	return group ? group->name : NULL;
}

const char *state_host_name(const struct state *state, const uint8_t *address, size_t len)
{
	return names_hosts_name(&state->names->hosts, address, len);
}

uint64_t state_boot(const struct state *state)
{
	return state->boot;
}

const char *state_hostname(const struct state *state)
{
	return state->machine.hostname;
}

uint64_t state_run_ns(const struct state_event *event)
{
	return event->state->run_ns;
}

uint64_t state_off_ns(const struct state_event *event)
{
	return event->state->off_ns;
}

uint64_t state_file_age_ns(const struct state_event *event)
{
	return event->state->file_age_ns;
}

/* Directory descriptors, looked up while their event is applied. */

/*
 * Whether the call reached the directory of its path, so that /proc may be read for it: a failed
 * call did if the error concerns a file.
 */
static bool reached_directory(const struct event *ev)
{
	static const uint8_t about_files[] = {ENOENT, EEXIST,  EACCES, EPERM,	  ENOTDIR,
					      EISDIR, ELOOP,   EXDEV,  ENOTEMPTY, EROFS,
					      ENXIO,  ETXTBSY, EBUSY,  ENOSPC,	  EDQUOT};
	int64_t result;

	if (!event_result(ev, &result) || result >= 0)
		return true;
	for (size_t i = 0; i < sizeof(about_files); i++)
		if (result == -about_files[i])
			return true;
	return false;
}

/* Where a relative path starts. */
static int64_t dirfd_of(const struct event *ev, unsigned int param)
{
	const struct param_desc *desc = &ev->desc->params[param];

	return desc->base ? event_param_i64(ev, desc->base - 1u) : AT_FDCWD_STORED;
}

void state_find_directories(struct state *state, const struct state_plan *plan,
			    const struct apply_event *event)
{
	for (unsigned int i = 0; i < plan->paths_count; i++) {
		int64_t dirfd = dirfd_of(event->ev, plan->paths[i]);

		/* Most start from the current directory. */
		if (dirfd >= 0 && state_path_is_relative(event->ev, plan->paths[i], &dirfd) &&
		    !state_fds_find(event->thread->fds, dirfd) && reached_directory(event->ev))
			state_look_up_fd(state, event->thread, dirfd);
	}
}

/* Descriptors that an event opens, selects or renames. */

struct state_fd *state_open_fd(struct apply_event *event, int64_t num, enum scap_fd_type type,
			       bool cloexec)
{
	struct state_fds *fds = state_fds_of(event, num);
	struct state_fd *fd = fds ? state_fds_open(fds, num, "", 0) : NULL;

	if (!fd)
		return NULL;
	fd->type = type;
	state_fds_set_cloexec(fds, num, cloexec);
	return fd;
}

void state_set_fd(struct apply_event *event, int64_t num, struct state_fd *fd)
{
	event->has_fd = true;
	event->fd_num = num;
	event->fd = fd;
}

void state_rename_fd(struct state *state, struct apply_event *event, const char *name, size_t len)
{
	struct state_fd *fd = event->fd;

	if (len == fd->name_len && memcmp(name, fd->name, len) == 0)
		return;
	if (!state_fd_rename(&state->fd_store, fd, name, len))
		return;
	event->fd_named = true;
	if (event->fds)
		state_fds_recharge(event->fds, event->fd_num);
}

/* The absolute paths of an event's parameters. */

struct base {
	const char *text;
	size_t len;
};

static const struct base unknown_base = {STATE_PATH_UNKNOWN, sizeof(STATE_PATH_UNKNOWN) - 1};

/* The directory that a path starts from, of the tables. */
static struct base base_kept(const struct state_thread *thread, int64_t dirfd)
{
	const struct state_fd *fd;

	if (!thread)
		return unknown_base;
	if (dirfd == AT_FDCWD_STORED && thread->fs->cwd_len)
		return (struct base){thread->fs->cwd, thread->fs->cwd_len};
	fd = state_fds_find(thread->fds, dirfd);
	return fd && fd->name_len ? (struct base){fd->name, fd->name_len} : unknown_base;
}

/* For RESOLVE_IN_ROOT the base is the root: no path, not even "/" or "..", leads out of it. */
static bool is_in_root(const struct event *ev)
{
	const uint8_t resolve = ev->desc->opens.resolve;

	return resolve && (event_param_u64(ev, resolve - 1u) & openat2_flags__RESOLVE_IN_ROOT);
}

/* The path as resolved by the kernel, in place of the one passed; NULL: unknown. */
static const char *real_path(const struct event *ev, unsigned int param)
{
	const struct param_desc *desc = &ev->desc->params[param];

	return desc->real ? event_param_string(ev, desc->real - 1u) : NULL;
}

/* The path of the directory that it started from, as the kernel reports it; NULL: unknown. */
static const char *base_path(const struct event *ev, unsigned int param)
{
	const struct param_desc *desc = &ev->desc->params[param];

	return desc->base_path ? event_param_string(ev, desc->base_path - 1u) : NULL;
}

bool state_path_is_relative(const struct event *ev, unsigned int param, int64_t *dirfd)
{
	const char *path = event_param_string(ev, param);

	if (!path || real_path(ev, param) || base_path(ev, param))
		return false;
	if ((*path == '/' || !*path) && !is_in_root(ev))
		return false;
	*dirfd = dirfd_of(ev, param);
	return true;
}

static struct base base_of(const struct event *ev, const struct state_thread *thread,
			   unsigned int param)
{
	const char *path = base_path(ev, param);

	return path ? (struct base){path, strlen(path)} : base_kept(thread, dirfd_of(ev, param));
}

static size_t event_join(const struct event *ev, const struct state_thread *thread,
			 unsigned int param, char *out)
{
	const char *path = event_param_string(ev, param), *real = real_path(ev, param);
	char inside[STATE_PATH_MAX];
	struct base base = {"", 0};
	size_t len;

	if (real)
		return state_path_join("", 0, real, strlen(real), out);
	len = strlen(path);
	if (is_in_root(ev)) {
		path += strspn(path, "/");
		len = state_path_join("", 0, path, strlen(path), inside);
		path = len ? inside : ".";
		len += !len;
	}
	if (len && *path != '/')
		base = base_of(ev, thread, param);
	return state_path_join(base.text, base.len, path, len, out);
}

size_t apply_event_path(const struct event *ev, const struct state_thread *thread,
			unsigned int param, char *out, size_t size)
{
	char joined[STATE_PATH_MAX];
	size_t len;

	if (size == 0 || (!event_param_present(ev, param) && !real_path(ev, param)))
		return 0;
	if (size >= STATE_PATH_MAX)
		return event_join(ev, thread, param, out);
	len = event_join(ev, thread, param, joined);
	if (len >= size)
		len = size - 1;
	memcpy(out, joined, len);
	out[len] = '\0';
	return len;
}

size_t state_event_path(const struct state_event *event, unsigned int param, char *out, size_t size)
{
	return apply_event_path(&event->ev, event->thread, param, out, size);
}
