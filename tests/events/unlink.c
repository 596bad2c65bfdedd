/* SPDX-License-Identifier: MIT */
/* unlink: paths of all kinds, a file, a directory. */
#include "harness/fixture.h"
#include "harness/live.h"

static void check(const char *path, long ret)
{
	const struct event *ev;

	require(CALL(SYS_unlink, path) == ret);
	ev = live_next(EVENT_unlink);
	expect_i64(ev, unlink__res, ret);
	expect_string(ev, unlink__path, path);
}

LIVE_TEST(unlink)
{
	const struct path_case *paths = fixture_paths();

	for (int i = 0; i < PATH_CASES; i++) {
		const struct event *ev;

		require(CALL(SYS_unlink, paths[i].path) == paths[i].error);
		ev = live_next(EVENT_unlink);
		expect_i64(ev, unlink__res, paths[i].error);
		expect_path(ev, unlink__path, &paths[i]);
	}
	fixture_file("file", 1);
	check("./file", 0);
	check(".", -EISDIR);
}
