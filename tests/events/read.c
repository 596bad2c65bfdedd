/* SPDX-License-Identifier: MIT */
/* read: data cut to the limit, short reads, failures, sizes beyond 32 bits. */
#include <fcntl.h>

#include "harness/fixture.h"
#include "harness/live.h"

static void check(long fd, void *memory, size_t size, long ret, const char *data, size_t len)
{
	const struct event *ev;

	require(CALL(SYS_read, fd, memory, size) == ret);
	ev = live_next(EVENT_read);
	expect_i64(ev, read__res, ret);
	expect_bytes(ev, read__data, data, len);
	expect_i64(ev, read__fd, (int)fd);
	expect_i64(ev, read__size, (uint32_t)size);
}

LIVE_TEST(read)
{
	const char *pattern = fixture_pattern(200);
	/* Not on the stack, where 4 GiB more would be beyond the end of all memory. */
	static char memory[300] = "left over";
	char *edge = fixture_edge("left over", 10);
	int fd, directory = open(".", O_RDONLY);

	fixture_file("file", 200);
	fd = open("file", O_RDONLY);
	require(fd > 0 && directory > 0);
	live_skip();
	check(fd, memory, 20, 20, pattern, 20);
	check(fd, edge, 10, 10, pattern + 20, 10);
	check(fd, memory, 0, 0, NULL, 0);
	check(fd, memory, LIVE_SNAPLEN, LIVE_SNAPLEN, pattern + 30, LIVE_SNAPLEN);
	require(lseek(fd, 0, SEEK_SET) == 0);
	check(fd, memory, LIVE_SNAPLEN + 1, LIVE_SNAPLEN + 1, pattern, LIVE_SNAPLEN);
	check(fd, memory, sizeof(memory), 200 - LIVE_SNAPLEN - 1, pattern + LIVE_SNAPLEN + 1,
	      LIVE_SNAPLEN);
	check(fd, memory, 100, 0, NULL, 0);
	require(lseek(fd, 0, SEEK_SET) == 0);
	check(fd, memory, 0x100000000L + 150, 200, pattern, LIVE_SNAPLEN);
	require(lseek(fd, 0, SEEK_SET) == 0);
	check(fd, UNREADABLE, 30, -EFAULT, NULL, 0);
	check(fd, NULL, 30, -EFAULT, NULL, 0);
	check(directory, memory, 64, -EISDIR, NULL, 0);
	check(NO_FD, memory, 17, -EBADF, NULL, 0);
	check(-1, memory, 17, -EBADF, NULL, 0);
	close(fd);
	close(directory);
}
