/* SPDX-License-Identifier: MIT */
/* pwritev: vectors of all kinds, positions, a closed descriptor. */
#include <fcntl.h>

#include "harness/fixture.h"
#include "harness/live.h"
#include "harness/vectors.h"

static void check(long fd, const struct vector_case *written, long pos, long ret)
{
	const struct event *ev;

	require(CALL(SYS_pwritev, fd, written->vector, written->entries, pos, 0) == ret);
	ev = live_next(EVENT_pwritev);
	expect_i64(ev, pwritev__res, ret);
	expect_bytes(ev, pwritev__data, written->data, written->len);
	expect_i64(ev, pwritev__fd, fd);
	expect_i64(ev, pwritev__size, (int64_t)written->size);
	expect_i64(ev, pwritev__pos, pos);
}

LIVE_TEST(pwritev)
{
	const struct vector_case *cases = vectors_written();
	int fd = open("file", O_RDWR | O_CREAT, 0644);

	require(fd > 0);
	for (int i = 0; i < VECTORS_WRITTEN; i++) {
		check(fd, &cases[i], 1L << 33, cases[i].ret);
		check(NO_FD, &cases[i], 11, -EBADF);
	}
	check(fd, &cases[0], -1, -EINVAL);
	close(fd);
}
