/* SPDX-License-Identifier: MIT */
/*
 * How events change the state: the handlers, in one file for each family of events, and what they
 * have in common.
 */
#ifndef SINSP_STATE_APPLY_H
#define SINSP_STATE_APPLY_H

#include <stdbool.h>
#include <stdint.h>

#include "event/event.h"
#include "sinsp/state/thread.h"

/* What handlers of events have in common: their argument, and copies of parameters. */

struct sinsp;

/* The event that is being applied; a handler may set all but the first. */
struct state_event {
	const struct event *ev;
	struct sinsp_thread *thread; /* NULL if unknown */
	struct sinsp_fd *fd; /* as in sinsp_event */
	bool has_fd;
	int64_t fd_num;
	/* Not next to has_fd: one load of both would wait for the store of either. */
	bool fd_named;
};

/* Whether the result of the call may be made up: somebody can have answered it for the kernel. */
static inline bool state_is_doubtful(const struct state_event *event)
{
	return event->ev->marks.contested & 1;
}

typedef void state_handler(struct sinsp *sinsp, struct state_event *event);

/* The object that a call creates and returns as a descriptor, an object without a path. */
struct state_object {
	uint8_t type; /* enum scap_fd_type */
	uint8_t name; /* the parameter that is its name, plus 1; 0: it has none */
	uint8_t flags; /* likewise that with the close-on-exec bit below */
	uint32_t cloexec; /* CLOEXEC_ALWAYS: without a flag */
};

#define CLOEXEC_ALWAYS UINT32_MAX

/* Copies a parameter, unless it is absent. */
static inline void state_set_i64(int64_t *value, const struct event *ev, unsigned int param)
{
	if (event_param_present(ev, param))
		*value = event_param_i64(ev, param);
}

static inline void state_set_u64(uint64_t *value, const struct event *ev, unsigned int param)
{
	if (event_param_present(ev, param))
		*value = event_param_u64(ev, param);
}

static inline void state_set_u32(uint32_t *value, const struct event *ev, unsigned int param)
{
	if (event_param_present(ev, param))
		*value = (uint32_t)event_param_u64(ev, param);
}

/*
 * How events change the state: the handlers, one file for each family of events. Only the engine
 * calls them, through the table in rules.c.
 */

/* apply_file.c */
state_handler state_open, state_chdir, state_fchdir, state_close, state_close_range, state_dup,
	state_dup2, state_dup3, state_fcntl, state_pipe, state_pipe2, state_make_object,
	state_make_unknown, state_pidfd_open, state_pidfd_getfd, state_bpf, state_mount,
	state_move_mount, state_pivot_root;
/* apply_net.c */
state_handler state_socket, state_socketpair, state_bind, state_listen, state_connect, state_accept,
	state_accept4, state_shutdown, state_message, state_recvmsg, state_recvmmsg,
	state_getsockopt, state_io;
/* apply_process.c */
state_handler state_clone, state_exec, state_exit, state_setuid, state_setgid, state_setreuid,
	state_setregid, state_setresuid, state_setresgid, state_setsid, state_setpgid,
	state_unshare, state_setns, state_prctl, state_capset, state_setrlimit, state_prlimit,
	state_cgroup_attach;
/* apply_memory.c */
state_handler state_memory, state_switch, state_procinfo;
/* apply_capture.c */
state_handler state_user_added, state_user_deleted, state_group_added, state_group_deleted,
	state_container, state_asyncevent;

#endif
