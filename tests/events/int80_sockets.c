/* SPDX-License-Identifier: MIT */
/* 32-bit programs: calls on sockets, by their own numbers and by the multiplexed one. */
#include <string.h>
#include <sys/time.h>
#include <sys/uio.h>

#include "harness/alike.h"
#include "harness/fixture.h"
#include "harness/int80.h"
#include "harness/live.h"

#ifdef __x86_64__

enum { NR_SOCKETCALL = 102, BYTES = 100, OPTION_TIMEOUT_NEW = 66 };

/* How the call is made that the number stands for. */
#define PACKED(operation, ...)                                                                     \
	{                                                                                          \
		NR_SOCKETCALL,                                                                     \
		{                                                                                  \
			operation, LOW_WORDS(__VA_ARGS__)                                          \
		}                                                                                  \
	}

/* The same arguments on both sides; pointers are low ones. */
#define expect_packed(native_number, operation, ...)                                               \
	alike_check({native_number, {__VA_ARGS__}}, PACKED(operation, __VA_ARGS__))

/* A message of two buffers, in both forms; name 0: none. */
struct both_messages {
	long wide, narrow;
};

static struct both_messages messages(long memory, long name, uint32_t name_len, uint32_t count)
{
	const struct iovec vector[] = {{(void *)memory, 10}, {(void *)(memory + 30), BYTES}};
	const long narrow_vector = LOW_WORDS((uint32_t)memory, 10, (uint32_t)memory + 30, BYTES);
	const struct msghdr wide = {
		.msg_name = (void *)name,
		.msg_namelen = name_len,
		.msg_iov = (void *)low_copy(vector, sizeof(vector)),
		.msg_iovlen = 2,
	};
	struct mmsghdr wides[2] = {{.msg_hdr = wide}, {.msg_hdr = wide}};
	uint32_t narrow[] = {(uint32_t)name, name_len, (uint32_t)narrow_vector, 2, 0, 0, 0, 0};
	uint32_t narrows[2][8];

	memcpy(narrows[0], narrow, sizeof(narrow));
	memcpy(narrows[1], narrow, sizeof(narrow));
	require(count <= 2);
	return (struct both_messages){low_copy(wides, sizeof(wides)),
				      low_copy(narrows, sizeof(narrows))};
}

static void check_making(void)
{
	uint32_t pair[2];
	long words = LOW_WORDS(0, 0);
	const struct event *ev;

	alike_check({SYS_socket, {AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0}},
		    PACKED(1, AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0), .makes_fd = true);
	expect_packed(SYS_socket, 1, 77, 5, 6);
	expect_packed(SYS_socketpair, 8, AF_UNIX, 77, 0, (uint32_t)words);
	live_skip();
	require(int80_call(NR_SOCKETCALL, 8, LOW_WORDS(AF_UNIX, SOCK_STREAM, 0, (uint32_t)words), 0,
			   0, 0, 0) == 0);
	memcpy(pair, (void *)words, sizeof(pair));
	ev = live_next(EVENT_socketpair);
	expect_i64(ev, socketpair__res, 0);
	expect_i64(ev, socketpair__fd1, pair[0]);
	expect_i64(ev, socketpair__fd2, pair[1]);
	expect_true(event_param_i64(ev, socketpair__source) != 0);
	expect_range(ev, socketpair__source, INT64_MIN, -1);
	expect_range(ev, socketpair__peer, INT64_MIN, -1);
	expect_i64(ev, socketpair__domain, AF_UNIX);
	expect_i64(ev, socketpair__type, SOCK_STREAM);
	expect_i64(ev, socketpair__proto, 0);
	close((int)pair[0]);
	close((int)pair[1]);
}

