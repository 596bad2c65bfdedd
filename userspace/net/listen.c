/* SPDX-License-Identifier: MIT */
/* Sockets of TCP by numeric address, and unix sockets; the list of connections. */
#include "net/listen.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "util/value.h"

/* A short list, looked through as a whole. */

enum { LOOPBACK = 127, LOOPBACK_SHIFT = 24 };

/* Whoever can use one address of the loopback can use all. */
static uint64_t address_of_ipv4(uint32_t address)
{
	return address >> LOOPBACK_SHIFT == LOOPBACK ? INADDR_LOOPBACK : address;
}

static uint64_t address_of_ipv6(const struct in6_addr *address)
{
	uint64_t network;
	uint32_t mapped;

	if (IN6_IS_ADDR_LOOPBACK(address))
		return INADDR_LOOPBACK;
	if (IN6_IS_ADDR_V4MAPPED(address)) {
		memcpy(&mapped, address->s6_addr + sizeof(*address) - sizeof(mapped),
		       sizeof(mapped));
		return address_of_ipv4(ntohl(mapped));
	}
	memcpy(&network, address->s6_addr, sizeof(network));
	return network;
}

uint64_t listen_connections_address(const struct sockaddr *address)
{
	if (address->sa_family == AF_INET)
		return address_of_ipv4(
			ntohl(((const struct sockaddr_in *)address)->sin_addr.s_addr));
	if (address->sa_family == AF_INET6)
		return address_of_ipv6(&((const struct sockaddr_in6 *)address)->sin6_addr);
	return 0;
}

static size_t count_of(const struct listen_connections *connections, uint64_t address)
{
	size_t count = 0;

	for (size_t i = 0; i < CONNECTIONS_MAX; i++)
		count += connections->list[i].since_ns && connections->list[i].address == address;
	return count;
}

static struct listen_connection *oldest_of(struct listen_connections *connections, uint64_t address)
{
	struct listen_connection *oldest = NULL;

	for (size_t i = 0; i < CONNECTIONS_MAX; i++) {
		struct listen_connection *one = &connections->list[i];

		if (one->since_ns && one->address == address &&
		    (!oldest || one->since_ns < oldest->since_ns))
			oldest = one;
	}
	return oldest;
}

static uint64_t most_crowded(const struct listen_connections *connections)
{
	uint64_t address = 0;
	size_t most = 0;

	for (size_t i = 0; i < CONNECTIONS_MAX; i++) {
		const struct listen_connection *one = &connections->list[i];
		size_t count = one->since_ns ? count_of(connections, one->address) : 0;

		if (count > most) {
			most = count;
			address = one->address;
		}
	}
	return address;
}

struct listen_connection *listen_connections_crowded(struct listen_connections *connections,
						     uint64_t address)
{
	if (count_of(connections, address) >= CONNECTIONS_OF_ADDRESS_MAX)
		return oldest_of(connections, address);
	if (connections->count >= CONNECTIONS_MAX)
		return oldest_of(connections, most_crowded(connections));
	return NULL;
}

struct listen_connection *listen_connections_add(struct listen_connections *connections, int fd,
						 uint64_t address, uint64_t now_ns)
{
	struct listen_connection *free_one = connections->list;

	while (free_one->since_ns)
		free_one++;
	*free_one = (struct listen_connection){fd, address, now_ns};
	connections->count++;
	return free_one;
}

void listen_connections_remove(struct listen_connections *connections,
			       struct listen_connection *connection)
{
	/* The daemon also reports the end of a connection that it could not add. */
	if (!connection->since_ns)
		return;
	connection->since_ns = 0;
	connections->count--;
}

unsigned int listen_connections_expire(struct listen_connections *connections, uint64_t now_ns)
{
	unsigned int expired = 0;

	for (size_t i = 0; i < CONNECTIONS_MAX; i++) {
		const struct listen_connection *one = &connections->list[i];

		if (one->since_ns == 0 ||
		    now_ns - one->since_ns < CONNECTION_MS * UINT64_C(1000000))
			continue;
		shutdown(one->fd, SHUT_RDWR);
		expired++;
	}
	return expired;
}

/* Sockets of TCP by numeric address, and unix sockets. */

enum { BACKLOG = 1024, HOST_MAX = 64 };

static const char unix_prefix[] = "unix:";

static const char *unix_path(const char *address)
{
	size_t len = sizeof(unix_prefix) - 1;

	return strncmp(address, unix_prefix, len) == 0 ? address + len : NULL;
}

/* Splits "HOST:PORT"; host: "" for all addresses. */
static bool listen_split(const char *address, char host[static HOST_MAX], const char **port)
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
static int listen_resolve(const char *address, struct addrinfo **found)
{
	const struct addrinfo hints = {.ai_socktype = SOCK_STREAM,
				       .ai_flags = AI_PASSIVE | AI_NUMERICHOST | AI_NUMERICSERV};
	char host[HOST_MAX];
	const char *port;

	if (!listen_split(address, host, &port))
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
	if (listen_resolve(address, &found))
		return error_set(
			err, -EINVAL,
			"'%s' is not an address: 127.0.0.1:9100, [::1]:9100, :9100 for all, "
			"or unix:PATH",
			address);
	freeaddrinfo(found);
	return 0;
}

/* Whether the socket is one that an agent left behind. */
static bool listen_is_stale(const struct sockaddr_un *address)
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
	int r;

	/* It fits: see listen_check(). */
	memcpy(address.sun_path, path, strlen(path) + 1);
	if (listen_is_stale(&address))
		unlink(path);
	mask = umask(0177);
	r = bind(fd, (struct sockaddr *)&address, sizeof(address)) ? -errno : 0;
	umask(mask);
	return r;
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
	int fd, r = listen_check(address, err);

	if (r)
		return r;
	if (!path && listen_resolve(address, &to))
		return error_set(err, -EINVAL, "'%s' is not an address", address);
	fd = socket(to ? to->ai_family : AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	r = fd < 0 ? -errno : to ? bind_tcp(fd, to) : bind_unix(fd, path);
	if (to)
		freeaddrinfo(to);
	if (r == 0 && listen(fd, BACKLOG))
		r = -errno;
	if (r == 0)
		return fd;
	if (fd >= 0)
		close(fd);
	return error_set(err, r, "cannot listen on %s: %s", address, strerror(-r));
}

void listen_remove(const char *address)
{
	const char *path = unix_path(address);

	if (path)
		unlink(path);
}
