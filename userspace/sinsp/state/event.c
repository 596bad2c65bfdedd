/* SPDX-License-Identifier: MIT */
/*
 * Data for fields besides the event: other threads, names, descriptors that it opens or renames,
 * absolute paths.
 */
#include "sinsp/state/event.h"

#include <errno.h>
#include <string.h>

#include "sinsp/state/core.h"
#include "sinsp/state/event_fd.h"
#include "sinsp/state/load.h"
#include "sinsp/state/path.h"

/* Data for fields besides the event: other threads, and names. */

const struct sinsp_thread *sinsp_thread_find(const struct sinsp *sinsp, int64_t tid)
{
	return state_thread_find(sinsp, tid);
}

const struct sinsp_thread *sinsp_thread_main(const struct sinsp *sinsp,
					     const struct sinsp_thread *thread)
{
	return sinsp_thread_is_main(thread) ? thread : state_thread_find(sinsp, thread->pid);
}

const struct sinsp_thread *sinsp_thread_parent(const struct sinsp *sinsp,
					       const struct sinsp_thread *thread)
{
	const struct sinsp_thread *main = sinsp_thread_main(sinsp, thread), *parent;

	parent = sinsp_thread_find(sinsp, main ? main->ptid : thread->ptid);
	return parent ? sinsp_thread_main(sinsp, parent) : NULL;
}

const struct user_entry *sinsp_user(const struct sinsp *sinsp, uint32_t uid)
{
	return users_find(&sinsp->names->users, uid, sinsp->now_ns);
}

const char *sinsp_user_name(const struct sinsp *sinsp, uint32_t uid)
{
	const struct user_entry *user = sinsp_user(sinsp, uid);

	return user ? user->name : NULL;
}

const char *sinsp_group_name(const struct sinsp *sinsp, uint32_t gid)
{
	const struct user_entry *group = users_find(&sinsp->names->groups, gid, sinsp->now_ns);

	return group ? group->name : NULL;
}

enum owner { OWNER_HOST, OWNER_CONTAINER, OWNER_UNKNOWN };

/* Whose users those of the event's thread are. */
static enum owner event_owner_of(const struct sinsp_event *event,
				 struct sinsp_container_users **own)
{
	const struct sinsp_container *container =
		event->thread ? event->thread->cgroups->container : NULL;

	if (!container)
		return OWNER_HOST;
	*own = container->users;
	if (*own)
		return OWNER_CONTAINER;
	/* On a live machine they are read first. */
	return event->sinsp->proc && !container->users_read ? OWNER_UNKNOWN : OWNER_HOST;
}

const struct user_entry *sinsp_event_user(const struct sinsp_event *event, uint32_t uid)
{
	struct sinsp_container_users *own;

	switch (event_owner_of(event, &own)) {
	case OWNER_HOST:
		return sinsp_user(event->sinsp, uid);
	case OWNER_CONTAINER:
		return users_find(&own->users, uid, event->sinsp->now_ns);
	default:
		return NULL;
	}
}

const char *sinsp_event_user_name(const struct sinsp_event *event, uint32_t uid)
{
	const struct user_entry *user = sinsp_event_user(event, uid);

	return user ? user->name : NULL;
}

const char *sinsp_event_group_name(const struct sinsp_event *event, uint32_t gid)
{
	struct sinsp_container_users *own;
	enum owner owner = event_owner_of(event, &own);
	const struct user_entry *group = NULL;

	if (owner == OWNER_HOST)
		return sinsp_group_name(event->sinsp, gid);
	if (owner == OWNER_CONTAINER)
		group = users_find(&own->groups, gid, event->sinsp->now_ns);
	return group ? group->name : NULL;
}

const char *sinsp_host_name(const struct sinsp *sinsp, const uint8_t *address, size_t len)
{
	return hosts_name(&sinsp->names->hosts, address, len);
}

uint64_t sinsp_boot(const struct sinsp *sinsp)
{
	return sinsp->boot;
}

const char *sinsp_hostname(const struct sinsp *sinsp)
{
	return sinsp->machine.hostname;
}

