/* SPDX-License-Identifier: MIT */
/* Files: opening them, and the current directory. */
#include <errno.h>
#include <string.h>

#include "sinsp/state/apply.h"
#include "sinsp/state/event_path.h"
#include "sinsp/state/lookup.h"
#include "sinsp/state/path.h"
#include "sinsp/state/program.h"

/* The data of an open event, independent of parameter indexes. */
struct opened {
	unsigned int name; /* its parameter */
	uint32_t flags, dev;
	uint64_t ino;
};

/*
 * Current directories that are not kept are looked up for a relative name. The kernel reports the
 * path of nearly all files that are opened, so that few events need it.
 */
static void find_base(struct sinsp *sinsp, struct state_event *event, unsigned int name)
{
	int64_t dirfd;

	if ((sinsp->lacks & SINSP_DIRECTORIES) && state_path_is_relative(event->ev, name, &dirfd))
		state_look_up_base(sinsp, event, dirfd);
}

/* The name that was passed to a call that opened a file. */
struct given {
	size_t len; /* 0: the path itself */
	char name[SINSP_PATH_MAX];
};

static void take_given(const struct event *ev, unsigned int param, const char *path,
		       struct given *given)
{
	const char *name = event_param_string(ev, param);

	given->len = 0;
	/* Most names are equal to the path; those are not stored. */
	if (!name || strcmp(name, path) == 0)
		return;
	given->len = sinsp_path_collapse(name, given->name);
	if (strcmp(given->name, path) == 0)
		given->len = 0;
}

static void open_file(struct sinsp *sinsp, struct state_event *event, const struct opened *opened)
{
	char path[SINSP_PATH_MAX];
	struct given given;
	size_t len;
	struct sinsp_fds *fds;

	if (!event->thread || event->fd_num < 0)
		return;
	fds = event->thread->fds;
	find_base(sinsp, event, opened->name);
	len = state_event_path(event->ev, event->thread, opened->name, path, sizeof(path));
	if (len == 0) {
		/* The name could not be read in the kernel: /proc has it. */
		event->fd = state_replace_fd(sinsp, event, event->fd_num);
		event->fd_named = event->fd;
		return;
	}
	take_given(event->ev, opened->name, path, &given);
	event->fd = sinsp_fds_open_given(fds, event->fd_num, path, len, given.name, given.len);
	if (!event->fd)
		return;
	event->fd->type =
		opened->flags & file_flags__O_DIRECTORY ? SCAP_FD_DIRECTORY : SCAP_FD_FILE;
	event->fd->flags = opened->flags;
	event->fd->dev = opened->dev;
	sinsp_fd_set_ino(event->fd, opened->ino);
	sinsp_fds_set_cloexec(fds, event->fd_num, opened->flags & file_flags__O_CLOEXEC);
	event->fd_named = true;
}

void state_open(struct sinsp *sinsp, struct state_event *event)
{
	const struct opened opened = {
		.name = open__name,
		.flags = (uint32_t)event_param_u64(event->ev, open__flags),
		.dev = (uint32_t)event_param_u64(event->ev, open__dev),
		.ino = event_param_u64(event->ev, open__ino),
	};

	open_file(sinsp, event, &opened);
}

void state_openat(struct sinsp *sinsp, struct state_event *event)
{
	const struct opened opened = {
		.name = openat__name,
		.flags = (uint32_t)event_param_u64(event->ev, openat__flags),
		.dev = (uint32_t)event_param_u64(event->ev, openat__dev),
		.ino = event_param_u64(event->ev, openat__ino),
	};

	open_file(sinsp, event, &opened);
}

void state_openat2(struct sinsp *sinsp, struct state_event *event)
{
	const struct opened opened = {
		.name = openat2__name,
		.flags = (uint32_t)event_param_u64(event->ev, openat2__flags),
		.dev = (uint32_t)event_param_u64(event->ev, openat2__dev),
		.ino = event_param_u64(event->ev, openat2__ino),
	};

	open_file(sinsp, event, &opened);
}

void state_creat(struct sinsp *sinsp, struct state_event *event)
{
	const struct opened opened = {
		.name = creat__name,
		.flags = file_flags__O_WRONLY | file_flags__O_CREAT | file_flags__O_TRUNC,
		.dev = (uint32_t)event_param_u64(event->ev, creat__dev),
		.ino = event_param_u64(event->ev, creat__ino),
	};

	open_file(sinsp, event, &opened);
}

void state_open_by_handle_at(struct sinsp *sinsp, struct state_event *event)
{
	const struct opened opened = {
		.name = open_by_handle_at__path,
		.flags = (uint32_t)event_param_u64(event->ev, open_by_handle_at__flags),
		.dev = (uint32_t)event_param_u64(event->ev, open_by_handle_at__dev),
		.ino = event_param_u64(event->ev, open_by_handle_at__ino),
	};

	open_file(sinsp, event, &opened);
}

/* Changes the thread's directory to a path that may contain links. */
static void change_directory(struct sinsp *sinsp, struct sinsp_thread *thread, const char *path,
			     size_t len)
{
	const char *real;
	int r = -ENOENT;

	if (path[0] != '/')
		len = 0; /* relative to an unknown directory */
	/*
	 * The thread's directory in /proc may be newer than this event, so the path is resolved
	 * instead; unless there is no path, or a link cannot be followed now.
	 */
	if (len && sinsp->proc)
		r = scap_proc_real_directory(sinsp->proc, thread->tid, path, &real);
	if ((!len || r == -ELOOP) && state_look_up_cwd(sinsp, thread))
		return;
	if (r == 0)
		sinsp_fs_set(&sinsp->pool, thread->fs, real, strlen(real));
	else if (len)
		sinsp_fs_set(&sinsp->pool, thread->fs, path, len);
}

/* Takes the directory that the event reports. Returns false if it has none. */
static bool follow_kernel(struct sinsp *sinsp, struct state_event *event, unsigned int cwd)
{
	const char *path = event_param_string(event->ev, cwd);

	if (!path)
		return false;
	sinsp_fs_set(&sinsp->pool, event->thread->fs, path, strlen(path));
	return true;
}

void state_chdir(struct sinsp *sinsp, struct state_event *event)
{
	char path[SINSP_PATH_MAX] = "";
	size_t len;

	if (!event->thread || event_param_i64(event->ev, chdir__res) != 0 ||
	    follow_kernel(sinsp, event, chdir__cwd))
		return;
	len = state_event_path(event->ev, event->thread, chdir__path, path, sizeof(path));
	change_directory(sinsp, event->thread, path, len);
}

void state_fchdir(struct sinsp *sinsp, struct state_event *event)
{
	const struct sinsp_fd *fd = event->fd;

	if (!event->thread || event_param_i64(event->ev, fchdir__res) != 0 ||
	    follow_kernel(sinsp, event, fchdir__cwd))
		return;
	if (fd && fd->name_len)
		change_directory(sinsp, event->thread, fd->name, fd->name_len);
}
