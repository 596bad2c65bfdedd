/* SPDX-License-Identifier: MIT */
/* Kernel objects that are used through descriptors: counters, timers, processes, rings. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sinsp/state/apply.h"
#include "sinsp/state/event_fd.h"
#include "sinsp/state/lookup.h"

enum { TOKEN_CREATE = 36 }; /* a bpf command without a name in events */

static const char proc_prefix[] = "/proc/";

void state_make_object(struct sinsp *sinsp, struct state_event *event)
{
	const struct event *ev = event->ev;
	const struct state_object *object = &sinsp->plans[ev->desc->id].object;
	const char *name = object->name ? event_param_string(ev, object->name) : NULL;
	bool cloexec = object->cloexec == CLOEXEC_ALWAYS ||
		       (event_param_u64(ev, object->flags) & object->cloexec);

	if (!event->thread || event->fd_num < 0)
		return;
	event->fd = state_open_fd(event, event->fd_num, (enum scap_fd_type)object->type, cloexec);
	if (event->fd && name)
		sinsp_fd_rename(&sinsp->fd_store, event->fd, name, strlen(name));
	if (event->fd)
		sinsp_fds_recharge(event->thread->fds, event->fd_num);
}

/* For calls that create an object without a kind of its own. */
void state_make_unknown(struct sinsp *sinsp, struct state_event *event)
{
	if (event->thread && event->fd_num >= 0)
		event->fd = state_replace_fd(sinsp, event, event->fd_num);
}

void state_pidfd_open(struct sinsp *sinsp, struct state_event *event)
{
	char name[32];
	int len = snprintf(name, sizeof(name), "%s%" PRId64, proc_prefix,
			   event_param_i64(event->ev, pidfd_open__pid));

	state_make_object(sinsp, event);
	if (event->fd)
		sinsp_fd_rename(&sinsp->fd_store, event->fd, name, (size_t)len);
}

/* The process of a pidfd of the event's thread, by the name set above, or NULL. */
static struct sinsp_thread *process_of(struct sinsp *sinsp, struct state_event *event, int64_t num)
{
	const struct sinsp_fd *fd = sinsp_fds_find(event->thread->fds, num);
	size_t prefix_len = sizeof(proc_prefix) - 1;

	if (!fd || fd->type != SCAP_FD_PIDFD || strncmp(fd->name, proc_prefix, prefix_len) != 0)
		return NULL;
	return state_thread_named(sinsp, event->thread, strtoll(fd->name + prefix_len, NULL, 10));
}

void state_pidfd_getfd(struct sinsp *sinsp, struct state_event *event)
{
	const struct event *ev = event->ev;
	struct sinsp_thread *owner;
	struct sinsp_fd *fd = NULL;

	if (!event->thread || event->fd_num < 0)
		return;
	owner = process_of(sinsp, event, event_param_i64(ev, pidfd_getfd__pid_fd));
	if (owner)
		fd = state_fd(sinsp, owner, event_param_i64(ev, pidfd_getfd__target_fd));
	event->fd = fd ? sinsp_fds_share(event->thread->fds, event->fd_num, fd)
		       : state_replace_fd(sinsp, event, event->fd_num);
	sinsp_fds_set_cloexec(event->thread->fds, event->fd_num, true);
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

void state_bpf(struct sinsp *sinsp, struct state_event *event)
{
	uint64_t command = event_param_u64(event->ev, bpf__cmd);

	if (command < sizeof(makes_fd) && makes_fd[command])
		state_make_object(sinsp, event);
	else
		event->has_fd = false;
}
