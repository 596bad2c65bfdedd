/* SPDX-License-Identifier: MIT */
/* accept: tuples of the new socket, the queue that is left, failures. */
#include "harness/accepting.h"
#include "harness/fixture.h"
#include "harness/live.h"

static long call(long fd)
{
	return CALL(SYS_accept, fd, NULL, NULL);
}

LIVE_TEST(accept)
{
	accepting_check(EVENT_accept, call);
}
