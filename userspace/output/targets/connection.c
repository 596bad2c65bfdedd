/* SPDX-License-Identifier: MIT */
/* Connections to servers: names and addresses of hosts, their look-up, streams with or without TLS.
 */
#include "output/targets/connection.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/sockios.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "util/count.h"
#include "util/value.h"

/* Parses endpoints, and resolves their names in a thread that nobody has to wait for. */

int connection_endpoint_read(const char *text, uint16_t port, struct connection_endpoint *endpoint,
			     struct error *err)
{
	const char *host = strncmp(text, "//", 2) ? NULL : text + 2, *end = NULL, *rest;
	size_t len;

	if (host && *host == '[') {
		end = strchr(++host, ']');
		rest = end ? end + 1 : NULL;
	} else {
		end = rest = host ? host + strcspn(host, ":") : NULL;
	}
	len = end ? (size_t)(end - host) : 0;
	if (len == 0 || len > ENDPOINT_HOST_MAX || strcspn(host, "/@ ") < len)
		return error_set(err, -EINVAL,
				 "'%s' is not //HOST:PORT; addresses of IPv6 stand in brackets",
				 text);
	if (*rest == ':' ? !value_read_port(rest + 1, '\0', &port) : *rest || port == 0)
		return error_set(err, -EINVAL, "'%s' does not end with a port: //HOST:PORT", text);
	memcpy(endpoint->host, host, len);
	endpoint->host[len] = '\0';
	snprintf(endpoint->port, sizeof(endpoint->port), "%u", (unsigned int)port);
	return 0;
}

/* Belongs to the thread and to the one that waits for it: the last one frees it. */
struct resolution {
	atomic_int users;
	struct connection_endpoint endpoint;
	struct addrinfo hints;
	int fd; /* an eventfd: readable when there is a result */
	struct addrinfo *addresses;
	int code; /* EAI_... */
	int code_errno; /* for EAI_SYSTEM */
};

static void endpoint_release(struct resolution *resolution)
{
	if (atomic_fetch_sub(&resolution->users, 1) > 1)
		return;
	if (resolution->addresses)
		freeaddrinfo(resolution->addresses);
	if (resolution->fd >= 0)
		close(resolution->fd);
	free(resolution);
}

static void targets_endpoint_resolve(struct resolution *resolution)
{
	resolution->code = getaddrinfo(resolution->endpoint.host, resolution->endpoint.port,
				       &resolution->hints, &resolution->addresses);
	resolution->code_errno = errno;
}

static void *endpoint_run(void *argument)
{
	struct resolution *resolution = argument;

	targets_endpoint_resolve(resolution);
	eventfd_write(resolution->fd, 1);
	endpoint_release(resolution);
	return NULL;
}

static int endpoint_start(struct resolution *resolution)
{
	pthread_attr_t attributes;
	sigset_t all, before;
	pthread_t thread;
	int r;

	pthread_attr_init(&attributes);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	atomic_fetch_add(&resolution->users, 1);
	r = pthread_create(&thread, &attributes, endpoint_run, resolution);
	if (r)
		atomic_fetch_sub(&resolution->users, 1);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attributes);
	return -r;
}

static int endpoint_fail(const struct resolution *resolution, struct error *err)
{
	const char *text = resolution->code == EAI_SYSTEM ? strerror(resolution->code_errno)
							  : gai_strerror(resolution->code);

	return error_set(err, -EHOSTUNREACH, "cannot resolve %s: %s", resolution->endpoint.host,
			 text);
}

int connection_endpoint_resolve(const struct connection_endpoint *endpoint, int type,
				const struct output_stop *stop, uint64_t deadline_ns,
				struct addrinfo **addresses, struct error *err)
{
	struct resolution *resolution = calloc(1, sizeof(*resolution));
	int r = -ENOMEM;

