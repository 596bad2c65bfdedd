/* SPDX-License-Identifier: MIT */
/* userfaultfd: the flags as the caller gave them. */
#include <fcntl.h>

#include "harness/fixture.h"
#include "harness/live.h"

/* Kernels may be built without: then every call is rejected. */
static void check(long flags, bool valid)
{
	long fd = CALL(SYS_userfaultfd, flags);

	require(fd >= 0 ? valid : !valid || fd == -ENOSYS);
	if (fd >= 0)
		close((int)fd);
	expect_params(live_next(EVENT_userfaultfd), NUMBER(fd), NUMBER((uint32_t)flags));
}

LIVE_TEST(userfaultfd)
{
	check(0, true);
	check(O_CLOEXEC | O_NONBLOCK, true);
	check(0x10, false);
	check(-1, false);
}
