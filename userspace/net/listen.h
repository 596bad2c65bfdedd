/* SPDX-License-Identifier: MIT */
/*
 * The address of --http, the socket that listens there, and its connections, so that slow clients
 * cannot keep others out.
 */
#ifndef NET_LISTEN_H
#define NET_LISTEN_H

#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#include "util/error.h"

/*
 * The connections of a listener, so that slow clients cannot keep others out: a new one always gets
 * a place, if need be that of the oldest one of the address that has the most; and none stays
 * longer than its one request may take. A connection is closed by shutting its socket down: its
 * owner finds the end there. For one thread.
 */

enum { CONNECTIONS_MAX = 32, CONNECTIONS_OF_ADDRESS_MAX = 8, CONNECTION_MS = 10000 };

struct listen_connection {
	int fd; /* borrowed */
	uint64_t address; /* that counts as one */
	uint64_t since_ns; /* 0: the place is free */
};

/* Zeroed, there is none. */
struct listen_connections {
	struct listen_connection list[CONNECTIONS_MAX];
	size_t count;
};

/*
 * What counts as one address: an address of IPv4, a network of 64 bits of IPv6, all of the
 * loopback, all of a unix socket.
 */
uint64_t listen_connections_address(const struct sockaddr *address);

/* The one that has to go before a new one of that address; NULL: none. */
struct listen_connection *listen_connections_crowded(struct listen_connections *connections,
						     uint64_t address);

/* Takes a place: there must be one. now_ns: not 0. */
struct listen_connection *listen_connections_add(struct listen_connections *connections, int fd,
						 uint64_t address, uint64_t now_ns);

/* Gives the place back: the connection was closed. */
void listen_connections_remove(struct listen_connections *connections,
			       struct listen_connection *connection);

/* Shuts down those whose time is over; returns how many. */
unsigned int listen_connections_expire(struct listen_connections *connections, uint64_t now_ns);

/* The address of --http, and the socket that listens there. */

/* Whether `address` is "HOST:PORT", "[IPV6]:PORT", ":PORT" or "unix:PATH". */
int listen_check(const char *address, struct error *err);

/*
 * Opens the socket; a unix socket has mode 600, and takes the place of one that nobody listens on.
 * Names of hosts are not looked up. Returns a descriptor, or -errno with a message.
 */
int listen_open(const char *address, struct error *err);

/* Removes the file of a unix socket; nothing to do for others. */
void listen_remove(const char *address);

#endif
