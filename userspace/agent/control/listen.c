/* SPDX-License-Identifier: MIT */
/* Sockets of TCP by numeric address, and unix sockets. */
#include "agent/control/listen.h"

#include <errno.h>
#include <netdb.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "util/value.h"

enum { BACKLOG = 1024, HOST_MAX = 64 };

static const char unix_prefix[] = "unix:";

static const char *unix_path(const char *address)
{
	size_t len = sizeof(unix_prefix) - 1;

	return strncmp(address, unix_prefix, len) == 0 ? address + len : NULL;
}

/* Splits "HOST:PORT"; host: "" for all addresses. */
static bool split(const char *address, char host[static HOST_MAX], const char **port)
{
	const char *colon = strrchr(address, ':');
	size_t len = colon ? (size_t)(colon - address) : 0;
	uint16_t number;

	if (!colon || len >= HOST_MAX || !value_read_port(colon + 1, '\0', &number))
		return false;
	*port = colon + 1;
	if (len >= 2 && address[0] == '[' && colon[-1] == ']') {
		address++;
		len -= 2;
	}
	memcpy(host, address, len);
	host[len] = '\0';
	return true;
}

/* Returns 0 or -EINVAL; free the result with freeaddrinfo(). */
static int resolve(const char *address, struct addrinfo **found)
{
	const struct addrinfo hints = {.ai_socktype = SOCK_STREAM,
				       .ai_flags = AI_PASSIVE | AI_NUMERICHOST | AI_NUMERICSERV};
	char host[HOST_MAX];
	const char *port;

	if (!split(address, host, &port))
		return -EINVAL;
	return getaddrinfo(host[0] ? host : NULL, port, &hints, found) ? -EINVAL : 0;
}

int listen_check(const char *address, struct error *err)
{
	const char *path = unix_path(address);
	struct addrinfo *found;

	if (path) {
		if (path[0] && strlen(path) < sizeof(((struct sockaddr_un *)0)->sun_path))
			return 0;
		return error_set(err, -EINVAL, "the path of a unix socket has 1 to %zu bytes",
				 sizeof(((struct sockaddr_un *)0)->sun_path) - 1);
	}
	if (resolve(address, &found))
		return error_set(
			err, -EINVAL,
			"'%s' is not an address: 127.0.0.1:9100, [::1]:9100, :9100 for all, "
			"or unix:PATH",
			address);
	freeaddrinfo(found);
	return 0;
}

/* Whether the socket is one that an agent left behind. */
static bool is_stale(const struct sockaddr_un *address)
{
	struct stat st;
	int fd;
	bool refused;

	if (lstat(address->sun_path, &st) || !S_ISSOCK(st.st_mode))
		return false;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return false;
	refused = connect(fd, (const struct sockaddr *)address, sizeof(*address)) &&
		  errno == ECONNREFUSED;
	close(fd);
	return refused;
}

static int bind_unix(int fd, const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	mode_t mask;
	int code;

	/* It fits: see listen_check(). */
	memcpy(address.sun_path, path, strlen(path) + 1);
	if (is_stale(&address))
		unlink(path);
	mask = umask(0177);
	code = bind(fd, (struct sockaddr *)&address, sizeof(address)) ? -errno : 0;
	umask(mask);
	return code;
}

static int bind_tcp(int fd, const struct addrinfo *to)
{
	const int yes = 1;

	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
	return bind(fd, to->ai_addr, to->ai_addrlen) ? -errno : 0;
}

int listen_open(const char *address, struct error *err)
{
	const char *path = unix_path(address);
	struct addrinfo *to = NULL;
	int fd, code = listen_check(address, err);

	if (code)
		return code;
	if (!path && resolve(address, &to))
		return error_set(err, -EINVAL, "'%s' is not an address", address);
	fd = socket(to ? to->ai_family : AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	code = fd < 0 ? -errno : to ? bind_tcp(fd, to) : bind_unix(fd, path);
	if (to)
		freeaddrinfo(to);
	if (code == 0 && listen(fd, BACKLOG))
		code = -errno;
	if (code == 0)
		return fd;
	if (fd >= 0)
		close(fd);
	return error_set(err, code, "cannot listen on %s: %s", address, strerror(-code));
}

void listen_remove(const char *address)
{
	const char *path = unix_path(address);

	if (path)
		unlink(path);
}