	if (!resolution)
		return error_set(err, r, "out of memory");
	*resolution = (struct resolution){
		.endpoint = *endpoint,
		.hints = {.ai_socktype = type, .ai_flags = AI_NUMERICSERV | AI_NUMERICHOST},
		.fd = -1,
	};
	atomic_init(&resolution->users, 1);
	/* An address needs no thread. */
	targets_endpoint_resolve(resolution);
	r = 1;
	if (resolution->code == EAI_NONAME) {
		resolution->hints.ai_flags = AI_NUMERICSERV;
		resolution->fd = eventfd(0, EFD_CLOEXEC);
		r = resolution->fd < 0 ? -errno : endpoint_start(resolution);
		if (r == 0)
			r = connection_wait(stop, resolution->fd, POLLIN, deadline_ns);
	}
	if (r < 0) {
		error_set(err, r, "cannot resolve %s: %s", endpoint->host, strerror(-r));
	} else if (resolution->code) {
		r = endpoint_fail(resolution, err);
	} else {
		*addresses = resolution->addresses;
		resolution->addresses = NULL;
		r = 0;
	}
	endpoint_release(resolution);
	return r;
}

/* socket(2) and connect(2), with limits of time. */

enum {
	NS_PER_MS = 1000000,
	KEEP_IDLE_S = 30,
	KEEP_INTERVAL_S = 10,
	KEEP_PROBES = 3,
	UNIX_RETRY_MS = 20,
};

/* Options that the system does not know are left out. */
static void keep_alive(int fd, uint64_t timeout_ns)
{
	const unsigned int timeout_ms = (unsigned int)(timeout_ns / NS_PER_MS);
	const struct {
		int level, option;
		int value;
	} options[] = {
		{SOL_SOCKET, SO_KEEPALIVE, 1},
		{IPPROTO_TCP, TCP_KEEPIDLE, KEEP_IDLE_S},
		{IPPROTO_TCP, TCP_KEEPINTVL, KEEP_INTERVAL_S},
		{IPPROTO_TCP, TCP_KEEPCNT, KEEP_PROBES},
		{IPPROTO_TCP, TCP_NODELAY, 1},
	};

	for (size_t i = 0; i < COUNT(options); i++)
		setsockopt(fd, options[i].level, options[i].option, &options[i].value,
			   sizeof(options[i].value));
	setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &timeout_ms, sizeof(timeout_ms));
}

static int socket_error(int fd)
{
	socklen_t len = sizeof(int);
	int error = 0;

	return getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &len) ? -errno : -error;
}

static int connect_to(int fd, const struct sockaddr *address, socklen_t len,
		      const struct output_stop *stop, uint64_t deadline_ns)
{
	int r;

	if (connect(fd, address, len) == 0)
		return 0;
	if (errno != EINPROGRESS && errno != EINTR)
		return -errno;
	r = connection_wait(stop, fd, POLLOUT, deadline_ns);
	return r < 0 ? r : socket_error(fd);
}

/* When an address has had its share of the time, so that the next ones get theirs. */
static uint64_t connection_share(const struct addrinfo *addresses, uint64_t deadline_ns)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC), left = deadline_ns > now ? deadline_ns - now : 0;
	uint64_t count = 0;

	for (; addresses; addresses = addresses->ai_next)
		count++;
	return now + left / count;
}

int connection_dial(const struct addrinfo *addresses, uint64_t timeout_ns,
		    const struct output_stop *stop, uint64_t deadline_ns, int *result)
{
	int r = -EADDRNOTAVAIL;

	for (; addresses && r != -ECANCELED; addresses = addresses->ai_next) {
		int fd = socket(addresses->ai_family,
				addresses->ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC,
				addresses->ai_protocol);

		r = fd < 0 ? -errno
			   : connect_to(fd, addresses->ai_addr, addresses->ai_addrlen, stop,
					connection_share(addresses, deadline_ns));
		if (r == 0) {
			if (addresses->ai_socktype == SOCK_STREAM)
				keep_alive(fd, timeout_ns);
			*result = fd;
			return 0;
		}
		if (fd >= 0)
			close(fd);
	}
	return r;
}

