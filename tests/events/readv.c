/* SPDX-License-Identifier: MIT */
/* readv: vectors of all kinds, the end of a file, failures. */
#include <fcntl.h>

#include "harness/fixture.h"
#include "harness/live.h"
#include "harness/vectors.h"

static void check(long fd, const struct vector_case *read, long ret)
{
	const struct event *ev;

	require(CALL(SYS_readv, fd, read->vector, read->entries) == ret);
	ev = live_next(EVENT_readv);
	expect_i64(ev, readv__res, ret);
	expect_i64(ev, readv__size, ret > 0 ? ret : 0);
	expect_bytes(ev, readv__data, read->data, ret > 0 ? read->len : 0);
	expect_i64(ev, readv__fd, fd);
}

LIVE_TEST(readv)
{
	const struct vector_case *cases = vectors_read();
	int fd;

	fixture_file("file", 200);
	fd = open("file", O_RDONLY);
	require(fd > 0);
	for (int i = 0; i < VECTORS_READ; i++) {
		require(lseek(fd, 0, SEEK_SET) == 0);
		check(fd, &cases[i], cases[i].ret);
		check(NO_FD, &cases[i], -EBADF);
	}
	require(lseek(fd, 0, SEEK_END) == 200);
	check(fd, &cases[0], 0);
	close(fd);
}
