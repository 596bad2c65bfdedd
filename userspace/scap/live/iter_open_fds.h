/* SPDX-License-Identifier: MIT */
/*
 * The open descriptors of all processes, from an iterator of the kernel: as /proc shows them, with
 * one read for hundreds of them instead of several for each. The state engine seeds its tables from
 * it. It is of one pass.
 *
 * Of a socket that is of another network namespace than its process, /proc does not show the ends;
 * the iterator does. The address of a unix socket is the true one, as in events.
 */
#ifndef SCAP_LIVE_ITER_OPEN_FDS_H
#define SCAP_LIVE_ITER_OPEN_FDS_H

#include <stdbool.h>
#include <stdint.h>

#include "scap/model/fd.h"
#include "scap/proc/proc.h"

struct scap_open_fds;

/*
 * Whether an iterator that this process creates comes to all processes, as the capture does: only
 * from the initial pid namespace.
 */
bool scap_open_fds_sees_all(void);

/*
 * fd: of the iterator, which is the object's from then on, also on failure. proc: borrowed; for
 * what the kernel's memory does not say, such as numbers that a file system makes up. Returns 0 or
 * -ENOMEM.
 */
int scap_open_fds_create(int fd, struct scap_proc *proc, struct scap_open_fds **fds);
void scap_open_fds_destroy(struct scap_open_fds *fds); /* accepts NULL */

/*
 * The next descriptor and its process, by ascending ids and numbers; what `fd` points to is valid
 * until the next call. Returns 1; 0 at the end; -EBADMSG if what the kernel wrote is malformed; or
 * another -errno.
 */
int scap_open_fds_next(struct scap_open_fds *fds, int64_t *pid, struct scap_fd *fd);

#endif
