/* SPDX-License-Identifier: MIT */
/* pwrite: data cut to the limit, positions, failures. */
#include <fcntl.h>

#include "harness/fixture.h"
#include "harness/live.h"

static void check(long fd, const void *memory, size_t size, long pos, long ret, const char *data,
		  size_t len)
{
	const struct event *ev;

	require(CALL(SYS_pwrite64, fd, memory, size, pos) == ret);
	ev = live_next(EVENT_pwrite);
	expect_i64(ev, pwrite__res, ret);
	expect_bytes(ev, pwrite__data, data, len);
	expect_i64(ev, pwrite__fd, (int)fd);
	expect_i64(ev, pwrite__size, (uint32_t)size);
	expect_i64(ev, pwrite__pos, pos);
}

LIVE_TEST(pwrite)
{
	const char *pattern = fixture_pattern(200);
	int fd = open("file", O_RDWR | O_CREAT, 0644);

	require(fd > 0);
	check(fd, pattern, 20, 1000, 20, pattern, 20);
	check(fd, pattern, 150, 1L << 33, 150, pattern, LIVE_SNAPLEN);
	check(fd, pattern, 5, -1, -EINVAL, pattern, 5);
	check(fd, UNREADABLE, 8, 1, -EFAULT, NULL, 0);
	check(-1, pattern, 6, 70, -EBADF, pattern, 6);
	close(fd);
}
