/* SPDX-License-Identifier: MIT */
/* What the tests of accept and accept4 have in common: all but the flags of the latter. */
#include "harness/accepting.h"

#include <sys/ioctl.h>

#include "harness/fixture.h"
#include "harness/live.h"

_Static_assert((int)accept__fd == (int)accept4__fd, "the same parameters up to queuemax");
_Static_assert((int)accept__queuemax == (int)accept4__queuemax,
	       "the same parameters up to queuemax");

enum { BACKLOG = 7, WAITING = 3 };

static void expect_rest(const struct event *ev, long ret, int64_t percent, int64_t length,
			int64_t limit)
{
	expect_i64(ev, accept__fd, ret);
	expect_i64(ev, accept__queuepct, percent);
	expect_i64(ev, accept__queuelen, length);
	expect_i64(ev, accept__queuemax, limit);
	if (ev->desc->id == EVENT_accept4)
		expect_i64(ev, accept4__flags, 0);
}

static void check_failed(unsigned int event, long (*call)(long fd), long fd, long ret)
{
	const struct event *ev;

	require(call(fd) == ret);
	ev = live_next(event);
	expect_absent(ev, accept__tuple);
	expect_rest(ev, ret, 0, 0, 0);
}

static void check_failures(unsigned int event, long (*call)(long fd))
{
	struct address any_port = fixture_ip("127.0.0.1", 0);
	int listener = fixture_socket(SOCK_STREAM, &any_port, 1);
	int idle = fixture_socket(SOCK_STREAM, &any_port, 0), on = 1;

	require(ioctl(listener, FIONBIO, &on) == 0);
	check_failed(event, call, listener, -EAGAIN);
	check_failed(event, call, idle, -EINVAL);
	check_failed(event, call, NO_FD, -EBADF);
	check_failed(event, call, -1, -EBADF);
	check_failed(event, call, 0, -ENOTSOCK);
	close(listener);
	close(idle);
}

/* Takes the waiting clients one by one; the queue is what remains after each. */
static void check_ip(unsigned int event, long (*call)(long fd), const char *ip)
{
	struct address address = fixture_ip(ip, 0);
	int listener = fixture_socket(SOCK_STREAM, &address, BACKLOG), clients[WAITING];

	address = fixture_own(listener);
	for (int i = 0; i < WAITING; i++) {
		clients[i] = socket(address.any.sa_family, SOCK_STREAM, 0);
		require(connect(clients[i], &address.any, address.len) == 0);
	}
	for (int i = 0; i < WAITING; i++) {
		int left = WAITING - 1 - i;
		long fd = call(listener);
		const struct event *ev;

		require(fd > 0);
		ev = live_next(event);
		expect_tuple_ip(ev, accept__tuple, ip, fixture_port(clients[i]), ip,
				fixture_port(listener));
		expect_rest(ev, fd, 100 * left / BACKLOG, left, BACKLOG);
		close((int)fd);
		close(clients[i]);
	}
	close(listener);
}

/* The two ends are those that the client's connect showed, the other way round. */
static void check_unix(unsigned int event, long (*call)(long fd), const char *name, size_t len,
		       const char *shown)
{
	struct address address = fixture_unix(name, len);
	int listener = fixture_socket(SOCK_STREAM, &address, BACKLOG);
	int client = socket(AF_UNIX, SOCK_STREAM, 0);
	const struct event *ev, *sent;
	struct unix_ends ends;
	long fd;

	require(connect(client, &address.any, address.len) == 0);
	fd = call(listener);
	require(fd > 0 && send(client, "x", 1, 0) == 1);
	ev = live_next(event);
	sent = live_next(EVENT_sendto);
	ends = live_unix_ends(sent, sendto__tuple);
	expect_tuple_unix(ev, accept__tuple, ends.source, ends.dest, shown);
	expect_rest(ev, fd, 0, 0, BACKLOG);

	expect_i64(sent, sendto__res, 1);
	expect_bytes(sent, sendto__data, "x", 1);
	expect_i64(sent, sendto__fd, client);
	expect_i64(sent, sendto__size, 1);
	expect_tuple_unix(sent, sendto__tuple, SOME_SOCKET, SOME_SOCKET, shown);
	close((int)fd);
	close(client);
	close(listener);
}

void accepting_check(unsigned int event, long (*call)(long fd))
{
	check_failures(event, call);
	check_ip(event, call, "127.0.0.1");
	check_ip(event, call, "::1");
	check_unix(event, call, "accept-sock", 12, "accept-sock");
	check_unix(event, call, "\0lanner-accept", 14, "@lanner-accept");
}
