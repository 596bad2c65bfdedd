/* SPDX-License-Identifier: MIT */
/* What `agent stat --per-container` and `--per-pod` count: each container, with its names. */
#ifndef AGENT_COMMANDS_STAT_CONTAINERS_H
#define AGENT_COMMANDS_STAT_CONTAINERS_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/tools/stat_print.h"
#include "agent/counts/counted.h"
#include "agent/options/options.h"

struct stat_containers;

struct stat_containers_config {
	const struct options *options; /* of the agent: who is asked for names. Borrowed, as are */
	const struct perf_event_list *events;
	const struct perf_machine *machine;
	const char *cpus; /* a list; NULL: those that are online */
	bool per_pod; /* those of a pod are one, and others are not shown */
};

/* Counts from here on. Returns 0, or -errno with a message. */
int stat_containers_open(const struct stat_containers_config *config,
			 struct stat_containers **containers, struct error *err);
void stat_containers_close(struct stat_containers *containers); /* accepts NULL */

/* Readable when there is something for stat_containers_step(). */
int stat_containers_fd(const struct stat_containers *containers);

/* Takes containers that come and go; also to be called from time to time. */
void stat_containers_step(struct stat_containers *containers);

/*
 * Calls `visit` for each container, or pod, with what was counted since it was last called. sums:
 * one for each event. Those that have ended are not visited again. Returns what it returned, or 0.
 */
int stat_containers_each(struct stat_containers *containers,
			 int (*visit)(void *context, const struct stat_owner *owner,
				      const struct counted_sum *sums),
			 void *context);

/* Appends what could not be counted, in whole lines. */
void stat_containers_append_lacks(const struct stat_containers *containers, struct buf *out);

#endif
