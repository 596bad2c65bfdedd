/* SPDX-License-Identifier: MIT */
/* socket(2) and connect(2), with limits of time. */
#include "output/targets/dial.h"

#include <errno.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "output/targets/deadline.h"

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

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
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
	int code;

	if (connect(fd, address, len) == 0)
		return 0;
	if (errno != EINPROGRESS && errno != EINTR)
		return -errno;
	code = deadline_wait(stop, fd, POLLOUT, deadline_ns);
	return code < 0 ? code : socket_error(fd);
}

/* When an address has had its share of the time, so that the next ones get theirs. */
static uint64_t share(const struct addrinfo *addresses, uint64_t deadline_ns)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC), left = deadline_ns > now ? deadline_ns - now : 0;
	uint64_t count = 0;

	for (; addresses; addresses = addresses->ai_next)
		count++;
	return now + left / count;
}

int dial(const struct addrinfo *addresses, uint64_t timeout_ns, const struct output_stop *stop,
	 uint64_t deadline_ns, int *result)
{
	int code = -EADDRNOTAVAIL;

	for (; addresses && code != -ECANCELED; addresses = addresses->ai_next) {
		int fd = socket(addresses->ai_family,
				addresses->ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC,
				addresses->ai_protocol);

		code = fd < 0 ? -errno
			      : connect_to(fd, addresses->ai_addr, addresses->ai_addrlen, stop,
					   share(addresses, deadline_ns));
		if (code == 0) {
			if (addresses->ai_socktype == SOCK_STREAM)
				keep_alive(fd, timeout_ns);
			*result = fd;
			return 0;
		}
		if (fd >= 0)
			close(fd);
	}
	return code;
}

int dial_unix(const char *path, int type, const struct output_stop *stop, uint64_t deadline_ns,
	      int *result)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	size_t len = strlen(path);
	socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len);
	int fd, code;

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
		code = connect_to(fd, (struct sockaddr *)&address, size, stop, deadline_ns);
		if (code == -EAGAIN && clock_ns(CLOCK_MONOTONIC) >= deadline_ns)
			code = -ETIMEDOUT;
		if (code == -EAGAIN && output_wait(stop, -1, 0, UNIX_RETRY_MS) == -ECANCELED)
			code = -ECANCELED;
	} while (code == -EAGAIN);
	if (code)
		close(fd);
	else
		*result = fd;
	return code;
}
