/* SPDX-License-Identifier: MIT */
/* setgid: the group asked for, accepted and rejected. */
#include "harness/acting.h"
#include "harness/fixture.h"
#include "harness/live.h"

LIVE_TEST(setgid)
{
	acting_check(&(struct acting){EVENT_setgid, SYS_setgid, 1, true});
}
