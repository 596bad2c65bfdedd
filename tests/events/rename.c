/* SPDX-License-Identifier: MIT */
/* rename: two paths, each of all kinds. */
#include "harness/fixture.h"
#include "harness/live.h"

static void check(const char *from, const char *to, long ret)
{
	const struct event *ev;

	require(CALL(SYS_rename, from, to) == ret);
	ev = live_next(EVENT_rename);
	expect_i64(ev, rename__res, ret);
	expect_string(ev, rename__oldpath, from);
	expect_string(ev, rename__newpath, to);
}

LIVE_TEST(rename)
{
	const struct path_case *paths = fixture_paths();

	fixture_file("file", 1);
	for (int i = 0; i < PATH_CASES; i++) {
		const struct event *ev;

		require(CALL(SYS_rename, paths[i].path, "to") == paths[i].error);
		ev = live_next(EVENT_rename);
		expect_i64(ev, rename__res, paths[i].error);
		expect_path(ev, rename__oldpath, &paths[i]);
		expect_string(ev, rename__newpath, "to");

		require(CALL(SYS_rename, "file", paths[i].path) == paths[i].error);
		ev = live_next(EVENT_rename);
		expect_i64(ev, rename__res, paths[i].error);
		expect_string(ev, rename__oldpath, "file");
		expect_path(ev, rename__newpath, &paths[i]);
	}
	check("file", "moved", 0);
	check("file", "moved", -ENOENT);
	/* Both as long as they can be. */
	check(paths[3].path, paths[3].path, -ENOENT);
}
