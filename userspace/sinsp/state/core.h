/* SPDX-License-Identifier: MIT */
/*
 * The engine's data: the tables of threads and descriptors, which threads are followed, limits,
 * moved mounts, changes after an event. Functions here only look up and store; none reads /proc.
 * Only for the files of the engine.
 */
#ifndef SINSP_STATE_CORE_H
#define SINSP_STATE_CORE_H

#include "scap/proc/snapshot.h"
#include "sinsp/state/config.h"
#include "sinsp/state/created.h"
#include "sinsp/state/containers/containers.h"
#include "sinsp/state/fds.h"
#include "sinsp/state/machine.h"
#include "sinsp/state/names.h"
#include "sinsp/state/path.h"
#include "sinsp/state/resolved.h"
#include "sinsp/state/rings.h"
#include "sinsp/state/rules.h"
#include "sinsp/state/containers/services.h"
#include "sinsp/state/threads.h"
#include "sinsp/state/containers/workloads.h"
#include "util/clock.h"
#include "util/pool.h"

enum {
	STATE_THREADS_MAX = 1 << 17,
	STATE_FDS_MAX = 1 << 20,
	EXITED_COUNT = 8192, /* ended threads that are remembered */
	PORTS_COUNT = 1 << 16,
	CPUS_COUNT = 1 << 16,
	STATE_GONE_MAX = 1 << 14, /* sockets that go with one event and are told */
};

/* Changes to make after an event, before the next one is applied. */
struct state_after {
	bool pending; /* something of the below is set */
	struct state_fds *closed_in; /* a reference; NULL: nothing was closed */
	int64_t closed;
	/* What had the number of a descriptor that was made; NULL: nothing that is known. */
	struct state_fd *replaced;
	struct state_fds *replaced_in;
	int64_t replaced_num;
	struct state_fds *emptied; /* a reference; NULL: no table is not kept */
	uint32_t gone; /* how many of state->gone are held */
	const struct state_fds *gone_from; /* their table */
	struct state_thread_entry *ended;
	bool moved; /* a mount, as sinsp.move has it */
};

/* A mount that a thread moved: absolute paths, without '/' at the end. */
struct state_move {
	int64_t tid;
	char from[STATE_PATH_MAX], to[STATE_PATH_MAX];
	char old_root[STATE_PATH_MAX]; /* of a pivot_root: the new path of the old root; "": none */
};

/* The last switch of a CPU. */
struct state_switch {
	uint64_t ts_ns; /* 0: none seen */
	int64_t next; /* the thread switched to */
};

/* What fills the tables from a snapshot, in place of /proc. */
struct state_listener {
	struct scap_snapshot snapshot; /* first: the listener is its snapshot */
	struct state *state; /* NULL: the listener is not in use */
	int64_t tid; /* the thread whose descriptors are reported */
};

/* A thread that has ended. */
struct state_exit {
	int64_t tid; /* 0: none */
	uint64_t ts_ns;
};

/*
 * The descriptors of a process of an inner pid namespace when it forked, for its child: only the
 * child's own event tells its id, and until that comes the process may close some.
 */
struct state_fork {
	int64_t creator; /* the process */
	int64_t child; /* as the creator names it */
	uint64_t ts_ns;
	struct state_fds *fds; /* a reference; NULL: none */
};

enum {
	FORKS_COUNT = 64, /* at a time; a power of two */
	FORK_FDS_MAX = 1024, /* of processes with more of them none are kept */
};

/* That long after the fork a child has begun, if its event is not lost. */
#define FORK_KEPT_NS UINT64_C(1000000000)

/* What was spent of what may be spent in a span of time. */
struct state_budget {
	uint64_t since_ns; /* the start of the span */
	uint32_t spent;
};

