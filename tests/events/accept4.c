/* SPDX-License-Identifier: MIT */
/* accept4: tuples of the new socket, the queue that is left, flags, failures. */
#include "harness/accepting.h"
#include "harness/fixture.h"
#include "harness/live.h"

static long call(long fd)
{
	return CALL(SYS_accept4, fd, NULL, NULL, 0);
}

static void check_flags(long flags, long ret, int64_t shown)
{
	const struct event *ev;

	require(CALL(SYS_accept4, NO_FD, NULL, NULL, flags) == ret);
	ev = live_next(EVENT_accept4);
	expect_i64(ev, accept4__fd, ret);
	expect_absent(ev, accept4__tuple);
	expect_i64(ev, accept4__queuepct, 0);
	expect_i64(ev, accept4__queuelen, 0);
	expect_i64(ev, accept4__queuemax, 0);
	expect_i64(ev, accept4__flags, shown);
}

LIVE_TEST(accept4)
{
	accepting_check(EVENT_accept4, call);
	check_flags(SOCK_CLOEXEC, -EBADF, file_flags__O_CLOEXEC);
	check_flags(SOCK_NONBLOCK, -EBADF, file_flags__O_NONBLOCK);
	check_flags(SOCK_NONBLOCK | SOCK_CLOEXEC, -EBADF,
		    file_flags__O_NONBLOCK | file_flags__O_CLOEXEC);
}
