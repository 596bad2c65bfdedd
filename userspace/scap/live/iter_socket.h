/* SPDX-License-Identifier: MIT */
/* Sockets of records of the iterator, as /proc/PID/net describes them. */
#ifndef SCAP_LIVE_ITER_SOCKET_H
#define SCAP_LIVE_ITER_SOCKET_H

#include "open_fd.h"
#include "scap/model/fd.h"

enum { ITER_NAME_BYTES = 128 };

/*
 * Fills what a socket has besides its number, flags and inode. path: of a unix socket, as many
 * bytes as `from` says; name: where a name is written. Returns 0, or -EOPNOTSUPP: only /proc knows
 * its ends.
 */
int iter_socket_fill(const struct open_fd_socket *from, const char *path, struct scap_fd *fd,
		     char name[ITER_NAME_BYTES]);

#endif
