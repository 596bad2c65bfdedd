/* SPDX-License-Identifier: MIT */
/* getcwd: the path that the kernel wrote, short and long, and none where the call failed. */
#include <string.h>

#include "harness/fixture.h"
#include "harness/live.h"

enum { DEPTH = 15, NAME_BYTES = 250 };

static void check(void)
{
	char path[4096];
	long ret = CALL(SYS_getcwd, path, sizeof(path));

	require(ret > 1 && path[0] == '/' && ret == (long)strlen(path) + 1);
	expect_params(live_next(EVENT_getcwd), NUMBER(ret), TEXT(path));
}

/* The path is nearly as long as the kernel allows. */
static void check_deep(void)
{
	char name[NAME_BYTES + 1];

	memset(name, 'd', NAME_BYTES);
	name[NAME_BYTES] = '\0';
	for (int i = 0; i < DEPTH; i++)
		require(mkdir(name, 0755) == 0 && chdir(name) == 0);
	check();
	for (int i = 0; i < DEPTH; i++)
		require(chdir("..") == 0 && rmdir(name) == 0);
}

LIVE_TEST(getcwd)
{
	char path[64];

	check();
	check_deep();
	expect_call(getcwd, -ERANGE, CALL(SYS_getcwd, path, 2L), ABSENT);
	expect_call(getcwd, -EFAULT, CALL(SYS_getcwd, UNREADABLE, 4096L), ABSENT);
	require(mkdir("gone", 0755) == 0 && chdir("gone") == 0 && rmdir("../gone") == 0);
	expect_call(getcwd, -ENOENT, CALL(SYS_getcwd, path, sizeof(path)), ABSENT);
	require(chdir("/") == 0);
	expect_call(getcwd, 2, CALL(SYS_getcwd, path, sizeof(path)), TEXT("/"));
}
