/* SPDX-License-Identifier: MIT */
/* The absolute paths of an event's parameters. */
#include <errno.h>
#include <string.h>

#include "sinsp/state/internal.h"
#include "sinsp/state/path.h"

struct base {
	const char *text;
	size_t len;
};

static const struct base unknown_base = {SINSP_PATH_UNKNOWN, sizeof(SINSP_PATH_UNKNOWN) - 1};

/*
 * Whether the event got as far as the directory of its path, so that /proc may be asked for it: a
 * call that failed did when the error is about a file.
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

/* The directory that a path starts from. */
static struct base base_of(const struct sinsp_event *event, int64_t dirfd)
{
	struct sinsp_thread *thread = event->thread;
	struct sinsp_fd *fd;

	if (!thread)
		return unknown_base;
	if (dirfd == AT_FDCWD_STORED && thread->fs->cwd_len)
		return (struct base){thread->fs->cwd, thread->fs->cwd_len};
	if (dirfd < 0)
		return unknown_base;
	fd = sinsp_fds_find(thread->fds, dirfd);
	if (!fd && reached_directory(&event->ev))
		fd = state_fd(event->sinsp, thread, dirfd);
	return fd && fd->name_len ? (struct base){fd->name, fd->name_len} : unknown_base;
}

/* For RESOLVE_IN_ROOT the base is the root: nothing, not even "/" or "..", leads out of it. */
static bool is_in_root(const struct event *ev)
{
	return ev->desc->id == EVENT_openat2 &&
	       (event_param_u64(ev, openat2__resolve) & openat2_flags__RESOLVE_IN_ROOT);
}

/* The path as the kernel found it, in place of what the caller passed; NULL: it is not known. */
static const char *real_path(const struct event *ev, const struct param_desc *desc)
{
	return desc->real ? event_param_string(ev, desc->real - 1u) : NULL;
}

static size_t join(const struct sinsp_event *event, unsigned int param, char *out)
{
	const struct param_desc *desc = &event->ev.desc->params[param];
	const char *path = event_param_string(&event->ev, param);
	const char *real = real_path(&event->ev, desc);
	int64_t dirfd = AT_FDCWD_STORED;
	char inside[SINSP_PATH_MAX];
	struct base base = {"", 0};
	size_t len;

	if (real)
		return sinsp_path_join("", 0, real, strlen(real), out);
	len = strlen(path);
	if (desc->base)
		dirfd = event_param_i64(&event->ev, desc->base - 1u);
	if (is_in_root(&event->ev)) {
		while (*path == '/') {
			path++;
			len--;
		}
		len = sinsp_path_join("", 0, path, len, inside);
		path = len ? inside : ".";
		len += !len;
	}
	if (len && *path != '/')
		base = base_of(event, dirfd);
	return sinsp_path_join(base.text, base.len, path, len, out);
}

size_t sinsp_event_path(const struct sinsp_event *event, unsigned int param, char *out, size_t size)
{
	const struct param_desc *desc = &event->ev.desc->params[param];
	char joined[SINSP_PATH_MAX];
	size_t len;

	if (size == 0 ||
	    (!event_param_present(&event->ev, param) && !real_path(&event->ev, desc)))
		return 0;
	if (size >= SINSP_PATH_MAX)
		return join(event, param, out);
	len = join(event, param, joined);
	if (len >= size)
		len = size - 1;
	memcpy(out, joined, len);
	out[len] = '\0';
	return len;
}
