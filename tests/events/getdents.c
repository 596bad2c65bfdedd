/* SPDX-License-Identifier: MIT */
/* getdents, getdents64: a directory, no directory, no descriptor. */
#include <fcntl.h>

#include "harness/fixture.h"
#include "harness/live.h"

static void check(unsigned int event, long number, long fd, bool succeeds)
{
	char entries[1024];
	long ret = CALL(number, fd, entries, sizeof(entries));

	require((ret > 0) == succeeds);
	expect_params(live_next(event), NUMBER(ret), NUMBER((int)fd));
}

static void check_all(unsigned int event, long number)
{
	int directory = open(".", O_RDONLY | O_DIRECTORY), null = open("/dev/null", O_RDONLY);

	require(directory > 0 && null > 0);
	check(event, number, directory, true);
	check(event, number, directory, false);
	check(event, number, null, false);
	check(event, number, 0x100000000L + NO_FD, false);
	check(event, number, -1, false);
	close(directory);
	close(null);
}

LIVE_TEST(getdents)
{
	check_all(EVENT_getdents, SYS_getdents);
}

LIVE_TEST(getdents64)
{
	check_all(EVENT_getdents64, SYS_getdents64);
}
