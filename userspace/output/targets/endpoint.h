/* SPDX-License-Identifier: MIT */
/* Where a server is: "HOST:PORT", "[IPv6]:PORT". */
#ifndef OUTPUT_TARGETS_ENDPOINT_H
#define OUTPUT_TARGETS_ENDPOINT_H

#include <netdb.h>
#include <stdint.h>

#include "output/stop.h"
#include "util/error.h"

enum { ENDPOINT_HOST_MAX = 255, ENDPOINT_PORT_BYTES = 6 };

struct endpoint {
	char host[ENDPOINT_HOST_MAX + 1]; /* a name or an address, without brackets */
	char port[ENDPOINT_PORT_BYTES]; /* decimal */
};

/*
 * Reads "//HOST:PORT". port: the one if none is given; 0: one must be given. Returns 0, or -EINVAL
 * with a message.
 */
int endpoint_read(const char *text, uint16_t port, struct endpoint *endpoint, struct error *err);

/*
 * Looks up the addresses for sockets of a type (SOCK_STREAM); release them with freeaddrinfo(). A
 * resolver that hangs is left behind. Returns 0, -ETIMEDOUT at `deadline_ns` (monotonic),
 * -ECANCELED (stopped), or another -errno, with a message.
 */
int endpoint_resolve(const struct endpoint *endpoint, int type, const struct output_stop *stop,
		     uint64_t deadline_ns, struct addrinfo **addresses, struct error *err);

#endif