struct state {
	struct scap_proc *proc; /* borrowed; may be NULL */
	unsigned int lacks; /* enum state_part: parts that are not kept */
	uint64_t environments_ns; /* up to then exec events may lack one: state_set_lacks() */
	bool has_gaps; /* a process has or had one: see gaps.h */
	struct pool pool;
	uint64_t memory_max; /* of the pool; UINT64_MAX: no limit */
	uint64_t fds_spared; /* descriptors, without the spare part of their limit */
	struct state_fd_store fd_store;
	struct state_threads threads;
	struct state_rings rings;
	struct state_ended ended;
	struct state_containers containers;
	struct state_program *no_program; /* of threads whose program is not known */
	struct state_notes notes; /* programs of threads that are not known yet */
	bool missed; /* see state_take_missed() */
	struct state_gone
		*gone; /* owned, STATE_GONE_MAX; NULL: nobody asks; see state_tell_gone() */
	struct state_after after;
	struct state_move move;
	struct state_stats stats;
	/* Of lookups in /proc. */
	struct state_budget thread_budget, fd_budget, directory_budget;
	bool is_late; /* see state_check_lateness() */
	int64_t clock_step_ns; /* of the last event: see struct scap_event */
	uint64_t first_ts_ns; /* time of the first event that is not hidden; 0: none yet */
	uint64_t now_ns; /* time of the last event */
	uint64_t seed_ns; /* when the tables were filled; 0: not filled */
	struct state_follow follow;
	uint64_t follow_since_ns; /* since the epoch: when the engine was created */
	struct state_exit exited[EXITED_COUNT]; /* by the remainder of the id */
	struct state_fork forks[FORKS_COUNT]; /* a ring: oldest_fork to next_fork */
	uint32_t oldest_fork, next_fork;
	uint8_t listening[PORTS_COUNT / 8]; /* ports of unconnected sockets in /proc */
	struct names *names; /* owned; readers of a const engine may fill them from their files */
	struct resolved resolved;
	struct created created;
	uint64_t file_age_ns; /* see state_file_age_ns() */
	struct state_services services;
	struct workloads workloads;
	struct machine machine;
	bool with_env; /* descriptions of containers in a capture have their environment */
	struct state_listener listener;
	uint64_t boot; /* see state_boot() */
	struct state_switch switches[CPUS_COUNT];
	uint32_t switched_cpus; /* of the others no switch was seen: most of the table is never
				   touched */
	uint64_t run_ns, off_ns; /* see state_run_ns(), state_off_ns() */
	const struct state_plan *plans; /* by event id */
};

/* The current time on the clock of live events, which steps of the wall clock do not change. */
static inline uint64_t state_now_ns(const struct state *state)
{
	return clock_ns(CLOCK_BOOTTIME) + state->machine.boot_ns;
}

/* The thread of an id, to be changed, or NULL. Who only reads has state_thread_find(). */
struct state_thread *state_thread_get(const struct state *state, int64_t tid);

/*
 * The thread that a caller names by an id of its pid namespace. NULL if it is unknown, or if that
 * namespace is not known to be the initial one.
 */
struct state_thread *state_thread_named(const struct state *state, struct state_thread *caller,
					int64_t pid);

/* Gives a thread parts of its own, with nothing in them. Returns false if out of memory. */
bool state_thread_begin(struct state *state, struct state_thread *thread);

/*
 * Copies a thread with references to what it shares, which stays as it is for as long as somebody
 * has it; without descriptors.
 */
void state_thread_share(const struct state_thread *thread, struct state_thread *copy);

/*
 * Adds a thread with only its ids known and with parts of its own, not shared. NULL if out of
 * memory.
 */
struct state_thread *state_thread_add(struct state *state, int64_t tid, int64_t pid);

/*
 * Recently ended threads: a creator's event that comes after the end of the created thread must not
 * add it again. How long its creator may have waited for a CPU; then the id may be another's.
 */
#define EXIT_REMEMBERED_NS UINT64_C(5000000000)

static inline struct state_exit *state_exit_of(struct state *state, int64_t tid)
{
	return &state->exited[(uint64_t)tid % EXITED_COUNT];
}

