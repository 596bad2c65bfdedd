/* SPDX-License-Identifier: MIT */
/* A short list, looked through as a whole. */
#include "agent/control/connections.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>

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

uint64_t connections_address(const struct sockaddr *address)
{
	if (address->sa_family == AF_INET)
		return address_of_ipv4(
			ntohl(((const struct sockaddr_in *)address)->sin_addr.s_addr));
	if (address->sa_family == AF_INET6)
		return address_of_ipv6(&((const struct sockaddr_in6 *)address)->sin6_addr);
	return 0;
}

static size_t count_of(const struct connections *connections, uint64_t address)
{
	size_t count = 0;

	for (size_t i = 0; i < CONNECTIONS_MAX; i++)
		count += connections->list[i].since_ns && connections->list[i].address == address;
	return count;
}

static struct connection *oldest_of(struct connections *connections, uint64_t address)
{
	struct connection *oldest = NULL;

	for (size_t i = 0; i < CONNECTIONS_MAX; i++) {
		struct connection *one = &connections->list[i];

		if (one->since_ns && one->address == address &&
		    (!oldest || one->since_ns < oldest->since_ns))
			oldest = one;
	}
	return oldest;
}

static uint64_t most_crowded(const struct connections *connections)
{
	uint64_t address = 0;
	size_t most = 0;

	for (size_t i = 0; i < CONNECTIONS_MAX; i++) {
		const struct connection *one = &connections->list[i];
		size_t count = one->since_ns ? count_of(connections, one->address) : 0;

		if (count > most) {
			most = count;
			address = one->address;
		}
	}
	return address;
}

struct connection *connections_crowded(struct connections *connections, uint64_t address)
{
	if (count_of(connections, address) >= CONNECTIONS_OF_ADDRESS_MAX)
		return oldest_of(connections, address);
	if (connections->count >= CONNECTIONS_MAX)
		return oldest_of(connections, most_crowded(connections));
	return NULL;
}

struct connection *connections_add(struct connections *connections, int fd, uint64_t address,
				   uint64_t now_ns)
{
	struct connection *free_one = connections->list;

	while (free_one->since_ns)
		free_one++;
	*free_one = (struct connection){fd, address, now_ns};
	connections->count++;
	return free_one;
}

void connections_remove(struct connections *connections, struct connection *connection)
{
	/* The daemon also reports the end of a connection that it could not add. */
	if (!connection->since_ns)
		return;
	connection->since_ns = 0;
	connections->count--;
}

unsigned int connections_expire(struct connections *connections, uint64_t now_ns)
{
	unsigned int expired = 0;

	for (size_t i = 0; i < CONNECTIONS_MAX; i++) {
		const struct connection *one = &connections->list[i];

		if (one->since_ns == 0 ||
		    now_ns - one->since_ns < CONNECTION_MS * UINT64_C(1000000))
			continue;
		shutdown(one->fd, SHUT_RDWR);
		expired++;
	}
	return expired;
}
