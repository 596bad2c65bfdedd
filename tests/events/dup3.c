/* SPDX-License-Identifier: MIT */
/* dup3: a copy, the one flag it has, and what it rejects. */
#include <fcntl.h>

#include "harness/fixture.h"
#include "harness/live.h"

static void check(long from, long to, long flags, long ret, int64_t shown)
{
	const struct event *ev;

	require(CALL(SYS_dup3, from, to, flags) == ret);
	ev = live_next(EVENT_dup3);
	expect_i64(ev, dup3__res, ret);
	expect_i64(ev, dup3__oldfd, (int)from);
	expect_i64(ev, dup3__newfd, (int)to);
	expect_i64(ev, dup3__flags, shown);
}

LIVE_TEST(dup3)
{
	check(1, 1000, 0, 1000, 0);
	check(1, 1000, O_CLOEXEC, 1000, file_flags__O_CLOEXEC);
	check(1, 1, 0, -EINVAL, 0);
	check(-1, 1001, O_CLOEXEC, -EBADF, file_flags__O_CLOEXEC);
	check(1, 1001, 0xffffffffL, -EINVAL, file_flags__O_CLOEXEC);
	check(1, 1001, ~(long)O_CLOEXEC, -EINVAL, 0);
	close(1000);
}
