/* SPDX-License-Identifier: MIT */
/* Descriptors: closing, copying and controlling them, and pipes. */
#include <errno.h>

#include "sinsp/state/apply.h"
#include "sinsp/state/event_fd.h"
#include "sinsp/state/parts.h"

void state_close(struct sinsp *sinsp, struct state_event *event)
{
	/* Whatever other error close reports, the descriptor is closed; even an unknown one. */
	if (!event->thread || event_param_i64(event->ev, close__res) == -EBADF)
		return;
	if (state_is_doubtful(event))
		return;
	sinsp->after.closed_in = event->thread->fds;
	sinsp->after.closed = event->fd_num;
	sinsp->after.pending = true;
}

void state_close_range(struct sinsp *sinsp, struct state_event *event)
{
	const struct event *ev = event->ev;
	uint32_t first = (uint32_t)event_param_u64(ev, close_range__first);
	uint32_t last = (uint32_t)event_param_u64(ev, close_range__last);
	uint64_t flags = event_param_u64(ev, close_range__flags);

	if (!event->thread || event_param_i64(ev, close_range__res) != 0)
		return;
	if (flags & close_range_flags__CLOSE_RANGE_UNSHARE)
		state_unshare_fds(event->thread);
	if (flags & close_range_flags__CLOSE_RANGE_CLOEXEC)
		sinsp_fds_cloexec_range(event->thread->fds, first, last);
	else
		sinsp_fds_close_range(event->thread->fds, first, last);
}

/* Makes `to` a copy of the event's descriptor. Returns its entry. */
static struct sinsp_fd *copy_fd(struct state_event *event, int64_t to, bool cloexec)
{
	struct sinsp_fds *fds = event->thread->fds;
	struct sinsp_fd *fd =
		state_is_doubtful(event) ? NULL : sinsp_fds_dup(fds, event->fd_num, to);

	if (fd)
		sinsp_fds_set_cloexec(fds, to, cloexec);
	else
		sinsp_fds_close(fds, to); /* it may refer to another, unknown file now */
	return fd;
}

/* Makes a copy, which becomes the event's descriptor. */
static void duplicate(struct state_event *event, int64_t to, bool cloexec)
{
	if (!event->thread || to < 0)
		return;
	/* dup2 to itself changes nothing. */
	if (to != event->fd_num)
		state_set_fd(event, to, copy_fd(event, to, cloexec));
}

void state_dup(struct sinsp *sinsp, struct state_event *event)
{
	duplicate(event, event_param_i64(event->ev, dup__res), false);
}

void state_dup2(struct sinsp *sinsp, struct state_event *event)
{
	duplicate(event, event_param_i64(event->ev, dup2__res), false);
}

void state_dup3(struct sinsp *sinsp, struct state_event *event)
{
	duplicate(event, event_param_i64(event->ev, dup3__res),
		  event_param_u64(event->ev, dup3__flags) & file_flags__O_CLOEXEC);
}

void state_fcntl(struct sinsp *sinsp, struct state_event *event)
{
	const struct event *ev = event->ev;
	int64_t result = event_param_i64(ev, fcntl__res);
	uint64_t command = event_param_u64(ev, fcntl__cmd);

	if (!event->thread || result < 0)
		return;
	if (command == fcntl_commands__F_SETFD)
		sinsp_fds_set_cloexec(event->thread->fds, event->fd_num,
				      event_param_u64(ev, fcntl__arg) & 1);
	else if (command == fcntl_commands__F_DUPFD || command == fcntl_commands__F_DUPFD_CLOEXEC)
		duplicate(event, result, command == fcntl_commands__F_DUPFD_CLOEXEC);
}

static struct sinsp_fd *open_end(struct state_event *event, int64_t num, uint64_t ino,
				 uint32_t flags)
{
	struct sinsp_fd *fd =
		state_open_fd(event, num, SCAP_FD_PIPE, flags & file_flags__O_CLOEXEC);

	if (!fd)
		return NULL;
	sinsp_fd_set_ino(fd, ino);
	fd->flags = flags;
	return fd;
}

/* The parameters of pipe have the same indexes in pipe2. */
static void open_pipe(struct state_event *event, uint32_t flags)
{
	const struct event *ev = event->ev;
	uint64_t ino = event_param_u64(ev, pipe__ino);
	int64_t second = event_param_i64(ev, pipe__fd2);

	if (!event->thread || event_param_i64(ev, pipe__res) != 0 || event->fd_num < 0)
		return;
	open_end(event, event->fd_num, ino, flags);
	/* In the .scap world the second end is the event's descriptor. */
	state_set_fd(event, second, open_end(event, second, ino, flags));
}

_Static_assert((int)pipe__res == (int)pipe2__res && (int)pipe__fd2 == (int)pipe2__fd2 &&
		       (int)pipe__ino == (int)pipe2__ino,
	       "open_pipe reads both events");

void state_pipe(struct sinsp *sinsp, struct state_event *event)
{
	open_pipe(event, 0);
}

void state_pipe2(struct sinsp *sinsp, struct state_event *event)
{
	open_pipe(event, (uint32_t)event_param_u64(event->ev, pipe2__flags));
}
