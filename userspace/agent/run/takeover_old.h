/* SPDX-License-Identifier: MIT */
/*
 * Another agent takes over from this one: it listens beside its pid file, and ends its capture at
 * the boundary that the other one names. Until that one says go, this one can go on as if nothing
 * had happened, and does so if the connection ends. See takeover/message.h.
 */
#ifndef AGENT_RUN_TAKEOVER_OLD_H
#define AGENT_RUN_TAKEOVER_OLD_H

#include <stdbool.h>
#include <stdint.h>

#include "takeover/channel.h"
#include "util/error.h"

struct run;

enum takeover_old_state {
	TAKEOVER_OLD_CLOSED, /* nobody can take over */
	TAKEOVER_OLD_ALONE, /* nobody is connected */
	TAKEOVER_OLD_TALKS,
	TAKEOVER_OLD_ENDS, /* the boundary is set, but not reached */
	TAKEOVER_OLD_REACHED, /* the other one is to say go */
	TAKEOVER_OLD_GONE, /* it did */
};

/* Part of `struct run`; zeroed: closed. */
struct takeover_old {
	enum takeover_old_state state;
	int listener;
	struct buf path; /* of the socket */
	struct channel channel;
	uint64_t due_ns; /* monotonic: when to look for a connection; when patience ends */
	uint64_t pid; /* of the other agent, once it has said hello */
	struct takeover_message released; /* what it is told at the end */
};

/* Begins to listen if the run can be taken over. What fails is said on stderr. */
void takeover_old_begin(struct run *run);

/* To be called between two events. now_ns: monotonic. Messages go to stderr. */
void takeover_old_step(struct run *run, uint64_t now_ns);

/* Whether another agent has the events from the boundary on, so that the run ends. */
static inline bool takeover_old_is_gone(const struct takeover_old *takeover_old)
{
	return takeover_old->state == TAKEOVER_OLD_GONE;
}

/* Whether another agent is connected. */
static inline bool takeover_old_talks(const struct takeover_old *takeover_old)
{
	return takeover_old->state > TAKEOVER_OLD_ALONE;
}

/*
 * Whether another agent is about to take over: nothing may change meanwhile. A new capture would be
 * attached after that of the other agent, and read the clock after it.
 */
static inline bool takeover_old_is_busy(const struct takeover_old *takeover_old)
{
	return takeover_old->pid && takeover_old->state != TAKEOVER_OLD_GONE;
}

/* The run ends by itself: nobody takes over from it any more. */
void takeover_old_leave(struct run *run);

/* Notes the account, before outputs are closed for good. */
void takeover_old_account(struct run *run);

/* Stops listening: to be called before the pid file is closed. */
void takeover_old_stop(struct run *run);

/* After all else was released: tells the other agent, which now goes on. */
void takeover_old_finish(struct run *run);

#endif