static void check_names(void)
{
	struct address address = fixture_ip("127.0.0.1", 40404);
	int listener, fd = socket(AF_INET, SOCK_DGRAM, 0), made;
	long at = low_copy(&address.any, address.len), len = LOW_WORDS(128);
	static const char room[128];
	long name = low_copy(room, sizeof(room));

	address.v4.sin_port = 0;
	listener = fixture_socket(SOCK_STREAM, &address, 3);
	expect_packed(SYS_bind, 2, NO_FD, (uint32_t)at, address.len);
	expect_packed(SYS_connect, 3, (uint32_t)fd, (uint32_t)at, address.len);
	expect_alike(SYS_connect, 362, fd, at, address.len);
	expect_packed(SYS_connect, 3, NO_FD, (uint32_t)at, address.len);
	expect_packed(SYS_listen, 4, (uint32_t)listener, 3);
	expect_packed(SYS_accept, 5, NO_FD, (uint32_t)name, (uint32_t)len);
	expect_packed(SYS_getsockname, 6, (uint32_t)fd, (uint32_t)name, (uint32_t)len);
	expect_packed(SYS_getpeername, 7, (uint32_t)fd, (uint32_t)name, (uint32_t)len);
	expect_packed(SYS_shutdown, 13, NO_FD, SHUT_WR);
	expect_packed(SYS_accept4, 18, NO_FD, (uint32_t)name, (uint32_t)len, SOCK_NONBLOCK);
	address = fixture_own(listener);
	for (int i = 0; i < 2; i++) {
		made = socket(AF_INET, SOCK_STREAM, 0);
		require(made >= 0 && connect(made, &address.any, address.len) == 0);
	}
	/* The client's port is in the tuple, and one less waits in the queue. */
	alike_check({SYS_accept4, {listener, 0, 0, SOCK_NONBLOCK}},
		    PACKED(18, (uint32_t)listener, 0, 0, SOCK_NONBLOCK), .makes_fd = true,
		    .except =
			    1 << accept4__tuple | 1 << accept4__queuelen | 1 << accept4__queuepct);
}

static void check_options(int fd)
{
	const struct timeval wide = {.tv_sec = 7, .tv_usec = 250000};
	long value = low_copy(&wide, sizeof(wide)), narrow = LOW_WORDS(7, 250000, 99, 99);

	alike_check({SYS_setsockopt, {fd, SOL_SOCKET, SO_RCVTIMEO, value, sizeof(wide)}},
		    PACKED(14, (uint32_t)fd, SOL_SOCKET, SO_RCVTIMEO, (uint32_t)narrow, 8),
		    .except = 1 << setsockopt__optlen);
	alike_check({SYS_getsockopt, {fd, SOL_SOCKET, SO_RCVTIMEO, value, LOW_WORDS(16)}},
		    PACKED(15, (uint32_t)fd, SOL_SOCKET, SO_RCVTIMEO, (uint32_t)narrow,
			   (uint32_t)LOW_WORDS(8)),
		    .except = 1 << getsockopt__optlen);
	expect_packed(SYS_setsockopt, 14, (uint32_t)fd, SOL_SOCKET, OPTION_TIMEOUT_NEW,
		      (uint32_t)value, 16);
	expect_packed(SYS_setsockopt, 14, (uint32_t)fd, SOL_SOCKET, SO_SNDBUF,
		      (uint32_t)LOW_WORDS(4096), 4);
	expect_packed(SYS_getsockopt, 15, NO_FD, SOL_SOCKET, SO_SNDBUF, (uint32_t)value,
		      (uint32_t)LOW_WORDS(4));
}

/* send and recv are calls that 64-bit programs do not have. */
static void check_send_recv(const struct connection *connection, long memory)
{
	const struct event *ev;
	const char *pattern = fixture_pattern(BYTES);

	live_skip();
	require(int80_call(NR_SOCKETCALL, 9,
			   LOW_WORDS((uint32_t)connection->client, (uint32_t)memory, BYTES, 0), 0,
			   0, 0, 0) == BYTES);
	ev = live_next(EVENT_send);
	expect_i64(ev, send__res, BYTES);
	expect_bytes(ev, send__data, pattern, LIVE_SNAPLEN);
	expect_i64(ev, send__fd, connection->client);
	expect_i64(ev, send__size, BYTES);
	expect_tuple_ip(ev, send__tuple, "127.0.0.1", connection->client_port, "127.0.0.1",
			connection->server_port);
	require(int80_call(NR_SOCKETCALL, 10,
			   LOW_WORDS((uint32_t)connection->server, (uint32_t)memory, BYTES, 0), 0,
			   0, 0, 0) == BYTES);
	ev = live_next(EVENT_recv);
	expect_i64(ev, recv__res, BYTES);
	expect_bytes(ev, recv__data, pattern, LIVE_SNAPLEN);
	expect_i64(ev, recv__fd, connection->server);
	expect_i64(ev, recv__size, BYTES);
	expect_tuple_ip(ev, recv__tuple, "127.0.0.1", connection->client_port, "127.0.0.1",
			connection->server_port);
	require(int80_call(NR_SOCKETCALL, 9, LOW_WORDS(NO_FD, (uint32_t)memory, 3, 0), 0, 0, 0,
			   0) == -EBADF);
	expect_params(live_next(EVENT_send), NUMBER(-EBADF), BYTES(pattern, 3), NUMBER(NO_FD),
		      NUMBER(3), ABSENT);
	require(int80_call(NR_SOCKETCALL, 10, LOW_WORDS(NO_FD, (uint32_t)memory, 3, 0), 0, 0, 0,
			   0) == -EBADF);
	expect_params(live_next(EVENT_recv), NUMBER(-EBADF), ABSENT, NUMBER(NO_FD), NUMBER(3),
		      ABSENT);
}

