/* SPDX-License-Identifier: MIT */
/* rmdir: paths of all kinds, a directory, a file. */
#include "harness/fixture.h"
#include "harness/live.h"

static void check(const char *path, long ret)
{
	const struct event *ev;

	require(CALL(SYS_rmdir, path) == ret);
	ev = live_next(EVENT_rmdir);
	expect_i64(ev, rmdir__res, ret);
	expect_string(ev, rmdir__path, path);
}

LIVE_TEST(rmdir)
{
	const struct path_case *paths = fixture_paths();

	for (int i = 0; i < PATH_CASES; i++) {
		const struct event *ev;

		require(CALL(SYS_rmdir, paths[i].path) == paths[i].error);
		ev = live_next(EVENT_rmdir);
		expect_i64(ev, rmdir__res, paths[i].error);
		expect_path(ev, rmdir__path, &paths[i]);
	}
	require(mkdir("made", 0755) == 0 && mkdir("made/below", 0755) == 0);
	check("made", -ENOTEMPTY);
	check("made/below", 0);
	fixture_file("file", 1);
	check("file", -ENOTDIR);
}
