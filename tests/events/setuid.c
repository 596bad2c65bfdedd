/* SPDX-License-Identifier: MIT */
/* setuid: the user asked for, accepted and rejected. */
#include "harness/acting.h"
#include "harness/fixture.h"
#include "harness/live.h"

LIVE_TEST(setuid)
{
	acting_check(&(struct acting){EVENT_setuid, SYS_setuid, 1});
}
