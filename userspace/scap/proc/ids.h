/* SPDX-License-Identifier: MIT */
/*
 * Ids of processes in the pid namespace that a proc file system shows. Those of events are of the
 * initial one; the caller may be in another. And whose a process is.
 */
#ifndef SCAP_PROC_IDS_H
#define SCAP_PROC_IDS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "scap/proc/proc.h"

/* The caller's own id there. Returns 0, -ENOENT if it is not shown there, or another -errno. */
int scap_proc_self(const struct scap_proc *proc, pid_t *self);

/*
 * The id there of a process with the id `pid` in the caller's namespace. Returns 0, -ESRCH if it
 * exited or is not shown there, or another -errno.
 */
int scap_proc_translate(const struct scap_proc *proc, pid_t pid, pid_t *translated);

/*
 * Whether the namespace there is the initial one. Returns 0, -EXDEV if it is not, or another -errno
 * if it cannot be known.
 */
int scap_proc_check_initial(const struct scap_proc *proc);

/*
 * The real user of a task, who started it: of a setuid program the effective one, whose its folder
 * is, is that of its file. `task`: its open directory, or what its file "status" has. 0 if it is
 * gone.
 */
uint32_t proc_owner(int task);
uint32_t proc_owner_in(const struct buf *status);

#endif
