/* SPDX-License-Identifier: MIT */
/* mkdir: paths of all kinds, and the mode as it was given. */
#include "harness/fixture.h"
#include "harness/live.h"

static void check(const char *path, long mode, long ret, int64_t shown)
{
	const struct event *ev;

	require(CALL(SYS_mkdir, path, mode) == ret);
	ev = live_next(EVENT_mkdir);
	expect_i64(ev, mkdir__res, ret);
	expect_string(ev, mkdir__path, path);
	expect_i64(ev, mkdir__mode, shown);
}

LIVE_TEST(mkdir)
{
	const struct path_case *paths = fixture_paths();

	for (int i = 0; i < PATH_CASES; i++) {
		const struct event *ev;

		require(CALL(SYS_mkdir, paths[i].path, 0750) == paths[i].error);
		ev = live_next(EVENT_mkdir);
		expect_i64(ev, mkdir__res, paths[i].error);
		expect_path(ev, mkdir__path, &paths[i]);
		expect_i64(ev, mkdir__mode, 0750);
	}
	check("made", 01777, 0, 01777);
	check("made", 0, -EEXIST, 0);
	check("made", 0x1fedcba98L, -EEXIST, 0xba98);
}
