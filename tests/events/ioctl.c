/* SPDX-License-Identifier: MIT */
/* ioctl: the request, of 32 bits, and the argument as it is. */
#include <sys/ioctl.h>

#include "harness/fixture.h"
#include "harness/live.h"

static void check(long fd, long request, long argument, long ret)
{
	expect_call(ioctl, ret, CALL(SYS_ioctl, fd, request, argument), NUMBER((int)fd),
		    NUMBER((uint32_t)request), NUMBER(argument));
}

LIVE_TEST(ioctl)
{
	int fds[2], bytes;

	require(pipe(fds) == 0);
	check(fds[0], FIONREAD, (long)&bytes, 0);
	check(fds[0], FIONREAD, (long)UNREADABLE, -EFAULT);
	check(fds[0], 0xdeadbeef, -1, -ENOTTY);
	check(fds[0], 0x123400000000 + FIONREAD, (long)&bytes, 0);
	check(0x100000000L + NO_FD, TCGETS, 0x7123456789abcdef, -EBADF);
	check(-1, 0, 0, -EBADF);
	close(fds[0]);
	close(fds[1]);
}
