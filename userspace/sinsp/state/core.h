/* SPDX-License-Identifier: MIT */
/*
 * The engine's memory: the tables of threads and descriptors and all that stands beside them. Here
 * it is only found and kept; nothing looks into /proc. For the files of the engine alone.
 */
#ifndef SINSP_STATE_CORE_H
#define SINSP_STATE_CORE_H

#include "scap/model/snapshot.h"
#include "sinsp/state/engine.h"
#include "sinsp/state/plan.h"
#include "sinsp/tables/fds.h"
#include "sinsp/tables/machine.h"
#include "sinsp/tables/names.h"
#include "sinsp/tables/path.h"
#include "sinsp/tables/threads.h"
#include "util/clock.h"
#include "util/pool.h"

enum {
	SINSP_THREADS_MAX = 1 << 17,
	SINSP_FDS_MAX = 1 << 20,
	EXITED_COUNT = 1024, /* ended threads that are remembered */
	PORTS_COUNT = 1 << 16,
	CPUS_COUNT = 1 << 16,
};

/* What an event leaves to be done before the next one is applied. */
struct state_after {
	struct sinsp_fds *closed_in; /* NULL: nothing was closed */
	int64_t closed;
	struct sinsp_fd *renamed;
	struct sinsp_thread_entry *ended;
	bool moved; /* a mount, as sinsp.move has it */
};

/* A mount that a thread moved: absolute paths, without '/' at their ends. */
struct state_move {
	int64_t tid;
	char from[SINSP_PATH_MAX], to[SINSP_PATH_MAX];
	char old_root[SINSP_PATH_MAX]; /* of a pivot_root: where the old root is now; "": it is none
					*/
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
	struct state_move move;
	struct sinsp_stats stats;
	uint64_t lookups_since_ns; /* when the descriptors below began to be counted */
	uint32_t lookups; /* descriptors asked of /proc since then */
	int64_t clock_step_ns; /* of the last event: see struct scap_event */
	uint64_t first_ts_ns; /* time of the first event that is not hidden; 0: none yet */
	uint64_t now_ns; /* time of the last event */
	uint64_t seed_ns; /* when the tables were filled; 0: they were not */
	struct sinsp_follow follow;
	uint64_t follow_since_ns; /* since the epoch: when the engine was made */
	int64_t exited[EXITED_COUNT]; /* ids that ended lately, by their remainder; 0: none */
	uint8_t listening[PORTS_COUNT / 8]; /* ports of sockets that /proc showed unconnected */
	struct names *names; /* owned; readers of a const engine may fill them from their files */
	struct machine machine;
	struct state_listener listener;
	uint64_t boot; /* see sinsp_boot() */
	struct state_switch switches[CPUS_COUNT];
	uint64_t run_ns; /* see sinsp_run_ns() */
	struct state_plan plans[EVENT_ID_MAX];
};

/* The time now as live events have it, which steps of the wall clock do not change. */
static inline uint64_t state_now_ns(const struct sinsp *sinsp)
{
	return clock_ns(CLOCK_BOOTTIME) + sinsp->machine.boot_ns;
}

/* The thread of an id, or NULL. */
struct sinsp_thread *state_thread_find(const struct sinsp *sinsp, int64_t tid);

/*
 * The thread that a caller names by an id of its pid namespace: known to be anybody's only where
 * that is the host's. NULL if it is not known.
 */
struct sinsp_thread *state_thread_named(const struct sinsp *sinsp, struct sinsp_thread *caller,
					int64_t pid);

/*
 * A thread in the table with all its parts, nothing of it known but its ids: it shares nothing.
 * NULL if out of memory.
 */
struct sinsp_thread *state_thread_add(struct sinsp *sinsp, int64_t tid, int64_t pid);

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

/* Whether a thread is known to be in the initial pid namespace: its ids are the same inside. */
static inline bool state_is_outside(const struct sinsp_thread *thread)
{
	return thread->vpid > 0 && thread->vpid == thread->pid;
}

#endif
