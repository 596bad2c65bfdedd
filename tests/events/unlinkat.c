/* SPDX-License-Identifier: MIT */
/* unlinkat: paths of all kinds, where they start from, the one flag that is kept. */
#include <fcntl.h>

#include "harness/fixture.h"
#include "harness/live.h"

static void check(long dirfd, const char *path, long flags, long ret, int64_t shown)
{
	const struct event *ev;

	require(CALL(SYS_unlinkat, dirfd, path, flags) == ret);
	ev = live_next(EVENT_unlinkat);
	expect_i64(ev, unlinkat__res, ret);
	expect_i64(ev, unlinkat__dirfd, dirfd);
	expect_string(ev, unlinkat__name, path);
	expect_i64(ev, unlinkat__flags, shown);
}

LIVE_TEST(unlinkat)
{
	int directory = open(".", O_PATH | O_DIRECTORY);
	const struct path_case *paths = fixture_paths();

	for (int i = 0; i < PATH_CASES; i++) {
		const struct event *ev;

		require(CALL(SYS_unlinkat, AT_FDCWD, paths[i].path, 0) == paths[i].error);
		ev = live_next(EVENT_unlinkat);
		expect_i64(ev, unlinkat__res, paths[i].error);
		expect_i64(ev, unlinkat__dirfd, AT_FDCWD);
		expect_path(ev, unlinkat__name, &paths[i]);
		expect_i64(ev, unlinkat__flags, 0);
	}
	require(directory > 0 && mkdir("made", 0755) == 0);
	fixture_file("file", 1);
	check(directory, "file", 0, 0, 0);
	check(directory, "made", 0, -EISDIR, 0);
	check(AT_FDCWD, "made", AT_REMOVEDIR, 0, unlinkat_flags__AT_REMOVEDIR);
	check(NO_FD, "made", AT_REMOVEDIR, -EBADF, unlinkat_flags__AT_REMOVEDIR);
	check(AT_FDCWD, "made", 0xffffffff, -EINVAL, unlinkat_flags__AT_REMOVEDIR);
	close(directory);
}