int connection_dial_unix(const char *path, int type, const struct output_stop *stop,
			 uint64_t deadline_ns, int *result)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	size_t len = strlen(path);
	socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len);
	int fd, r;

	if (len >= sizeof(address.sun_path))
		return -ENAMETOOLONG;
	memcpy(address.sun_path, path, len);
	if (path[0] == '@')
		address.sun_path[0] = '\0';
	else
		size++;
	fd = socket(AF_UNIX, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	/* The peer has no room for another connection: there is nothing to poll for. */
	do {
		r = connect_to(fd, (struct sockaddr *)&address, size, stop, deadline_ns);
		if (r == -EAGAIN && clock_ns(CLOCK_MONOTONIC) >= deadline_ns)
			r = -ETIMEDOUT;
		if (r == -EAGAIN && output_wait(stop, -1, 0, UNIX_RETRY_MS) == -ECANCELED)
			r = -ECANCELED;
	} while (r == -EAGAIN);
	if (r)
		close(fd);
	else
		*result = fd;
	return r;
}

/* Opens, watches, writes to and closes a connection. */

enum {
	DRAIN_BYTES = 4096,
	DRAINS_MAX = 64, /* a peer that sends without end is not our reader */
	MESSAGES_MAX = 64,
	NO_BUFFERS_MS = 5, /* the wait for a full queue of a device, for which there is no event */
};

void connection_init(struct connection *connection, const struct connection_config *config,
		     const struct output_stop *stop)
{
	*connection = (struct connection){.config = *config, .stop = stop, .fd = -1};
}

void connection_close(struct connection *connection)
{
	if (connection->session)
		connection->config.security->close(connection->session);
	if (connection->fd >= 0)
		close(connection->fd);
	connection->session = NULL;
	connection->fd = -1;
}

/* Discards what the peer sends until it ends the connection. */
static void linger(int fd)
{
	uint64_t deadline_ns = connection_deadline((uint64_t)CONNECTION_LINGER_MS * 1000000);
	struct pollfd poll_fd = {.fd = fd, .events = POLLIN};
	char bytes[DRAIN_BYTES];
	uint64_t now;

	if (shutdown(fd, SHUT_WR))
		return;
	while ((now = clock_ns(CLOCK_MONOTONIC)) < deadline_ns) {
		ssize_t n;

		if (poll(&poll_fd, 1, (int)((deadline_ns - now) / 1000000) + 1) < 0 &&
		    errno != EINTR)
			return;
		n = recv(fd, bytes, sizeof(bytes), MSG_DONTWAIT);
		if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
			return;
	}
}

void connection_finish(struct connection *connection)
{
	if (connection->session)
		connection->config.security->close(connection->session);
	connection->session = NULL;
	if (connection->fd >= 0 && !connection->config.datagrams)
		linger(connection->fd);
	connection_close(connection);
}

/* Discards what a peer sends, in plain. Returns 0, or -errno if it is gone. */
static int drain_socket(int fd)
{
	char bytes[DRAIN_BYTES];
	ssize_t n;

	for (int i = 0; i < DRAINS_MAX; i++) {
		n = recv(fd, bytes, sizeof(bytes), MSG_DONTWAIT);
		if (n == 0)
			return -EPIPE;
		if (n < 0 && errno == EAGAIN)
			return 0;
		if (n < 0 && errno != EINTR)
			return -errno;
	}
	return 0;
}

/* Looks for the end of a stream. Returns 0, or -errno if the peer is gone. */
static int peek_socket(int fd)
{
	char byte;
	ssize_t n = recv(fd, &byte, 1, MSG_DONTWAIT | MSG_PEEK);

	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -errno;
	return n ? 0 : -EPIPE;
}

