/* SPDX-License-Identifier: MIT */
/*
 * The kernel's table of connections, as netfilter keeps it in each network namespace (ctnetlink):
 * to what it translates the ends of a connection. To ask takes CAP_NET_ADMIN there.
 */
#ifndef NET_CONNTRACK_H
#define NET_CONNTRACK_H

#include <stdbool.h>
#include <stdint.h>

#include "scap/proc/fd.h"

/* A direction of a connection: from where packets come, and where they go. */
struct conntrack_tuple {
	struct scap_endpoint from, to;
	uint8_t address_len; /* 4 or 16 */
	uint8_t l4; /* SCAP_L4_TCP or SCAP_L4_UDP */
};

/* Addresses of IPv4 that are written as those of IPv6 become such of IPv4, as packets have them. */
void conntrack_unmap(struct conntrack_tuple *tuple);

/*
 * Whether the sender's address is known: a socket that is not bound has none, but each of its
 * packets has, as its route says. No table has a connection without one.
 */
bool conntrack_has_source(const struct conntrack_tuple *tuple);

/* Returns a socket to the table of the network namespace that the calling thread is in, or -errno.
 */
int conntrack_open(void);

/*
 * Finds the connection of which that is one direction, and how packets of that direction go on from
 * here: *tuple becomes it. Returns 0; -ENOENT: there is none in that table; -EPERM: not allowed; or
 * another -errno.
 */
int conntrack_follow(int fd, struct conntrack_tuple *tuple);

#endif
