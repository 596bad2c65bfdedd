/* SPDX-License-Identifier: MIT */
/* sendto: data cut to the limit, tuples with and without a connection or an address. */
#include "harness/fixture.h"
#include "harness/live.h"

struct sent {
	long fd;
	const void *memory;
	size_t size;
	const struct address *to; /* or NULL */
	long ret;
};

/* Makes the call and compares all but the tuple. */
static const struct event *check(const struct sent *sent, size_t len)
{
	const struct event *ev;

	require(CALL(SYS_sendto, sent->fd, sent->memory, sent->size, MSG_NOSIGNAL,
		     sent->to ? &sent->to->any : NULL, sent->to ? sent->to->len : 0) == sent->ret);
	ev = live_next(EVENT_sendto);
	expect_i64(ev, sendto__res, sent->ret);
	expect_bytes(ev, sendto__data, sent->memory, len);
	expect_i64(ev, sendto__fd, (int)sent->fd);
	expect_i64(ev, sendto__size, (uint32_t)sent->size);
	return ev;
}

static void check_failed(const struct sent *sent, size_t len)
{
	expect_absent(check(sent, len), sendto__tuple);
}

static void check_connected(const char *ip, int type)
{
	struct connection link = fixture_connect(ip, type);
	const char *pattern = fixture_pattern(200);
	const struct event *ev;

	live_skip();
	ev = check(&(struct sent){link.client, pattern, 200, NULL, 200}, LIVE_SNAPLEN);
	expect_tuple_ip(ev, sendto__tuple, ip, link.client_port, ip, link.server_port);
	ev = check(&(struct sent){link.client, pattern, 20, NULL, 20}, 20);
	expect_tuple_ip(ev, sendto__tuple, ip, link.client_port, ip, link.server_port);
	fixture_disconnect(&link);
}

/* A datagram socket without a connection, which is bound to all addresses by its first message. */
static void check_unconnected(const char *ip, const char *any)
{
	struct address to = fixture_ip(ip, 0);
	int server = fixture_socket(SOCK_DGRAM, &to, 0);
	int fd = socket(to.any.sa_family, SOCK_DGRAM, 0);
	const char *pattern = fixture_pattern(20);
	const struct event *ev;

	to = fixture_own(server);
	ev = check(&(struct sent){fd, pattern, 20, &to, 20}, 20);
	expect_tuple_ip(ev, sendto__tuple, any, fixture_port(fd), ip, fixture_port(server));
	ev = check(&(struct sent){fd, pattern, 0, &to, 0}, 0);
	expect_tuple_ip(ev, sendto__tuple, any, fixture_port(fd), ip, fixture_port(server));
	check_failed(&(struct sent){fd, pattern, 20, NULL, -EDESTADDRREQ}, 20);
	close(fd);
	close(server);
}

static void check_unix_stream(void)
{
	const char *pattern = fixture_pattern(20);
	struct unix_ends ends;
	const struct event *ev;
	int fds[2];

	require(socketpair(AF_UNIX, SOCK_STREAM, 0, fds) == 0);
	ev = check(&(struct sent){fds[0], pattern, 20, NULL, 20}, 20);
	ends = live_unix_ends(ev, sendto__tuple);
	expect_tuple_unix(ev, sendto__tuple, SOME_SOCKET, SOME_SOCKET, "");
	ev = check(&(struct sent){fds[1], pattern, 20, NULL, 20}, 20);
	expect_tuple_unix(ev, sendto__tuple, ends.dest, ends.source, "");
	close(fds[1]);
	check_failed(&(struct sent){fds[0], pattern, 20, NULL, -EPIPE}, 20);
	close(fds[0]);
}

/* Without a peer, the name is that of the address argument. */
static void check_unix_datagram(const char *name, size_t len, const char *shown)
{
	struct address to = fixture_unix(name, len);
	int server = fixture_socket(SOCK_DGRAM, &to, 0), fd = socket(AF_UNIX, SOCK_DGRAM, 0);
	const char *pattern = fixture_pattern(20);
	struct unix_ends ends;
	const struct event *ev;

	ev = check(&(struct sent){fd, pattern, 20, &to, 20}, 20);
	ends = live_unix_ends(ev, sendto__tuple);
	expect_tuple_unix(ev, sendto__tuple, 0, SOME_SOCKET, shown);
	require(connect(fd, &to.any, to.len) == 0);
	ev = check(&(struct sent){fd, pattern, 20, NULL, 20}, 20);
	expect_tuple_unix(ev, sendto__tuple, SOME_SOCKET, ends.dest, shown);
	close(fd);
	close(server);
}

LIVE_TEST(sendto)
{
	struct connection udp = fixture_connect("127.0.0.1", SOCK_DGRAM);
	const char *pattern = fixture_pattern(200);
	struct address to = fixture_ip("127.0.0.1", 9);

	check_failed(&(struct sent){NO_FD, pattern, 13, NULL, -EBADF}, 13);
	check_failed(&(struct sent){-1, pattern, 200, &to, -EBADF}, LIVE_SNAPLEN);
	check_failed(&(struct sent){0, pattern, 13, NULL, -ENOTSOCK}, 13);
	check_failed(&(struct sent){udp.client, UNREADABLE, 10, NULL, -EFAULT}, 0);
	fixture_disconnect(&udp);
	check_connected("127.0.0.1", SOCK_STREAM);
	check_connected("127.0.0.1", SOCK_DGRAM);
	check_connected("::1", SOCK_STREAM);
	check_connected("::1", SOCK_DGRAM);
	check_unconnected("127.0.0.1", "0.0.0.0");
	check_unconnected("::1", "::");
	check_unix_stream();
	check_unix_datagram("sock", 5, "sock");
	check_unix_datagram("long-name-without-nul", 21, "long-name-without-nul");
	check_unix_datagram("\0lanner-sendto", 14, "@lanner-sendto");
}
