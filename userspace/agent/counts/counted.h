/* SPDX-License-Identifier: MIT */
/*
 * Perf events counted for each container: opened for its control group on all CPUs when it comes,
 * and kept when it has ended, until there is no room.
 */
#ifndef AGENT_COUNTS_COUNTED_H
#define AGENT_COUNTS_COUNTED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agent/counts/container_groups.h"
#include "perf/count/count.h"

/* Which container it is. Zeros follow the texts, so that bytes can be compared. */
struct counted_who {
	char id[STATE_CONTAINER_ID_BYTES]; /* whole */
	char pod_uid[STATE_POD_UID_BYTES]; /* by the path of its group; "": none */
	uint32_t owner;
	bool is_named; /* the id is a name that a user gave */
	uint64_t ino; /* of its group */
};

/* Of one event, since the container came. */
struct counted_sum {
	double value; /* estimated, as the kernel counts it: see struct perf_count */
	uint64_t enabled_ns, running_ns;
	bool supported;
};

struct counted_container {
	struct counted_who who;
	uint64_t ended_ns; /* 0: it is there */
	struct counted_sum *sums; /* owned; one for each event of the list */
	struct perf_counters counters; /* none: it has ended, or they could not be opened again */
	int folder; /* of its group; -1: it has ended */
};

/* Why a container is not counted. */
enum counted_cause {
	COUNTED_NO_ROOM, /* there are as many as may be, */
	COUNTED_FAILED, /* or the kernel opens no events for it */
	COUNTED_CAUSES,
};

struct counted {
	const struct perf_event_list *events; /* borrowed */
	const struct perf_machine *machine; /* borrowed */
	const char *cpus; /* a list; NULL: those that are online. Borrowed */
	char *online; /* owned: the list of these, when counters were opened */
	int warm; /* an event that is open all the time; -1: none */
	struct counted_container *list; /* owned, in the order in which they came */
	size_t count, max;
	size_t share; /* of `max`: at most so many of an owner other than root */
	uint64_t again_ns; /* monotonic: when what could not be opened is tried again */
	/* Containers that were not taken when they came, or later not counted any more. */
	uint64_t left_out[COUNTED_CAUSES];
	uint64_t dropped; /* that had ended, to make room */
	uint64_t changes; /* of the list */
	struct error failure; /* of the first that failed */
};

/*
 * At most so many containers, at least one: fewer if the limit of open files has no room for their
 * events beside what else the agent opens. Returns 0 or -ENOMEM.
 */
int counted_init(struct counted *counted, const struct perf_event_list *events,
		 const struct perf_machine *machine, const char *cpus, size_t max);
void counted_finish(struct counted *counted);

/*
 * Has the kernel do now what it does for the first event of a control group, which takes longer
 * than a container needs to start. root: that of the hierarchy.
 */
void counted_prepare(struct counted *counted, const char *root);

/*
 * Begins to count a container; one that has another group now goes on. The one that ended first
 * makes room; for root's, others do, as users can make any number of groups that look like those of
 * containers. Returns false if it cannot be counted, which is counted itself.
 */
bool counted_add(struct counted *counted, int folder, const struct container_group *group);

/* Its group was removed: what it has counted is read for the last time. now_ns: monotonic. */
void counted_end(struct counted *counted, uint64_t ino, uint64_t now_ns);

/* Adds what was counted since the last time to the sums. */
void counted_read(struct counted *counted);

/* Forgets those that ended before that time. */
void counted_forget(struct counted *counted, uint64_t before_ns);

/*
 * If other CPUs are online than before, counts on these from now on. Returns whether it does. Where
 * this fails it is tried again, each second. now_ns: monotonic.
 */
bool counted_follow_cpus(struct counted *counted, uint64_t now_ns);

/* Whether it counts now. */
bool counted_counts(const struct counted_container *container);

#endif
