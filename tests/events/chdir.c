/* SPDX-License-Identifier: MIT */
/* chdir: paths of all kinds, and a directory that is there. */
#include "harness/fixture.h"
#include "harness/live.h"

static void check(const char *path, long ret)
{
	const struct event *ev;

	require(CALL(SYS_chdir, path) == ret);
	ev = live_next(EVENT_chdir);
	expect_i64(ev, chdir__res, ret);
	expect_string(ev, chdir__path, path);
	fixture_expect_directory(ev, chdir__cwd, ret);
}

LIVE_TEST(chdir)
{
	const struct path_case *paths = fixture_paths();

	for (int i = 0; i < PATH_CASES; i++) {
		const struct event *ev;

		require(CALL(SYS_chdir, paths[i].path) == paths[i].error);
		ev = live_next(EVENT_chdir);
		expect_i64(ev, chdir__res, paths[i].error);
		expect_path(ev, chdir__path, &paths[i]);
		expect_absent(ev, chdir__cwd);
	}
	require(mkdir("sub", 0755) == 0);
	check("sub", 0);
	check("../sub/./..", 0);
	check("/dev/null", -ENOTDIR);
}
