/* SPDX-License-Identifier: MIT */
/* inotify_init, inotify_init1: flags, and those that are rejected; no descriptor left. */
#include <sys/inotify.h>
#include <sys/resource.h>

#include "harness/fixture.h"
#include "harness/live.h"

LIVE_TEST(inotify_init)
{
	struct rlimit limit, none;
	const struct event *ev;
	long fd = CALL(SYS_inotify_init);

	require(fd >= 0);
	ev = live_next(EVENT_inotify_init);
	expect_i64(ev, inotify_init__res, fd);
	expect_i64(ev, inotify_init__flags, 0);
	close((int)fd);

	require(getrlimit(RLIMIT_NOFILE, &limit) == 0);
	none = (struct rlimit){0, limit.rlim_max};
	require(setrlimit(RLIMIT_NOFILE, &none) == 0);
	fd = CALL(SYS_inotify_init);
	require(setrlimit(RLIMIT_NOFILE, &limit) == 0 && fd == -EMFILE);
	ev = live_next(EVENT_inotify_init);
	expect_i64(ev, inotify_init__res, -EMFILE);
	expect_i64(ev, inotify_init__flags, 0);
}

static void check(long flags, bool works, int64_t shown)
{
	long ret = CALL(SYS_inotify_init1, flags);
	const struct event *ev = live_next(EVENT_inotify_init1);

	require(works ? ret >= 0 : ret == -EINVAL);
	expect_i64(ev, inotify_init1__res, ret);
	expect_i64(ev, inotify_init1__flags, shown);
	if (works)
		close((int)ret);
}

LIVE_TEST(inotify_init1)
{
	check(0, true, 0);
	check(IN_NONBLOCK, true, file_flags__O_NONBLOCK);
	check(IN_CLOEXEC, true, file_flags__O_CLOEXEC);
	check(IN_NONBLOCK | IN_CLOEXEC, true, file_flags__O_NONBLOCK | file_flags__O_CLOEXEC);
	check(IN_CLOEXEC | 0x55, false, file_flags__O_CLOEXEC);
	check(0xffffffffL, false, 0);
}
