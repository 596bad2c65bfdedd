/* SPDX-License-Identifier: MIT */
/* setresuid: the users asked for, accepted and rejected. */
#include "harness/acting.h"
#include "harness/fixture.h"
#include "harness/live.h"

LIVE_TEST(setresuid)
{
	acting_check(&(struct acting){EVENT_setresuid, SYS_setresuid, 3});
}
