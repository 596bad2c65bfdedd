/* SPDX-License-Identifier: MIT */
/* getsockname and getpeername: events without parameters. */
#include "harness/fixture.h"
#include "harness/live.h"

static void check(unsigned int event, long number)
{
	struct connection link = fixture_connect("127.0.0.1", SOCK_STREAM);
	struct address address = {.len = sizeof(address.un)};

	live_skip();
	require(CALL(number, link.client, &address.any, &address.len) == 0);
	expect_true(live_next(event)->desc->nparams == 0);
	require(CALL(number, NO_FD, &address.any, &address.len) == -EBADF);
	live_next(event);
	expect_no_event(event, gettid());
	fixture_disconnect(&link);
}

LIVE_TEST(getsockname)
{
	check(EVENT_getsockname, SYS_getsockname);
}

LIVE_TEST(getpeername)
{
	check(EVENT_getpeername, SYS_getpeername);
}
