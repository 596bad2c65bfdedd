/* SPDX-License-Identifier: MIT */
/*
 * Maps that the programs share with the live source while it captures: which processes have events
 * at all, of which none can pass, and who was over a limit. `map` is a descriptor.
 */
#ifndef SCAP_LIVE_MAPS_H
#define SCAP_LIVE_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "scap/live/live.h"

/*
 * The processes whose events a capture has, if it does not have those of all
 * (driver/bpf/core/follow.bpf.h).
 */

/* Adds a process; as kin, unless it is there. Returns 0 or -errno. */
int live_followed_add(int map, pid_t pid, bool kin);

/* Adds all of another map, until no more come. Returns 0 or -errno. */
int live_followed_copy(int map, int from);

/* Sends SIGCONT to those that the programs stopped. Ids are those of the initial pid namespace. */
void live_followed_continue(int map);

/*
 * The processes whose calls are dropped, since the filter rejects all of their events
 * (driver/bpf/core/mute.bpf.h).
 */

/* Adds a process, which is not muted yet. Returns 0, -EEXIST or another -errno. */
int live_muted_propose(int map, pid_t pid);

/* Mutes a program of it (exec_id_of()). Returns 0, -ENOENT if it is not there, or another -errno.
 */
int live_muted_set(int map, pid_t pid, uint64_t program);

/* Removes a process, if it is there. */
void live_muted_remove(int map, pid_t pid);

/* Who was over a limit of events in a second, or over a share, as the programs count it. */

/*
 * Adds those of a map (-1: there is none) to a list of at most `max` that has `count` already, the
 * largest loss first; those that lost nothing are left out. Returns how many the list has then.
 */
size_t live_throttled_read(int map, struct scap_live_throttled *list, size_t count, size_t max);

#endif
