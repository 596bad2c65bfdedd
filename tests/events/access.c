/* SPDX-License-Identifier: MIT */
/* access: paths of all kinds, and every mode. */
#include "harness/fixture.h"
#include "harness/live.h"

static void check(long mode, int64_t shown, long ret)
{
	expect_call(access, ret, CALL(SYS_access, "file", mode), TEXT("file"), NUMBER(shown));
}

LIVE_TEST(access)
{
	const struct path_case *paths = fixture_paths();

	fixture_file("file", 1);
	for (int i = 0; i < PATH_CASES; i++)
		expect_call(access, paths[i].error, CALL(SYS_access, paths[i].path, R_OK),
			    TEXT(paths[i].shown), NUMBER(access_flags__R_OK));
	check(F_OK, access_flags__F_OK, 0);
	check(R_OK, access_flags__R_OK, 0);
	check(W_OK, access_flags__W_OK, 0);
	check(X_OK, access_flags__X_OK, -EACCES);
	check(R_OK | W_OK, access_flags__R_OK | access_flags__W_OK, 0);
	check(8, 0, -EINVAL);
	check(-1, access_flags__R_OK | access_flags__W_OK | access_flags__X_OK, -EINVAL);
	check(0x100000000L | R_OK, access_flags__R_OK, 0);
}
