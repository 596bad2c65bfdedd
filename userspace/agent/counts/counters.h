/* SPDX-License-Identifier: MIT */
/*
 * Perf events of all containers, counted while the agent runs: a thread opens them for containers
 * that come, and reads them when somebody asks.
 */
#ifndef AGENT_COUNTS_COUNTERS_H
#define AGENT_COUNTS_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agent/counts/counted.h"
#include "util/error.h"

struct counters_config {
	const char *const *events; /* texts of events, as perf(1) takes them */
	size_t events_count;
	const char *host_root; /* the root of the host is mounted there; NULL: here. Borrowed */
	uint64_t series; /* of containers and events, at most */
};

struct counters;

/* A container that ended is forgotten after so long. */
#define COUNTERS_AGE_NS UINT64_C(600000000000)

/*
 * Before the thread has dropped its privileges. Returns 0, or -errno with a message: a text is no
 * event, events of control groups cannot be opened, or there are none.
 */
int counters_start(const struct counters_config *config, struct counters **counters,
		   struct error *err);

/* Ends the thread. Accepts NULL. */
void counters_stop(struct counters *counters);

/*
 * Has all counters read, and waits for that, for a second at most. From any thread but the one that
 * takes events, which must not wait.
 */
void counters_ask(struct counters *counters);

const struct perf_event_list *counters_events(const struct counters *counters);

struct counters_stats {
	uint64_t containers; /* that are counted now */
	uint64_t left_out[COUNTED_CAUSES]; /* see struct counted */
	uint64_t unwatched; /* see container_groups_unwatched() */
	uint64_t changes; /* grows with each container that comes, ends or is forgotten */
	bool is_late; /* the last time that somebody asked there was no answer */
};

/*
 * Shows all containers, with what was read last: calls `visit` for each container, in the order in
 * which they came. sums: one for each event.
 */
void counters_show(struct counters *counters, struct counters_stats *stats,
		   void (*visit)(void *context, size_t i, const struct counted_who *who,
				 const struct counted_sum *sums),
		   void *context);

/* As in struct counters_stats; cheap enough to be called often. */
uint64_t counters_changes(struct counters *counters);

/* The most containers that there can be. */
size_t counters_max(const struct counters *counters);

#endif
