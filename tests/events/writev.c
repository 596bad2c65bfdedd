/* SPDX-License-Identifier: MIT */
/* writev: vectors of all kinds, on an open and a closed descriptor. */
#include <fcntl.h>
#include <limits.h>

#include "harness/fixture.h"
#include "harness/live.h"
#include "harness/vectors.h"

enum { FEW = 32 };

static void check(long fd, const struct vector_case *written, long ret)
{
	const struct event *ev;

	require(CALL(SYS_writev, fd, written->vector, written->entries) == ret);
	ev = live_next(EVENT_writev);
	expect_i64(ev, writev__res, ret);
	expect_bytes(ev, writev__data, written->data, written->len);
	expect_i64(ev, writev__fd, fd);
	expect_i64(ev, writev__size, (int64_t)written->size);
}

LIVE_TEST(writev)
{
	const struct vector_case *cases = vectors_written();
	struct vector_case too_many = cases[0];
	int fd = open("file", O_RDWR | O_CREAT, 0644);

	require(fd > 0);
	for (int i = 0; i < VECTORS_WRITTEN; i++) {
		check(fd, &cases[i], cases[i].ret);
		check(NO_FD, &cases[i], -EBADF);
	}
	/* More entries than the kernel takes, of which few are looked at: behind them may be anything. */
	too_many = cases[6];
	too_many.size = FEW * too_many.vector[0].iov_len;
	too_many.entries = IOV_MAX + 1;
	check(fd, &too_many, -EINVAL);
	close(fd);
}
