/* SPDX-License-Identifier: MIT */
/*
 * What the files of the state engine share: the engine itself, how threads and descriptors are
 * found, and the handlers that apply events. Nothing outside the engine includes this.
 */
#ifndef SINSP_STATE_INTERNAL_H
#define SINSP_STATE_INTERNAL_H

#include "sinsp/state/engine.h"
#include "sinsp/state/fds.h"
#include "sinsp/state/hosts.h"
#include "sinsp/state/machine.h"
#include "sinsp/state/threads.h"
#include "sinsp/state/users.h"
#include "util/pool.h"

enum {
	SINSP_THREADS_MAX = 1 << 17,
	SINSP_FDS_MAX = 1 << 20,
	EXITED_COUNT = 1024, /* ended threads that are remembered */
	PORTS_COUNT = 1 << 16,
	CPUS_COUNT = 1 << 16,
	ETC_PATH_BYTES = 512,
	AT_FDCWD_STORED = -100,
	/* Descriptors asked of /proc in a time: a look there may take longer than the call. */
	FD_LOOKUPS_MAX = 500,
	FD_LOOKUPS_SPAN_NS = 100000000,
};

typedef void state_handler(struct sinsp *sinsp, struct sinsp_event *event);

/* What a call makes that returns the descriptor of an object without a path. */
struct state_object {
	uint8_t type; /* enum scap_fd_type */
	uint8_t name; /* the parameter that is its name, or 0 */
	uint8_t flags; /* the parameter whose bit below says that exec closes it */
	uint32_t cloexec; /* CLOEXEC_ALWAYS: without being asked */
};

#define CLOEXEC_ALWAYS UINT32_MAX

/* How an event is applied; a row for each event that changes something. */
struct state_rule {
	state_handler *handle;
	uint8_t keeps; /* enum sinsp_part: what becomes wrong without it */
	bool finds_thread; /* the handler finds or makes the thread itself */
	struct state_object object; /* for state_make_object() */
};

/* The rule of an event id; one without a handler if there is nothing to apply. */
const struct state_rule *state_rule_of(unsigned int id);

/* What is done for an event, worked out once from its descriptor and its rule. */
struct state_plan {
	state_handler *handle; /* NULL: nothing to apply */
	int8_t fd_param; /* the parameter that is the event's descriptor, or -1 */
	bool uses_fd; /* it was open before the event */
	bool closes_fd; /* and is not any more */
	bool finds_thread;
	bool is_call; /* an event of a system call */
};

/* What an event leaves to be done before the next one is applied. */
struct state_after {
	struct sinsp_fds *closed_in; /* NULL: nothing was closed */
	int64_t closed;
	struct sinsp_fd *renamed;
	struct sinsp_thread_entry *ended;
};

/* The last switch of a CPU. */
struct state_switch {
	uint64_t ts_ns; /* 0: none was seen */
	int64_t next; /* the thread that came */
};

/* See sinsp_snapshot(). */
struct state_listener {
	struct scap_snapshot snapshot; /* first: the listener is its snapshot */
	struct sinsp *sinsp; /* NULL: nobody asked for the listener */
	int64_t told_of; /* the thread whose descriptors are told */
};

struct sinsp {
	struct scap_proc *proc; /* borrowed; may be NULL */
	struct pool pool;
	struct sinsp_fd_store fd_store;
	struct sinsp_threads threads;
	struct sinsp_program *no_program; /* of threads whose program is not known */
	struct state_after after;
	struct sinsp_stats stats;
	uint64_t lookups_since_ns; /* when the descriptors below began to be counted */
	uint32_t lookups; /* descriptors asked of /proc since then */
	uint64_t first_ts_ns, now_ns; /* times of the first and the last event */
	uint64_t seed_ns; /* when the tables were filled; 0: they were not */
	int64_t exited[EXITED_COUNT]; /* ids that ended lately, by their remainder; 0: none */
	uint8_t listening[PORTS_COUNT / 8]; /* ports of sockets that /proc showed unconnected */
	struct users users, groups;
	struct hosts hosts;
	char passwd_path[ETC_PATH_BYTES], group_path[ETC_PATH_BYTES], hosts_path[ETC_PATH_BYTES];
	struct machine machine;
	struct state_listener listener;
	uint64_t boot; /* see sinsp_boot() */
	struct state_switch switches[CPUS_COUNT];
	uint64_t run_ns; /* see sinsp_run_ns() */
	struct state_plan plans[EVENT_ID_MAX];
};

/* Does what the last event left: it was still to be seen with that event. */
void state_finish_last(struct sinsp *sinsp);

/* A number for a text that names a boot of a machine. */
uint64_t state_boot_of(const char *text);

/* lookup.c: from the tables, or once from /proc. NULL when it is not known there either. */
struct sinsp_thread *state_thread(struct sinsp *sinsp, int64_t tid);
struct sinsp_fd *state_fd(struct sinsp *sinsp, struct sinsp_thread *thread, int64_t num);

