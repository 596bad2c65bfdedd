/* SPDX-License-Identifier: MIT */
/*
 * How events change the state: the handlers, in one file for each family of events, and what they
 * have in common: their argument, copies of parameters, descriptors and paths of the event.
 */
#ifndef SINSP_STATE_APPLY_H
#define SINSP_STATE_APPLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event/event.h"
#include "scap/proc/fd.h"
#include "sinsp/state/thread.h"

struct state;
struct state_plan;

/* The event that is being applied; a handler may set all but the first. */
struct apply_event {
	const struct event *ev;
	struct state_thread *thread; /* NULL if unknown */
	struct state_fds *fds; /* as in state_event */
	struct state_fd *fd; /* as in state_event */
	bool has_fd;
	int64_t fd_num;
	uint64_t replaced_ino; /* as in state_event */
	/* Not next to has_fd: one load of both would wait for the store of either. */
	bool fd_named;
};

/* Whether the result of the call may be made up: somebody can have answered it for the kernel. */
static inline bool state_is_doubtful(const struct apply_event *event)
{
	return event->ev->marks.contested & 1;
}

/*
 * Whether it is an operation of io_uring of which it is not known how it ended. It may have failed,
 * and its result is absent.
 */
static inline bool state_is_untold(const struct apply_event *event)
{
	return event->ev->uring.ring && state_is_doubtful(event) &&
	       !event_param_present(event->ev, 0);
}

/*
 * The table of a number that the event has: if it stands for a registered file, that of the
 * event's own descriptor; NULL: that is none. The thread is known.
 */
static inline struct state_fds *state_fds_of(const struct apply_event *event, int64_t num)
{
	return is_slot_fd(num) ? event->fds : event->thread->fds;
}

typedef void apply_handler(struct state *state, struct apply_event *event);

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
apply_handler apply_open, apply_unlink, apply_rename, apply_chdir, apply_fchdir, apply_close,
	apply_close_range, apply_dup, apply_dup2, apply_dup3, apply_fcntl, apply_pipe, apply_pipe2,
	apply_make_object, apply_make_unknown, apply_pidfd_open, apply_pidfd_getfd, apply_bpf,
	apply_uring, apply_register, apply_mount, apply_move_mount, apply_pivot_root;
/* apply_net.c */
apply_handler apply_socket, apply_socketpair, apply_bind, apply_listen, apply_connect, apply_accept,
	apply_accept4, apply_shutdown, apply_message, apply_recvmsg, apply_recvmmsg,
	apply_getsockopt, apply_io, apply_request;
/* apply_process.c */
apply_handler apply_clone, apply_exec, apply_exit, apply_setuid, apply_setgid, apply_setreuid,
	apply_setregid, apply_setresuid, apply_setresgid, apply_setsid, apply_setpgid,
	apply_unshare, apply_setns, apply_prctl, apply_capset, apply_setrlimit, apply_prlimit,
	apply_cgroup_attach;
/* apply_memory.c */
apply_handler apply_memory, apply_switch, apply_procinfo;
/* apply_capture.c */
apply_handler apply_user_added, apply_user_deleted, apply_group_added, apply_group_deleted,
	apply_container, apply_asyncevent;

/*
 * Looks up the directory descriptors that the event's paths start from, so that its thread's table
 * has them when the paths are resolved. Unknown ones cost one lookup in /proc each, limited as for
 * all descriptors (state_look_up_fd()).
 */
void state_find_directories(struct state *state, const struct state_plan *plan,
			    const struct apply_event *event);

/* Opens a number of the event's thread as a descriptor of that kind. NULL if it is rejected. */
struct state_fd *state_open_fd(struct apply_event *event, int64_t num, enum scap_fd_type type,
			       bool cloexec);

/* Sets the event's descriptor. */
void state_set_fd(struct apply_event *event, int64_t num, struct state_fd *fd);

/* Gives the event's descriptor another name, if it is another, and notes that. */
void state_rename_fd(struct state *state, struct apply_event *event, const char *name, size_t len);

/*
 * Writes the absolute path of a parameter of an event that is being applied, as state_event_path()
 * does of one that was; `thread` may be NULL. Returns its length, 0 if it is not known.
 */
size_t apply_event_path(const struct event *ev, const struct state_thread *thread,
			unsigned int param, char *out, size_t size);

/*
 * Whether a path starts from a directory, the descriptor `*dirfd` or AT_FDCWD_STORED: it is
 * relative, and the event has neither its real path nor the directory's.
 */
bool state_path_is_relative(const struct event *ev, unsigned int param, int64_t *dirfd);

enum { AT_FDCWD_STORED = -100 }; /* AT_FDCWD in events */

#endif