/* 0: the connection is there. Datagrams report the error of an earlier one. */
static int connection_look(const struct connection *connection)
{
	socklen_t len = sizeof(int);
	int error = 0;

	if (connection->config.datagrams)
		return getsockopt(connection->fd, SOL_SOCKET, SO_ERROR, &error, &len) ? -errno
										      : -error;
	if (connection->session)
		return connection->config.has_answers
			       ? connection->config.security->peek(connection->session)
			       : connection->config.security->drain(connection->session);
	return connection->config.has_answers ? peek_socket(connection->fd)
					      : drain_socket(connection->fd);
}

static int fail_connect(int code, struct error *err)
{
	return error_set(err, code, "cannot connect: %s",
			 code == -ETIMEDOUT ? "no answer in time" : strerror(-code));
}

static int dial_any(struct connection *connection, uint64_t deadline_ns, struct error *err)
{
	const struct connection_config *config = &connection->config;
	int type = config->datagrams ? SOCK_DGRAM : SOCK_STREAM, r;
	struct addrinfo *addresses;

	if (config->path) {
		r = connection_dial_unix(config->path, type, connection->stop, deadline_ns,
					 &connection->fd);
		return r ? fail_connect(r, err) : 0;
	}
	r = connection_endpoint_resolve(&config->endpoint, type, connection->stop, deadline_ns,
					&addresses, err);
	if (r)
		return r;
	r = connection_dial(addresses, config->timeout_ns, connection->stop, deadline_ns,
			    &connection->fd);
	freeaddrinfo(addresses);
	return r ? fail_connect(r, err) : 0;
}

/* The end of a stream: says how much the peer did not confirm, as far as the kernel knows. */
static int end_stream(struct connection *connection, int code, struct error *err)
{
	const char *what = code == -ETIMEDOUT ? "the peer takes nothing" : strerror(-code);
	int unconfirmed = 0;

	if (code == -EPROTO && connection->session)
		what = connection->config.security->problem(connection->session);
	else if (code == -EPIPE)
		what = "the peer closed the connection";
	if (ioctl(connection->fd, SIOCOUTQ, &unconfirmed) || unconfirmed < 0)
		unconfirmed = 0;
	if (connection->config.datagrams || (code == -EPIPE && unconfirmed == 0))
		error_set(err, code, "%s", what);
	else if (unconfirmed)
		error_set(err, code,
			  "%s; lost is what it had not read, and %d bytes that did not reach it",
			  what, unconfirmed);
	else
		error_set(err, code, "%s; lost is what it had not read", what);
	connection_close(connection);
	/* An orderly end, after everything arrived. */
	return code == -EPIPE && unconfirmed == 0 ? 0 : code;
}

int connection_check(struct connection *connection, struct error *err)
{
	int r = connection->fd >= 0 ? connection_look(connection) : 0;

	return r ? end_stream(connection, r, err) : 0;
}

int connection_open(struct connection *connection, struct error *err)
{
	const struct connection_security *security = connection->config.security;
	uint64_t deadline_ns = connection_deadline(connection->config.timeout_ns);
	int r = connection_check(connection, err);

	if (r || connection->fd >= 0)
		return r;
	r = dial_any(connection, deadline_ns, err);
	if (r == 0 && security)
		r = security->open(connection->config.security_context, connection->fd,
				   connection->stop, deadline_ns, &connection->session, err);
	if (r)
		connection_close(connection);
	return r;
}

/* Returns how many bytes were taken, or -errno; -EAGAIN sets `events`. */
static ssize_t write_some(struct connection *connection, const char *bytes, size_t len,
			  short *events)
{
	ssize_t n;

	*events = POLLOUT;
	if (connection->session)
		return connection->config.security->write(connection->session, bytes, len, events);
	n = send(connection->fd, bytes, len, MSG_NOSIGNAL);
	return n < 0 ? -errno : n;
}