/*
 * A thread in the table with all its parts, nothing of it known but its ids: it shares nothing.
 * NULL without memory.
 */
struct sinsp_thread *state_thread_add(struct sinsp *sinsp, int64_t tid, int64_t pid);

/* state/load.c: what /proc or a capture says, put into the tables. NULL without memory. */
struct sinsp_thread *state_import_thread(struct sinsp *sinsp, const struct scap_thread *from);
struct sinsp_fd *state_import_fd(struct sinsp *sinsp, struct sinsp_fds *fds,
				 const struct scap_fd *from);
void state_import_fds(struct sinsp *sinsp, struct sinsp_thread *thread);

/* When all is there: a listening socket may have come after the connections made to it. */
void state_correct_roles(struct sinsp *sinsp);

/*
 * Gives a thread a copy of the directory or the descriptors that it shares with others. Without
 * memory they stay shared.
 */
void state_unshare_fs(struct sinsp *sinsp, struct sinsp_thread *thread);
void state_unshare_fds(struct sinsp_thread *thread);

/* Puts a name of up to 15 bytes in place of the thread's; NULL: it stays. */
void state_set_comm(struct sinsp_thread *thread, const char *comm);

/*
 * Gives a thread the program of its creator, and its directory and descriptors: shared where the
 * clone flags say so, otherwise copied. What memory does not suffice for stays as it is.
 */
void state_share(struct sinsp *sinsp, struct sinsp_thread *thread,
		 const struct sinsp_thread *creator, uint32_t flags);

/*
 * Threads that ended lately, so that a creator's event that comes after the end of what it created
 * does not bring it back.
 */
static inline void state_remember_exit(struct sinsp *sinsp, int64_t tid)
{
	sinsp->exited[(uint64_t)tid % EXITED_COUNT] = tid;
}

static inline bool state_has_exited(const struct sinsp *sinsp, int64_t tid)
{
	return sinsp->exited[(uint64_t)tid % EXITED_COUNT] == tid;
}

static inline void state_forget_exit(struct sinsp *sinsp, int64_t tid)
{
	if (state_has_exited(sinsp, tid))
		sinsp->exited[(uint64_t)tid % EXITED_COUNT] = 0;
}

/* Opens a number of the event's thread as something of that kind. NULL when it is refused. */
struct sinsp_fd *state_open_fd(struct sinsp_event *event, int64_t num, enum scap_fd_type type,
			       bool cloexec);

/* A number of the event's thread is something that the event does not tell: /proc is asked. */
struct sinsp_fd *state_replace_fd(struct sinsp *sinsp, struct sinsp_event *event, int64_t num);

/*
 * The thread that a caller names by an id of its pid namespace: known to be anybody's only where
 * that is the host's. NULL when it is not known.
 */
struct sinsp_thread *state_named_by(struct sinsp *sinsp, struct sinsp_thread *caller, int64_t pid);

/* Whether a thread is known to be in the initial pid namespace: its ids are the same inside. */
static inline bool state_is_outside(const struct sinsp_thread *thread)
{
	return thread->vpid > 0 && thread->vpid == thread->pid;
}

/* The thread comes into another user namespace, where it may do everything. */
void state_enter_userns(struct sinsp_thread *thread);

/* Sets the event's descriptor. */
void state_set_fd(struct sinsp_event *event, int64_t num, struct sinsp_fd *fd);

/* Takes a parameter over, unless it is absent. */
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

/* Gives an entry another name, if it is another, and notes that the event changed it. */
void state_rename_fd(struct sinsp *sinsp, struct sinsp_fd *fd, const char *name, size_t len);

/* state/apply_file.c */
state_handler state_open, state_openat, state_openat2, state_creat, state_open_by_handle_at,
	state_chdir, state_fchdir;
/* state/apply_fd.c */
state_handler state_close, state_close_range, state_dup, state_dup2, state_dup3, state_fcntl,
	state_pipe, state_pipe2;
/* state/apply_object.c */
state_handler state_make_object, state_make_unknown, state_pidfd_open, state_pidfd_getfd, state_bpf;
/* state/apply_net.c */
state_handler state_socket, state_socketpair, state_bind, state_listen, state_connect, state_accept,
	state_accept4, state_shutdown, state_sendto, state_sendmsg, state_recvfrom, state_recvmsg,
	state_send, state_recv, state_sendmmsg, state_recvmmsg, state_getsockopt, state_io;
/* state/apply_process.c */
state_handler state_clone, state_exec, state_exit;
/* state/apply_attributes.c */
state_handler state_setuid, state_setgid, state_setreuid, state_setregid, state_setresuid,
	state_setresgid, state_setsid, state_setpgid, state_unshare, state_setns, state_prctl,
	state_capset, state_setrlimit, state_prlimit;
/* state/apply_memory.c */
state_handler state_memory, state_switch, state_procinfo;
/* state/apply_user.c */
state_handler state_user_added, state_user_deleted, state_group_added, state_group_deleted;

#endif
