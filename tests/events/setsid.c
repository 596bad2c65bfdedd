/* SPDX-License-Identifier: MIT */
/* setsid: a new session, and one that leads a group already. */
#include "harness/fixture.h"
#include "harness/live.h"

static int lead_twice(void *arg)
{
	return CALL(SYS_setsid) == getpid() && CALL(SYS_setsid) == -EPERM ? 0 : 1;
}

LIVE_TEST(setsid)
{
	pid_t pid = fixture_child(lead_twice, NULL);

	require(fixture_wait(pid) == 0);
	expect_i64(live_next_of(EVENT_setsid, pid), setsid__res, pid);
	expect_i64(live_next_of(EVENT_setsid, pid), setsid__res, -EPERM);
}
