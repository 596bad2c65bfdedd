/* SPDX-License-Identifier: MIT */
/* setresgid: the groups asked for, accepted and rejected. */
#include "harness/acting.h"
#include "harness/fixture.h"
#include "harness/live.h"

LIVE_TEST(setresgid)
{
	acting_check(&(struct acting){EVENT_setresgid, SYS_setresgid, 3, true});
}
