/* SPDX-License-Identifier: MIT */
/* preadv: vectors of all kinds, positions, the end of a file, failures. */
#include <fcntl.h>

#include "harness/fixture.h"
#include "harness/live.h"
#include "harness/vectors.h"

static void check(long fd, const struct vector_case *read, long pos, long ret)
{
	const struct event *ev;

	require(CALL(SYS_preadv, fd, read->vector, read->entries, pos, 0) == ret);
	ev = live_next(EVENT_preadv);
	expect_i64(ev, preadv__res, ret);
	expect_i64(ev, preadv__size, ret > 0 ? ret : 0);
	expect_bytes(ev, preadv__data, read->data, ret > 0 ? read->len : 0);
	expect_i64(ev, preadv__fd, fd);
	expect_i64(ev, preadv__pos, pos);
}

LIVE_TEST(preadv)
{
	const struct vector_case *cases = vectors_read();
	struct vector_case shifted = cases[0];
	int fd;

	fixture_file("file", 200);
	fd = open("file", O_RDONLY);
	require(fd > 0);
	for (int i = 0; i < VECTORS_READ; i++) {
		check(fd, &cases[i], 0, cases[i].ret);
		check(-1, &cases[i], 31, -EBADF);
	}
	shifted.data += 37;
	check(fd, &shifted, 37, 35);
	check(fd, &cases[0], 1L << 33, 0);
	check(fd, &cases[0], -1, -EINVAL);
	close(fd);
}
