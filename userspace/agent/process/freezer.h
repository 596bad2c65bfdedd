/* SPDX-License-Identifier: MIT */
/*
 * Lets a command wait: it and its children are in a control group of their own, below the one that
 * they would have been in, which is frozen and thawed. A helper process thaws it and removes the
 * group when the agent ends, however that ends. Where there is no such group, the helper continues
 * what the programs in the kernel have stopped.
 */
#ifndef AGENT_PROCESS_FREEZER_H
#define AGENT_PROCESS_FREEZER_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct freezer {
	int state; /* the file that freezes the group; -1: there is none */
	bool is_v2;
	bool frozen;
	char folder[PATH_MAX]; /* of the group; "": there is none */
	pid_t helper; /* 0: none */
	int alive; /* closing it ends the helper; -1: there is none */
};

/* Where groups of version 2, or of the freezer of version 1, are mounted; for tests. */
struct freezer_place {
	const char *mounts; /* as /proc/self/mountinfo */
	const char *groups; /* as /proc/PID/cgroup */
};

/*
 * Finds the folder of a process's group, where it can be frozen. Returns 0, or -ENOENT: there is
 * none that this process sees.
 */
int freezer_find(const struct freezer_place *place, bool is_v2, char folder[PATH_MAX]);

/*
 * Starts the helper, and moves the first of the processes to a group of its own if `own_group`.
 * Without a helper nothing is frozen; a group that cannot be made, for whatever reason, is none.
 * The pids are those of processes that shall never stay stopped. Returns 0, or -errno: there is no
 * helper. End it with freezer_end() in both cases.
 */
int freezer_begin(struct freezer *freezer, const pid_t *pids, size_t count, bool own_group);

/* Freezes or thaws the group. Returns whether it is as wanted. */
bool freezer_set(struct freezer *freezer, bool frozen);

/*
 * What the helper does when the agent has ended: thaws the group, moves what is left in it to the
 * one above, and removes it. Unless the agent `ended_well`, it also continues these processes and
 * their children, or those of the group, for half a second: programs in the kernel may stop them
 * until they are gone.
 */
void freezer_release(struct freezer *freezer, const pid_t *pids, size_t count, bool ended_well);

/* Thaws, and waits until the helper has moved what is left in the group, and removed it. */
void freezer_end(struct freezer *freezer);

#endif
