/* SPDX-License-Identifier: MIT */
/*
 * The processes whose calls are dropped, since the filter rejects all of their events: the map that
 * the programs look at (driver/bpf/core/mute.bpf.h). Called by the live source.
 */
#ifndef SCAP_LIVE_MUTED_H
#define SCAP_LIVE_MUTED_H

#include <stdint.h>
#include <sys/types.h>

/* Adds a process, which is not muted yet. Returns 0, -EEXIST or another -errno. */
int live_muted_propose(int map, pid_t pid);

/* Mutes a program of it (exec_id_of()). Returns 0, -ENOENT if it is not there, or another -errno.
 */
int live_muted_set(int map, pid_t pid, uint64_t program);

/* Removes a process, if it is there. */
void live_muted_remove(int map, pid_t pid);

#endif
