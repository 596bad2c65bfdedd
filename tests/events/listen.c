/* SPDX-License-Identifier: MIT */
/* listen: the backlog as it was given, and failures. */
#include "harness/fixture.h"
#include "harness/live.h"

static void check(long fd, long backlog, long ret)
{
	const struct event *ev;

	require(CALL(SYS_listen, fd, backlog) == ret);
	ev = live_next(EVENT_listen);
	expect_i64(ev, listen__res, ret);
	expect_i64(ev, listen__fd, (int)fd);
	expect_i64(ev, listen__backlog, (int)backlog);
}

LIVE_TEST(listen)
{
	struct address address = fixture_ip("127.0.0.1", 0);
	int stream = fixture_socket(SOCK_STREAM, &address, 0);
	int datagram = fixture_socket(SOCK_DGRAM, &address, 0);

	check(stream, 5, 0);
	check(stream, -1, 0);
	check(stream, 1L << 40, 0);
	check(datagram, 7, -EOPNOTSUPP);
	check(NO_FD, 128, -EBADF);
	check(-1, 0x7fffffff, -EBADF);
	close(stream);
	close(datagram);
}
