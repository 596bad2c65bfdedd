/* SPDX-License-Identifier: MIT */
/* recvfrom: data cut to the limit, tuples with and without a connection or an address. */
#include "harness/fixture.h"
#include "harness/live.h"

struct received {
	long fd;
	void *memory;
	size_t size;
	bool wants_address;
	long ret;
};

/* Makes the call and compares all but the tuple. */
static const struct event *check(const struct received *received, const char *data, size_t len)
{
	struct address from = {.len = sizeof(from) - sizeof(from.len)};
	const struct event *ev;

	require(CALL(SYS_recvfrom, received->fd, received->memory, received->size, MSG_DONTWAIT,
		     received->wants_address ? &from.any : NULL,
		     received->wants_address ? &from.len : NULL) == received->ret);
	ev = live_next(EVENT_recvfrom);
	expect_i64(ev, recvfrom__res, received->ret);
	expect_bytes(ev, recvfrom__data, data, len);
	expect_i64(ev, recvfrom__fd, (int)received->fd);
	expect_i64(ev, recvfrom__size, (uint32_t)received->size);
	return ev;
}

static void check_failed(const struct received *received)
{
	expect_absent(check(received, NULL, 0), recvfrom__tuple);
}

static void check_stream(const char *ip)
{
	struct connection link = fixture_connect(ip, SOCK_STREAM);
	const char *pattern = fixture_pattern(200);
	const struct event *ev;
	char memory[300];

	require(send(link.client, pattern, 200, 0) == 200);
	ev = check(&(struct received){link.server, memory, 20, false, 20}, pattern, 20);
	expect_tuple_ip(ev, recvfrom__tuple, ip, link.client_port, ip, link.server_port);
	ev = check(&(struct received){link.server, memory, 300, true, 180}, pattern + 20,
		   LIVE_SNAPLEN);
	expect_tuple_ip(ev, recvfrom__tuple, ip, link.client_port, ip, link.server_port);
	check_failed(&(struct received){link.server, memory, 300, false, -EAGAIN});
	require(shutdown(link.client, SHUT_WR) == 0);
	ev = check(&(struct received){link.server, memory, 300, false, 0}, NULL, 0);
	expect_tuple_ip(ev, recvfrom__tuple, ip, link.client_port, ip, link.server_port);
	fixture_disconnect(&link);
}

/* The server's end has no connection: the sender is known only from the address argument. */
static void check_datagram(const char *ip, const char *any)
{
	struct connection link = fixture_connect(ip, SOCK_DGRAM);
	const char *pattern = fixture_pattern(200);
	const struct event *ev;
	char memory[300];

	for (int i = 0; i < 3; i++)
		require(send(link.client, pattern, 200, 0) == 200);
	require(send(link.client, pattern, 0, 0) == 0);
	ev = check(&(struct received){link.server, memory, 300, true, 200}, pattern, LIVE_SNAPLEN);
	expect_tuple_ip(ev, recvfrom__tuple, ip, link.client_port, ip, link.server_port);
	ev = check(&(struct received){link.server, memory, 300, false, 200}, pattern, LIVE_SNAPLEN);
	expect_tuple_ip(ev, recvfrom__tuple, any, 0, ip, link.server_port);
	ev = check(&(struct received){link.server, memory, 30, true, 30}, pattern, 30);
	expect_tuple_ip(ev, recvfrom__tuple, ip, link.client_port, ip, link.server_port);
	ev = check(&(struct received){link.server, memory, 300, true, 0}, NULL, 0);
	expect_tuple_ip(ev, recvfrom__tuple, ip, link.client_port, ip, link.server_port);
	check_failed(&(struct received){link.server, memory, 300, true, -EAGAIN});
	fixture_disconnect(&link);
}

static void check_unix(const char *name, size_t len, const char *shown)
{
	struct address own = fixture_unix(name, len);
	int server = fixture_socket(SOCK_DGRAM, &own, 0), fd = socket(AF_UNIX, SOCK_DGRAM, 0);
	char memory[30];
	const struct event *ev;

	require(sendto(fd, "xyz", 3, 0, &own.any, own.len) == 3);
	ev = check(&(struct received){server, memory, 30, true, 3}, "xyz", 3);
	expect_tuple_unix(ev, recvfrom__tuple, SOME_SOCKET, 0, shown);
	close(fd);
	close(server);
}

/* Both ends are those of the sender's event, the other way round. */
static void check_unix_pair(void)
{
	char memory[30];
	const struct event *ev, *sent;
	int fds[2];

	live_skip();
	require(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, fds) == 0 && send(fds[1], "x", 1, 0) == 1);
	ev = check(&(struct received){fds[0], memory, 30, false, 1}, "x", 1);
	sent = live_next(EVENT_sendto);
	expect_i64(sent, sendto__res, 1);
	expect_bytes(sent, sendto__data, "x", 1);
	expect_i64(sent, sendto__fd, fds[1]);
	expect_i64(sent, sendto__size, 1);
	expect_tuple_unix(sent, sendto__tuple, SOME_SOCKET, SOME_SOCKET, "");
	/* The sender's peer is the receiver itself. */
	expect_tuple_unix(ev, recvfrom__tuple, live_unix_ends(sent, sendto__tuple).source,
			  live_unix_ends(sent, sendto__tuple).dest, "");
	close(fds[0]);
	close(fds[1]);
}

LIVE_TEST(recvfrom)
{
	char memory[20];
	struct connection udp = fixture_connect("127.0.0.1", SOCK_DGRAM);

	check_failed(&(struct received){NO_FD, memory, 20, false, -EBADF});
	check_failed(&(struct received){-1, memory, 20, true, -EBADF});
	check_failed(&(struct received){0, memory, 20, false, -ENOTSOCK});
	require(send(udp.client, "x", 1, 0) == 1);
	check_failed(&(struct received){udp.server, UNREADABLE, 20, true, -EFAULT});
	fixture_disconnect(&udp);
	check_stream("127.0.0.1");
	check_stream("::1");
	check_datagram("127.0.0.1", "0.0.0.0");
	check_datagram("::1", "::");
	check_unix("sock", 5, "sock");
	check_unix("\0lanner-recvfrom", 16, "@lanner-recvfrom");
	check_unix_pair();
}
