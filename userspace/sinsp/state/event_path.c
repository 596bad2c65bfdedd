/* SPDX-License-Identifier: MIT */
/* The absolute paths of an event's parameters. */
#include "sinsp/state/event_path.h"

#include <string.h>

#include "sinsp/state/event.h"
#include "sinsp/state/path.h"

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
	return ev->desc->id == EVENT_openat2 &&
	       (event_param_u64(ev, openat2__resolve) & openat2_flags__RESOLVE_IN_ROOT);
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

static size_t join(const struct event *ev, const struct sinsp_thread *thread, unsigned int param,
		   char *out)
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
		return join(ev, thread, param, out);
	len = join(ev, thread, param, joined);
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