int connection_write(struct connection *connection, const void *bytes, size_t len, size_t *done,
		     struct error *err)
{
	uint64_t deadline_ns = connection_deadline(connection->config.timeout_ns);
	size_t written = 0;

	while (written < len) {
		short events;
		ssize_t n = write_some(connection, (const char *)bytes + written, len - written,
				       &events);
		int r = n < 0 ? (int)n : 0;

		if (n > 0) {
			written += (size_t)n;
			*done += (size_t)n;
			deadline_ns = connection_deadline(connection->config.timeout_ns);
		} else if (n == -EAGAIN) {
			r = connection_wait(connection->stop, connection->fd, events, deadline_ns);
		}
		if (r == -ECANCELED)
			return r;
		if (r < 0 && r != -EINTR) {
			end_stream(connection, r, err);
			return r;
		}
	}
	return 0;
}

/* As write_some(); -EPIPE: the peer ended the connection. */
static ssize_t connection_read_some(struct connection *connection, void *bytes, size_t size,
				    short *events)
{
	ssize_t n;

	*events = POLLIN;
	if (connection->session)
		return connection->config.security->read(connection->session, bytes, size, events);
	n = recv(connection->fd, bytes, size, 0);
	return n < 0 ? -errno : n ? n : -EPIPE;
}

ssize_t connection_read(struct connection *connection, void *bytes, size_t size,
			uint64_t deadline_ns, struct error *err)
{
	for (;;) {
		short events;
		ssize_t n = connection_read_some(connection, bytes, size, &events);

		if (n > 0)
			return n;
		if (n == -EAGAIN)
			n = connection_wait(connection->stop, connection->fd, events, deadline_ns);
		if (n == -ECANCELED)
			return n;
		if (n < 0 && n != -EINTR) {
			int r = (int)n;

			connection_close(connection);
			return error_set(err, r, "no answer: %s",
					 r == -EPIPE ? "the peer closed the connection"
						     : strerror(-r));
		}
	}
}

/* Sends some of the messages. Returns how many, or -errno. */
static int send_some(int fd, struct iovec *messages, size_t count)
{
	struct mmsghdr headers[MESSAGES_MAX];
	unsigned int n = 0;
	int sent;

	for (; n < count && n < MESSAGES_MAX; n++)
		headers[n] =
			(struct mmsghdr){.msg_hdr = {.msg_iov = &messages[n], .msg_iovlen = 1}};
	sent = sendmmsg(fd, headers, n, MSG_NOSIGNAL);
	return sent < 0 ? -errno : sent;
}

/* Waits until a datagram can be sent that could not. Returns as connection_wait(). */
static int wait_for_room(const struct connection *connection, int code, uint64_t deadline_ns)
{
	if (code == -EAGAIN)
		return connection_wait(connection->stop, connection->fd, POLLOUT, deadline_ns);
	code = output_wait(connection->stop, -1, 0, NO_BUFFERS_MS);
	if (code == -ETIMEDOUT && clock_ns(CLOCK_MONOTONIC) < deadline_ns)
		code = 0;
	return code;
}

int connection_send(struct connection *connection, struct iovec *messages, size_t count,
		    size_t *done, struct error *err)
{
	uint64_t deadline_ns = connection_deadline(connection->config.timeout_ns);
	size_t sent = 0;

	while (sent < count) {
		int n = send_some(connection->fd, messages + sent, count - sent);

		if (n > 0) {
			sent += (size_t)n;
			*done += (size_t)n;
			deadline_ns = connection_deadline(connection->config.timeout_ns);
		} else if (n == -EAGAIN || n == -ENOBUFS) {
			n = wait_for_room(connection, n, deadline_ns);
		}
		if (n == -ECANCELED || n == -EMSGSIZE)
			return n;
		if (n < 0 && n != -EINTR) {
			connection_close(connection);
			return error_set(err, n, "cannot send: %s",
					 n == -ETIMEDOUT ? "the peer takes nothing" : strerror(-n));
		}
	}
	return 0;
}