static inline bool state_has_exited(struct state *state, int64_t tid)
{
	const struct state_exit *exit = state_exit_of(state, tid);

	return exit->tid == tid && state->now_ns - exit->ts_ns <= EXIT_REMEMBERED_NS;
}

static inline void state_remember_exit(struct state *state, int64_t tid)
{
	struct state_exit *exit = state_exit_of(state, tid);

	if (exit->tid && exit->tid != tid && state_has_exited(state, exit->tid))
		state->stats.exits_dropped++;
	*exit = (struct state_exit){tid, state->now_ns};
}

static inline void state_forget_exit(struct state *state, int64_t tid)
{
	struct state_exit *exit = state_exit_of(state, tid);

	if (exit->tid == tid)
		exit->tid = 0;
}

/* Whether a thread is known to be in the initial pid namespace: its ids are the same inside. */
static inline bool state_is_outside(const struct state_thread *thread)
{
	return thread->vpid > 0 && thread->vpid == thread->pid;
}

/* Forgets the oldest forks: those that are too old, or all of them. */
void state_forget_forks(struct state *state, bool all);

/* Cheap enough for each event. */
static inline bool state_has_old_forks(const struct state *state)
{
	return state->oldest_fork != state->next_fork &&
	       state->now_ns > state->forks[state->oldest_fork % FORKS_COUNT].ts_ns + FORK_KEPT_NS;
}

/*
 * Which threads are followed: a flag of each, set when the thread is added to the tables. Only for
 * the files of the engine; see state_follow for the options.
 */

/* A thread loaded from /proc or a capture, its parent set. was_followed: before it was reloaded. */
void state_follow_loaded(struct state *state, struct state_thread *thread, bool was_followed);

/* A thread added by an event. creator: NULL if unknown. */
void state_follow_created(struct state *state, struct state_thread *thread,
			  const struct state_thread *creator);

/* A thread that has called exec. */
void state_follow_exec(struct state *state, struct state_thread *thread);

/*
 * The users of the thread's container can be read through its root, once for each container. Until
 * they are, they are unknown. To be called for threads that were loaded, and after an exec: a
 * runtime's process is in the groups of a container before it has its root.
 */
void state_learn_users(struct state *state, const struct state_thread *thread);

/*
 * Keeps the tables within their limits of memory and descriptors: whoever holds most loses what is
 * oldest of it. What is removed is looked up in /proc again when an event needs it.
 */

/* A part of the limit stays free for what one event adds, such as a copy of a large table. */
enum { STATE_FDS_SPARE_PART = 16 };

/* Bytes of threads, with their control groups, and of descriptors. */
static inline uint64_t state_held_bytes(const struct state *state)
{
	return state->pool.held + state->containers.cgroups_bytes;
}

/* Cheap enough for each event. */
static inline bool state_is_crowded(const struct state *state)
{
	return state_held_bytes(state) > state->memory_max ||
	       state->fd_store.count > state->fds_spared;
}

/* Removes some threads or descriptors if the tables are crowded. Only between two events. */
void state_make_room(struct state *state);

/* Paths that change because a mount moves. For the files of the engine. */

/*
 * Updates the paths of the directory and the open files of a thread after a move. Those of other
 * processes are not updated, nor are paths that lead through a link.
 */
void state_apply_move(struct state *state, const struct state_move *move);

/* Changes that are deferred until after an event, which must still see the old state. */

/* Notes which sockets nobody will have any more, before these numbers of a table go. */
void state_note_gone(struct state *state, struct state_fds *fds,
		     const struct state_fds_going *going);

/*
 * At the end of the event: closes that number of the table, or all of it. The table is kept until
 * then.
 */
void state_close_after(struct state *state, struct state_fds *fds, int64_t num);
void state_empty_after(struct state *state, struct state_fds *fds);

/* For state_finish_last(). */
void state_finish(struct state *state);

/*
 * Makes the deferred changes of the last event, before the next one is applied or the whole tables
 * are read.
 */
static inline void state_finish_last(struct state *state)
{
	if (state->after.pending)
		state_finish(state);
}

#endif
