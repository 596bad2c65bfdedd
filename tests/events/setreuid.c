/* SPDX-License-Identifier: MIT */
/* setreuid: the users asked for, accepted and rejected. */
#include "harness/acting.h"
#include "harness/fixture.h"
#include "harness/live.h"

LIVE_TEST(setreuid)
{
	acting_check(&(struct acting){EVENT_setreuid, SYS_setreuid, 2});
}
