/* SPDX-License-Identifier: MIT */
/*
 * The control groups of containers, in the hierarchy that perf events can follow: those that are
 * there, and, as soon as they are made, those that come. What is below the group of a container is
 * its own business.
 */
#ifndef AGENT_COUNTS_CONTAINER_GROUPS_H
#define AGENT_COUNTS_CONTAINER_GROUPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sinsp/sinsp.h"
#include "util/error.h"

/* Valid while the listener is called. */
struct container_group {
	const char *path; /* below the root of the hierarchy */
	uint64_t ino; /* of its folder: a group that is made again has another one */
	uint32_t owner; /* who can make such groups: see struct state_container */
	const struct state_cgroup_match *match; /* the container by the path */
	bool is_again; /* it was offered before */
};

struct container_groups_listener {
	void *context;
	/*
	 * A group has come, or is the first time not empty. `folder` is an open folder of the
	 * caller's. Returns whether it is taken; if not, it is offered again every few seconds.
	 */
	bool (*came)(void *context, int folder, const struct container_group *group);
	/* A group that was taken was removed. */
	void (*went)(void *context, uint64_t ino);
};

struct container_groups;

/*
 * host_root: the root of the host is mounted there; NULL: here. Returns 0, or -errno with a
 * message; nobody is told anything before the first step.
 */
int container_groups_open(const char *host_root, const struct container_groups_listener *listener,
			  struct container_groups **groups, struct error *err);
void container_groups_close(struct container_groups *groups); /* accepts NULL */

/* The root of the hierarchy. */
const char *container_groups_root(const struct container_groups *groups);

/* Readable when there is something to do; owned by `groups`. */
int container_groups_fd(const struct container_groups *groups);

/*
 * Tells what has happened. To be called when it is readable, and once a second. now_ns: monotonic.
 */
void container_groups_step(struct container_groups *groups, uint64_t now_ns);

/* Folders that have no watch, since there are too many: groups there are found later. */
uint64_t container_groups_unwatched(const struct container_groups *groups);

#endif
