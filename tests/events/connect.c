/* SPDX-License-Identifier: MIT */
/* connect: addresses of all kinds, tuples of IP and unix sockets, calls in progress. */
#include "harness/fixture.h"
#include "harness/live.h"

#include <fcntl.h>

#include "harness/addresses.h"

/* Without a connection there is no tuple. */
static void check_failed(long fd, const struct address_case *to, long ret)
{
	const struct event *ev;

	require(CALL(SYS_connect, fd, to->address, to->len) == ret);
	ev = live_next(EVENT_connect);
	expect_i64(ev, connect__res, ret);
	expect_absent(ev, connect__tuple);
	expect_i64(ev, connect__fd, fd);
	expect_address_case(ev, connect__addr, to);
	expect_absent(ev, connect__addr_at_enter);
}

/* A new socket connected to the address of another one; `ret`: 0, or that it goes on. */
static void check_ip(const char *ip, int type, int server, long ret)
{
	struct address to = fixture_ip(ip, fixture_port(server));
	int fd = socket(to.any.sa_family, type, 0);
	const struct event *ev;

	require(fd > 0 && CALL(SYS_connect, fd, &to.any, to.len) == ret);
	ev = live_next(EVENT_connect);
	expect_i64(ev, connect__res, ret);
	expect_tuple_ip(ev, connect__tuple, ip, fixture_port(fd), ip, fixture_port(server));
	expect_i64(ev, connect__fd, fd);
	expect_address_ip(ev, connect__addr, ip, fixture_port(server));
	expect_absent(ev, connect__addr_at_enter);
	close(fd);
}

static void check_ip_sockets(const char *ip)
{
	struct address any_port = fixture_ip(ip, 0);
	int server = fixture_socket(SOCK_STREAM, &any_port, 8);
	int datagram = fixture_socket(SOCK_DGRAM, &any_port, 0);
	struct address closed = fixture_ip(ip, fixture_port(datagram));
	int fd = socket(closed.any.sa_family, SOCK_STREAM, 0);

	check_ip(ip, SOCK_STREAM, server, 0);
	check_ip(ip, SOCK_STREAM | SOCK_NONBLOCK, server, -EINPROGRESS);
	check_ip(ip, SOCK_DGRAM, datagram, 0);
	check_failed(fd, &(struct address_case){&closed.any, closed.len, ip, fixture_port(datagram), NULL},
		     -ECONNREFUSED);
	close(fd);
	close(server);
	close(datagram);
}

/* Disconnecting a datagram socket keeps its local end, except for an ephemeral port. */
static void check_dissolved(void)
{
	struct connection udp = fixture_connect("127.0.0.1", SOCK_DGRAM);
	struct sockaddr none = {.sa_family = AF_UNSPEC};
	const struct event *ev;

	live_skip();
	require(CALL(SYS_connect, udp.client, &none, sizeof(none)) == 0);
	ev = live_next(EVENT_connect);
	expect_i64(ev, connect__res, 0);
	expect_tuple_ip(ev, connect__tuple, "127.0.0.1", fixture_port(udp.client), "0.0.0.0", 0);
	expect_i64(ev, connect__fd, udp.client);
	expect_absent(ev, connect__addr);
	expect_absent(ev, connect__addr_at_enter);
	fixture_disconnect(&udp);
}

/* An IPv6 socket that is connected to an IPv4 address. */
static void check_mapped(void)
{
	struct address v4 = fixture_ip("127.0.0.1", 0);
	int server = fixture_socket(SOCK_DGRAM, &v4, 0), fd = socket(AF_INET6, SOCK_DGRAM, 0);
	struct address to = fixture_ip("::ffff:127.0.0.1", fixture_port(server));
	const struct event *ev;

	require(CALL(SYS_connect, fd, &to.any, to.len) == 0);
	ev = live_next(EVENT_connect);
	expect_i64(ev, connect__res, 0);
	expect_tuple_ip(ev, connect__tuple, "::ffff:127.0.0.1", fixture_port(fd),
			"::ffff:127.0.0.1", fixture_port(server));
	expect_i64(ev, connect__fd, fd);
	expect_address_ip(ev, connect__addr, "::ffff:127.0.0.1", fixture_port(server));
	expect_absent(ev, connect__addr_at_enter);
	close(fd);
	close(server);
}

static void check_unix(int type, const char *name, size_t len, const char *shown)
{
	struct address address = fixture_unix(name, len);
	int server = fixture_socket(type, &address, type == SOCK_STREAM ? 4 : 0);
	int fd = socket(AF_UNIX, type, 0);
	const struct event *ev;

	require(fd > 0 && CALL(SYS_connect, fd, &address.any, address.len) == 0);
	ev = live_next(EVENT_connect);
	expect_i64(ev, connect__res, 0);
	expect_tuple_unix(ev, connect__tuple, SOME_SOCKET, SOME_SOCKET, shown);
	expect_i64(ev, connect__fd, fd);
	expect_address_unix(ev, connect__addr, shown);
	expect_absent(ev, connect__addr_at_enter);
	close(fd);
	close(server);
}

LIVE_TEST(connect)
{
	const struct address_case *cases = address_cases();

	for (int i = 0; i < ADDRESS_CASES; i++)
		check_failed(NO_FD, &cases[i], -EBADF);
	check_failed(-1, &cases[0], -EBADF);
	check_ip_sockets("127.0.0.1");
	check_ip_sockets("::1");
	check_dissolved();
	check_mapped();
	check_unix(SOCK_STREAM, "sock", 5, "sock");
	check_unix(SOCK_DGRAM, "datagram-sock", 13, "datagram-sock");
	check_unix(SOCK_STREAM, "\0lanner-connect", 15, "@lanner-connect");
	check_unix(SOCK_DGRAM, "\0lanner-connect\0more", 20, "@lanner-connect");
}
