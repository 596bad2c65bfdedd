/* SPDX-License-Identifier: MIT */
/* Makes connected sockets, which do not block. */
#ifndef OUTPUT_TARGETS_DIAL_H
#define OUTPUT_TARGETS_DIAL_H

#include <netdb.h>
#include <stdint.h>

#include "output/stop.h"

/*
 * Connects to the first of the addresses that answers. Connections of TCP are kept alive, and end
 * when the peer confirmed nothing for `timeout_ns`. Returns 0, -ETIMEDOUT at `deadline_ns`
 * (monotonic), -ECANCELED (stopped), or the -errno of the last address.
 */
int dial(const struct addrinfo *addresses, uint64_t timeout_ns, const struct output_stop *stop,
	 uint64_t deadline_ns, int *fd);

/*
 * The same for the path of a socket; "@NAME" is an abstract one. type: SOCK_STREAM or SOCK_DGRAM.
 */
int dial_unix(const char *path, int type, const struct output_stop *stop, uint64_t deadline_ns,
	      int *fd);

#endif
