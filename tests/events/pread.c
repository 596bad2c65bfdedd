/* SPDX-License-Identifier: MIT */
/* pread: data cut to the limit, positions, failures. */
#include <fcntl.h>

#include "harness/fixture.h"
#include "harness/live.h"

static void check(long fd, void *memory, size_t size, long pos, long ret, const char *data,
		  size_t len)
{
	const struct event *ev;

	require(CALL(SYS_pread64, fd, memory, size, pos) == ret);
	ev = live_next(EVENT_pread);
	expect_i64(ev, pread__res, ret);
	expect_bytes(ev, pread__data, data, len);
	expect_i64(ev, pread__fd, (int)fd);
	expect_i64(ev, pread__size, (uint32_t)size);
	expect_i64(ev, pread__pos, pos);
}

LIVE_TEST(pread)
{
	const char *pattern = fixture_pattern(200);
	char memory[300] = "left over";
	int fd;

	fixture_file("file", 200);
	fd = open("file", O_RDONLY);
	require(fd > 0);
	check(fd, memory, 90, 4, 90, pattern + 4, LIVE_SNAPLEN);
	check(fd, memory, 50, 180, 20, pattern + 180, 20);
	check(fd, memory, 50, 1L << 40, 0, NULL, 0);
	check(fd, memory, 50, -1, -EINVAL, NULL, 0);
	check(fd, UNREADABLE, 5, 0, -EFAULT, NULL, 0);
	check(NO_FD, memory, 21, 23, -EBADF, NULL, 0);
	close(fd);
}
