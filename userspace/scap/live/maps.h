/* SPDX-License-Identifier: MIT */
/*
 * The processes whose events a capture has, if it does not have those of all: the map that the
 * programs look at (driver/bpf/core/follow.bpf.h). Called by the live source.
 */
#ifndef SCAP_LIVE_MAPS_H
#define SCAP_LIVE_MAPS_H

#include <stdbool.h>
#include <sys/types.h>

/* Adds a process; as kin, unless it is there. Returns 0 or -errno. */
int live_followed_add(int map, pid_t pid, bool kin);

/* Adds all of another map, until no more come. Returns 0 or -errno. */
int live_followed_copy(int map, int from);

/* Sends SIGCONT to those that the programs stopped. Ids are those of the initial pid namespace. */
void live_followed_continue(int map);

#endif
