/* SPDX-License-Identifier: MIT */
/* Who has to go when a connection comes, and when its time is over. */
#include "net/listen.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "unit.h"

static uint64_t of_text(const char *text)
{
	struct sockaddr_in ipv4 = {.sin_family = AF_INET};
	struct sockaddr_in6 ipv6 = {.sin6_family = AF_INET6};

	if (inet_pton(AF_INET, text, &ipv4.sin_addr) == 1)
		return listen_connections_address((struct sockaddr *)&ipv4);
	assert_int_equal(inet_pton(AF_INET6, text, &ipv6.sin6_addr), 1);
	return listen_connections_address((struct sockaddr *)&ipv6);
}

static void test_addresses(void **state)
{
	const struct sockaddr local = {.sa_family = AF_UNIX};

	assert_true(of_text("127.0.0.1") == of_text("127.9.9.9"));
	assert_true(of_text("127.0.0.1") == of_text("::1"));
	assert_true(of_text("10.0.0.1") == of_text("::ffff:10.0.0.1"));
	assert_true(of_text("10.0.0.1") != of_text("10.0.0.2"));
	assert_true(of_text("2001:db8::1") == of_text("2001:db8::ffff:1"));
	assert_true(of_text("2001:db8::1") != of_text("2001:db8:0:1::1"));
	assert_int_equal(listen_connections_address(&local), 0);
}

/* Fills it: one of address 1, which is the oldest, then others of `addresses` from 2 on. */
static void fill(struct listen_connections *connections, uint64_t addresses)
{
	listen_connections_add(connections, -1, 1, 1);
	for (uint64_t i = 0; connections->count < CONNECTIONS_MAX; i++) {
		assert_null(listen_connections_crowded(connections, 2 + i % addresses));
		listen_connections_add(connections, -1, 2 + i % addresses, 2 + i);
	}
}

static void test_an_address_crowds_itself(void **state)
{
	struct listen_connections connections = {0};

	listen_connections_add(&connections, -1, 1, 1);
	for (int i = 0; i < CONNECTIONS_OF_ADDRESS_MAX; i++) {
		assert_null(listen_connections_crowded(&connections, 2));
		listen_connections_add(&connections, -1, 2, 10u + (unsigned int)i);
	}
	assert_int_equal(listen_connections_crowded(&connections, 2)->since_ns, 10);
	assert_null(listen_connections_crowded(&connections, 1));
	listen_connections_remove(&connections, listen_connections_crowded(&connections, 2));
	assert_null(listen_connections_crowded(&connections, 2));
}

/* Who has few of them stays, though his is the oldest. */
static void test_the_crowd_makes_room(void **state)
{
	struct listen_connections connections = {0};

	fill(&connections, 4);
	assert_int_equal(listen_connections_crowded(&connections, 99)->since_ns, 2);
	assert_int_equal(listen_connections_crowded(&connections, 1)->since_ns, 2);
}

static void test_expired(void **state)
{
	const uint64_t limit = CONNECTION_MS * UINT64_C(1000000);
	struct listen_connections connections = {0};
	struct listen_connection *old;
	int ends[2];
	char byte;

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	old = listen_connections_add(&connections, ends[0], 1, 1);
	listen_connections_add(&connections, -1, 1, 2);
	assert_int_equal(listen_connections_expire(&connections, limit), 0);
	assert_int_equal(listen_connections_expire(&connections, limit + 1), 1);
	assert_int_equal(read(ends[1], &byte, 1), 0);
	listen_connections_remove(&connections, old);
	assert_int_equal(listen_connections_expire(&connections, limit + 1), 0);
	assert_int_equal(connections.count, 1);
	close(ends[0]);
	close(ends[1]);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_addresses),
	cmocka_unit_test(test_an_address_crowds_itself),
	cmocka_unit_test(test_the_crowd_makes_room),
	cmocka_unit_test(test_expired),
};

UNIT_GROUP(tests);
