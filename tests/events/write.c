/* SPDX-License-Identifier: MIT */
/* write: data cut to the limit, also of calls that failed; memory that cannot be read. */
#include <fcntl.h>

#include "harness/fixture.h"
#include "harness/live.h"

static void check(long fd, const void *memory, size_t size, long ret, const char *data, size_t len)
{
	const struct event *ev;

	require(CALL(SYS_write, fd, memory, size) == ret);
	ev = live_next(EVENT_write);
	expect_i64(ev, write__res, ret);
	expect_bytes(ev, write__data, data, len);
	expect_i64(ev, write__fd, (int)fd);
	expect_i64(ev, write__size, (uint32_t)size);
}

/* A pipe with room for less than is written takes the first bytes only. */
static void check_short(const char *pattern)
{
	enum { PIPE_BYTES = 4096 };
	int fds[2];

	require(pipe2(fds, O_NONBLOCK) == 0);
	require(fcntl(fds[1], F_SETPIPE_SZ, PIPE_BYTES) == PIPE_BYTES);
	check(fds[1], pattern, 2 * PIPE_BYTES, PIPE_BYTES, pattern, LIVE_SNAPLEN);
	check(fds[1], pattern, 100, -EAGAIN, pattern, LIVE_SNAPLEN);
	close(fds[0]);
	close(fds[1]);
}

LIVE_TEST(write)
{
	const char *pattern = fixture_pattern(200);
	int fd = open("file", O_RDWR | O_CREAT, 0644);

	require(fd > 0);
	check(fd, pattern, 7, 7, pattern, 7);
	check(fd, pattern, 200, 200, pattern, LIVE_SNAPLEN);
	check(fd, pattern, LIVE_SNAPLEN, LIVE_SNAPLEN, pattern, LIVE_SNAPLEN);
	check(fd, pattern, 0, 0, NULL, 0);
	check(fd, fixture_edge(pattern, 33), 33, 33, pattern, 33);
	check(fd, UNREADABLE, 12, -EFAULT, NULL, 0);
	check(fd, NULL, 12, -EFAULT, NULL, 0);
	check(NO_FD, pattern, 33, -EBADF, pattern, 33);
	check(NO_FD, pattern, 0x100000064L, -EBADF, pattern, LIVE_SNAPLEN);
	check(-1, fixture_edge(pattern, 33), 34, -EBADF, NULL, 0);
	check_short(pattern);
	close(fd);
}
