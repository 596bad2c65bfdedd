/* SPDX-License-Identifier: MIT */
/* Descriptors that an event opens, selects or renames. */
#include "sinsp/state/event_fd.h"

#include <string.h>

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
