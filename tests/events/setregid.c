/* SPDX-License-Identifier: MIT */
/* setregid: the groups asked for, accepted and rejected. */
#include "harness/acting.h"
#include "harness/fixture.h"
#include "harness/live.h"

LIVE_TEST(setregid)
{
	acting_check(&(struct acting){EVENT_setregid, SYS_setregid, 2, true});
}
