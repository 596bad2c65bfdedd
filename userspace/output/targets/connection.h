/* SPDX-License-Identifier: MIT */
/*
 * Connections to servers: names and addresses of hosts, time that is left, streams with or without
 * TLS.
 */
#ifndef OUTPUT_TARGETS_CONNECTION_H
#define OUTPUT_TARGETS_CONNECTION_H

#include <netdb.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "output/stop.h"
#include "util/clock.h"
#include "util/error.h"

/* Where a server is: "HOST:PORT", "[IPv6]:PORT". */

enum { ENDPOINT_HOST_MAX = 255, ENDPOINT_PORT_BYTES = 6 };

struct connection_endpoint {
	char host[ENDPOINT_HOST_MAX + 1]; /* a name or an address, without brackets */
	char port[ENDPOINT_PORT_BYTES]; /* decimal */
};

/*
 * Reads "//HOST:PORT". port: the one if none is given; 0: one must be given. Returns 0, or -EINVAL
 * with a message.
 */
int connection_endpoint_read(const char *text, uint16_t port, struct connection_endpoint *endpoint,
			     struct error *err);

/*
 * Looks up the addresses for sockets of a type (SOCK_STREAM); release them with freeaddrinfo(). A
 * resolver that hangs is left behind. Returns 0, -ETIMEDOUT at `deadline_ns` (monotonic),
 * -ECANCELED (stopped), or another -errno, with a message.
 */
int connection_endpoint_resolve(const struct connection_endpoint *endpoint, int type,
				const struct output_stop *stop, uint64_t deadline_ns,
				struct addrinfo **addresses, struct error *err);

/* Waits that share one limit of time. */

static inline uint64_t connection_deadline(uint64_t ns)
{
	return clock_ns(CLOCK_MONOTONIC) + ns;
}

/* output_wait() until a time of the monotonic clock, a day at most. */
static inline int connection_wait(const struct output_stop *stop, int fd, short events,
				  uint64_t deadline_ns)
{
	const uint64_t ns_per_ms = 1000000, day_ms = 86400000;
	uint64_t now = clock_ns(CLOCK_MONOTONIC);
	uint64_t ms = deadline_ns > now ? (deadline_ns - now + ns_per_ms - 1) / ns_per_ms : 0;

	return output_wait(stop, fd, events, (int)(ms < day_ms ? ms : day_ms));
}

/* Makes connected sockets, which do not block. */

/*
 * Connects to the first of the addresses that answers. Connections of TCP are kept alive, and end
 * when the peer confirmed nothing for `timeout_ns`. Returns 0, -ETIMEDOUT at `deadline_ns`
 * (monotonic), -ECANCELED (stopped), or the -errno of the last address.
 */
int connection_dial(const struct addrinfo *addresses, uint64_t timeout_ns,
		    const struct output_stop *stop, uint64_t deadline_ns, int *fd);

/*
 * Connects to the path of a socket; "@NAME" is an abstract one. type: SOCK_STREAM or SOCK_DGRAM.
 * Returns as connection_dial().
 */
int connection_dial_unix(const char *path, int type, const struct output_stop *stop,
			 uint64_t deadline_ns, int *fd);

/*
 * The connection of an output to a server, made when it is needed and made again when the server
 * went. Streams over TCP, TLS or unix sockets; datagrams over UDP or unix sockets.
 */

/* What TLS adds to a socket; `context` is shared by all connections of an output. */
struct connection_security {
	/*
	 * Agrees with the server on a session. Returns 0, -ECANCELED, -ETIMEDOUT, or another -errno
	 * with a message.
	 */
	int (*open)(void *context, int fd, const struct output_stop *stop, uint64_t deadline_ns,
		    void **session, struct error *err);
	/*
	 * Returns how many bytes it took, or -errno. -EAGAIN: then `events` of poll(2) are to be
	 * waited for, and the same bytes given again.
	 */
	ssize_t (*write)(void *session, const void *bytes, size_t len, short *events);
	/* Returns how many bytes were read, or -errno as write(); -EPIPE: the server ended it. */
	ssize_t (*read)(void *session, void *bytes, size_t size, short *events);
	/* Looks for the end of the session. Returns 0, -EPIPE if the server ended it, or -errno. */
	int (*peek)(void *session);
	int (*drain)(void *session); /* the same, and discards what the server sent */
	const char *(*problem)(const void *session); /* the reason of the last -EPROTO */
	void (*close)(void *session); /* accepts NULL */
};

/* All borrowed. */
struct connection_config {
	const char *path; /* of a unix socket; NULL: `endpoint` */
	struct connection_endpoint endpoint;
	bool datagrams;
	bool has_answers; /* that are read: otherwise what the peer sends is discarded */
	uint64_t timeout_ns; /* for connecting, and for the peer to take something */
	const struct connection_security *security; /* NULL: plain */
	void *security_context;
};

struct connection {
	struct connection_config config;
	const struct output_stop *stop; /* borrowed */
	int fd; /* -1: not connected */
	void *session; /* of the security */
};

void connection_init(struct connection *connection, const struct connection_config *config,
		     const struct output_stop *stop);

/* Ends a connection that failed, or one that nothing was sent on. */
void connection_close(struct connection *connection);

/*
 * Ends a connection in good order: waits until the peer ends it, too, for at most
 * CONNECTION_LINGER_MS. If bytes of the peer are unread, close(2) resets the connection and drops
 * what the peer has not taken yet.
 */
enum { CONNECTION_LINGER_MS = 2000 };
void connection_finish(struct connection *connection);

/*
 * Connects, unless the connection is there and the peer did not end it. Returns 0, -ECANCELED
 * (stopped), or another -errno with a message: also if the peer ended it before it confirmed all.
 */
int connection_open(struct connection *connection, struct error *err);

/*
 * Closes the connection if the peer ended it. Returns 0, or -errno with a message if the peer had
 * not confirmed all that was sent.
 */
int connection_check(struct connection *connection, struct error *err);

/*
 * Writes to a stream, waiting for a peer that is slow. `done` counts the bytes taken, also before a
 * failure, which closes the connection: what the peer got of them is unknown. Returns 0, -ECANCELED
 * (stopped; it stays open), or another -errno with a message.
 */
int connection_write(struct connection *connection, const void *bytes, size_t len, size_t *done,
		     struct error *err);

/*
 * Waits for bytes of a peer that answers, until `deadline_ns` (monotonic). Returns how many came,
 * -ECANCELED (stopped; it stays open), or another -errno with a message: then it is closed.
 */
ssize_t connection_read(struct connection *connection, void *bytes, size_t size,
			uint64_t deadline_ns, struct error *err);

/*
 * Sends messages of one piece each as datagrams. `done` counts those sent, also before a failure.
 * Returns 0; -EMSGSIZE: the message at `done` is too large for a datagram; -ECANCELED; or another
 * -errno with a message, which closes the socket.
 */
int connection_send(struct connection *connection, struct iovec *messages, size_t count,
		    size_t *done, struct error *err);

#endif