uint64_t sinsp_run_ns(const struct sinsp_event *event)
{
	return event->sinsp->run_ns;
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

void state_find_directories(struct sinsp *sinsp, const struct state_plan *plan,
			    const struct state_event *event)
{
	for (unsigned int i = 0; i < plan->paths_count; i++) {
		int64_t dirfd;

		if (state_path_is_relative(event->ev, plan->paths[i], &dirfd) && dirfd >= 0 &&
		    !sinsp_fds_find(event->thread->fds, dirfd) && reached_directory(event->ev))
			state_fd(sinsp, event->thread, dirfd);
	}
}

/* Descriptors that an event opens, selects or renames. */

struct sinsp_fd *state_open_fd(struct state_event *event, int64_t num, enum scap_fd_type type,
			       bool cloexec)
{
	struct sinsp_fds *fds = event->thread->fds;
	struct sinsp_fd *fd = sinsp_fds_open(fds, num, "", 0);

	if (!fd)
		return NULL;
	fd->type = type;
	sinsp_fds_set_cloexec(fds, num, cloexec);
	return fd;
}

void state_set_fd(struct state_event *event, int64_t num, struct sinsp_fd *fd)
{
	event->has_fd = true;
	event->fd_num = num;
	event->fd = fd;
}

void state_rename_fd(struct sinsp *sinsp, struct state_event *event, const char *name, size_t len)
{
	struct sinsp_fd *fd = event->fd;

	if (len == fd->name_len && memcmp(name, fd->name, len) == 0)
		return;
	if (!sinsp_fd_rename(&sinsp->fd_store, fd, name, len))
		return;
	event->fd_named = true;
	if (event->thread)
		sinsp_fds_recharge(event->thread->fds, event->fd_num);
}

/* The absolute paths of an event's parameters. */

struct base {
	const char *text;
	size_t len;
};

static const struct base unknown_base = {SINSP_PATH_UNKNOWN, sizeof(SINSP_PATH_UNKNOWN) - 1};

/* The directory that a path starts from, of the tables. */
static struct base base_kept(const struct sinsp_thread *thread, int64_t dirfd)
{
	const struct sinsp_fd *fd;

	if (!thread)
		return unknown_base;
	if (dirfd == AT_FDCWD_STORED && thread->fs->cwd_len)
		return (struct base){thread->fs->cwd, thread->fs->cwd_len};
	fd = sinsp_fds_find(thread->fds, dirfd);
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

/* Where a relative path starts. */
static int64_t dirfd_of(const struct event *ev, unsigned int param)
{
	const struct param_desc *desc = &ev->desc->params[param];

	return desc->base ? event_param_i64(ev, desc->base - 1u) : AT_FDCWD_STORED;
}

bool state_path_is_relative(const struct event *ev, unsigned int param, int64_t *dirfd)
{
	const char *path = event_param_string(ev, param);

	if (!path || (!is_in_root(ev) && (*path == '/' || !*path)) || real_path(ev, param) ||
	    base_path(ev, param))
		return false;
	*dirfd = dirfd_of(ev, param);
	return true;
}

static struct base base_of(const struct event *ev, const struct sinsp_thread *thread,
			   unsigned int param)
{
	const char *path = base_path(ev, param);

	return path ? (struct base){path, strlen(path)} : base_kept(thread, dirfd_of(ev, param));
}

static size_t event_join(const struct event *ev, const struct sinsp_thread *thread,
			 unsigned int param, char *out)
{
	const char *path = event_param_string(ev, param), *real = real_path(ev, param);
	char inside[SINSP_PATH_MAX];
	struct base base = {"", 0};
	size_t len;

	if (real)
		return sinsp_path_join("", 0, real, strlen(real), out);
	len = strlen(path);
	if (is_in_root(ev)) {
		path += strspn(path, "/");
		len = sinsp_path_join("", 0, path, strlen(path), inside);
		path = len ? inside : ".";
		len += !len;
	}
	if (len && *path != '/')
		base = base_of(ev, thread, param);
	return sinsp_path_join(base.text, base.len, path, len, out);
}

size_t state_event_path(const struct event *ev, const struct sinsp_thread *thread,
			unsigned int param, char *out, size_t size)
{
	char joined[SINSP_PATH_MAX];
	size_t len;

	if (size == 0 || (!event_param_present(ev, param) && !real_path(ev, param)))
		return 0;
	if (size >= SINSP_PATH_MAX)
		return event_join(ev, thread, param, out);
	len = event_join(ev, thread, param, joined);
	if (len >= size)
		len = size - 1;
	memcpy(out, joined, len);
	out[len] = '\0';
	return len;
}

size_t sinsp_event_path(const struct sinsp_event *event, unsigned int param, char *out, size_t size)
{
	return state_event_path(&event->ev, event->thread, param, out, size);
}