static void check_messages(int from, int to, long memory)
{
	const struct both_messages one = messages(memory, 0, 0, 2);
	const long bad = (long)UNREADABLE;
	const uint32_t low_from = (uint32_t)from, low_to = (uint32_t)to;

	expect_packed(SYS_sendto, 11, low_from, (uint32_t)memory, BYTES, 0, 0, 0);
	expect_packed(SYS_recvfrom, 12, low_to, (uint32_t)memory, BYTES, 0, 0, 0);
	alike_check({SYS_sendmsg, {from, one.wide, 0}}, {370, {from, one.narrow, 0}});
	alike_check({SYS_recvmsg, {to, one.wide, 0}}, {372, {to, one.narrow, 0}});
	alike_check({SYS_sendmsg, {from, one.wide, 0}},
		    PACKED(16, low_from, (uint32_t)one.narrow, 0));
	alike_check({SYS_recvmsg, {to, one.wide, 0}}, PACKED(17, low_to, (uint32_t)one.narrow, 0));
	alike_check({SYS_sendmsg, {from, bad, 0}}, {370, {from, bad, 0}});
	alike_check({SYS_sendmsg, {NO_FD, one.wide, 0}}, {370, {NO_FD, one.narrow, 0}});
	alike_check({SYS_recvmsg, {NO_FD, one.wide, 0}}, {372, {NO_FD, one.narrow, 0}});
	alike_check({SYS_sendmmsg, {NO_FD, one.wide, 2, 0}}, {345, {NO_FD, one.narrow, 2, 0}});
	alike_check({SYS_recvmmsg, {NO_FD, one.wide, 2, 0, 0}},
		    {337, {NO_FD, one.narrow, 2, 0, 0}});
}

/* The events of two messages each, whose result is the message's and not the call's. */
static void check_several(int from, int to, long memory)
{
	const struct both_messages two = messages(memory, 0, 0, 2);
	const long sent[][2] = {
		{CALL(SYS_sendmmsg, from, two.wide, 2, 0),
		 int80_call(345, from, two.narrow, 2, 0, 0, 0)},
		{CALL(SYS_recvmmsg, to, two.wide, 2, 0, 0),
		 int80_call(417, to, two.narrow, 2, 0, 0, 0)},
		{CALL(SYS_sendmmsg, from, two.wide, 2, 0),
		 int80_call(NR_SOCKETCALL, 20,
			    LOW_WORDS((uint32_t)from, (uint32_t)two.narrow, 2, 0), 0, 0, 0, 0)},
		{CALL(SYS_recvmmsg, to, two.wide, 2, 0, 0),
		 int80_call(NR_SOCKETCALL, 19,
			    LOW_WORDS((uint32_t)to, (uint32_t)two.narrow, 2, 0, 0), 0, 0, 0, 0)},
	};

	for (int i = 0; i < 4; i++) {
		unsigned int event = i % 2 ? EVENT_recvmmsg : EVENT_sendmmsg;
		const struct event *events[4];

		require(sent[i][0] == 2 && sent[i][1] == 2);
		for (int n = 0; n < 4; n++)
			events[n] = live_next(event);
		for (int n = 0; n < 4; n++)
			for (unsigned int p = 0; p < events[n]->desc->nparams; p++)
				expect_bytes(events[n], p, events[n % 2]->params[p].data,
					     events[n % 2]->params[p].len);
	}
}

LIVE_TEST(int80_sockets)
{
	long memory = low_copy(fixture_pattern(4 * BYTES), 4 * BYTES);
	struct connection connection = fixture_connect("127.0.0.1", SOCK_STREAM);
	int fds[2];

	check_making();
	check_names();
	check_options(connection.client);
	check_send_recv(&connection, memory);
	require(socketpair(AF_UNIX, SOCK_DGRAM, 0, fds) == 0);
	check_messages(fds[0], fds[1], memory);
	live_skip();
	check_several(fds[0], fds[1], memory);
	close(fds[0]);
	close(fds[1]);
	fixture_disconnect(&connection);
}

#endif
