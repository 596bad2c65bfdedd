/* SPDX-License-Identifier: MIT */
/* socketpair: the two descriptors and sockets, families, failures. */
#include "harness/fixture.h"
#include "harness/live.h"

#include <sys/socket.h>

/* The same sockets as those of a message from the first to the second. */
static void expect_ends(const struct event *ev, int from)
{
	const struct event *sent;
	struct unix_ends ends;

	require(send(from, "x", 1, 0) == 1);
	sent = live_next(EVENT_sendto);
	ends = live_unix_ends(sent, sendto__tuple);
	expect_i64(ev, socketpair__source, (int64_t)ends.dest);
	expect_i64(ev, socketpair__peer, (int64_t)ends.source);
	expect_true(live_is_kernel_address(ends.source) && live_is_kernel_address(ends.dest));
	expect_true(ends.source != ends.dest);

	expect_i64(sent, sendto__res, 1);
	expect_bytes(sent, sendto__data, "x", 1);
	expect_i64(sent, sendto__fd, from);
	expect_i64(sent, sendto__size, 1);
	expect_tuple_unix(sent, sendto__tuple, ends.source, ends.dest, "");
}

static void check(long type)
{
	const struct event *ev;
	int fds[2];

	require(CALL(SYS_socketpair, AF_UNIX, type, 0, fds) == 0);
	ev = live_next(EVENT_socketpair);
	expect_i64(ev, socketpair__res, 0);
	expect_i64(ev, socketpair__fd1, fds[0]);
	expect_i64(ev, socketpair__fd2, fds[1]);
	expect_i64(ev, socketpair__domain, socket_families__AF_UNIX);
	expect_i64(ev, socketpair__type, type);
	expect_i64(ev, socketpair__proto, 0);
	expect_ends(ev, fds[0]);
	close(fds[0]);
	close(fds[1]);
}

static void check_failed(long domain, long type, long protocol, void *fds, long ret, int64_t family)
{
	const struct event *ev;

	require(CALL(SYS_socketpair, domain, type, protocol, fds) == ret);
	ev = live_next(EVENT_socketpair);
	expect_i64(ev, socketpair__res, ret);
	expect_i64(ev, socketpair__fd1, -1);
	expect_i64(ev, socketpair__fd2, -1);
	expect_i64(ev, socketpair__source, 0);
	expect_i64(ev, socketpair__peer, 0);
	expect_i64(ev, socketpair__domain, family);
	expect_i64(ev, socketpair__type, type);
	expect_i64(ev, socketpair__proto, (uint32_t)protocol);
}

LIVE_TEST(socketpair)
{
	int fds[2] = {5, 6};

	check(SOCK_STREAM);
	check(SOCK_DGRAM);
	check(SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK);
	check_failed(AF_UNIX, SOCK_STREAM, 0, UNREADABLE, -EFAULT, socket_families__AF_UNIX);
	check_failed(AF_UNIX, SOCK_STREAM, 0, NULL, -EFAULT, socket_families__AF_UNIX);
	check_failed(AF_INET, SOCK_STREAM, 0, fds, -EOPNOTSUPP, socket_families__AF_INET);
	check_failed(AF_UNIX, SOCK_STREAM, 77, fds, -EPROTONOSUPPORT, socket_families__AF_UNIX);
	check_failed(27, SOCK_STREAM, -1, fds, -EAFNOSUPPORT, 0);
}
