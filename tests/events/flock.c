/* SPDX-License-Identifier: MIT */
/* flock: every operation, accepted and rejected. */
#include <fcntl.h>
#include <sys/file.h>

#include "harness/fixture.h"
#include "harness/live.h"

static void check(long fd, long operation, int64_t shown, long ret)
{
	expect_call(flock, ret, CALL(SYS_flock, fd, operation), NUMBER((int)fd), NUMBER(shown));
}

/*
 * Which of the two is looked at first: 4149be7bda7e ("fs/lock: Rearrange ops in flock syscall"),
 * 6.0
 */
static long bad_both_result(void)
{
	long ret = CALL(SYS_flock, -1, LOCK_NB);

	require(ret == -EINVAL || ret == -EBADF);
	live_skip();
	return ret;
}

LIVE_TEST(flock)
{
	long bad_both = bad_both_result();
	int fd, other;

	fixture_file("file", 1);
	fd = open("file", O_RDONLY);
	other = open("file", O_RDONLY);
	require(fd > 0 && other > 0);
	check(fd, LOCK_SH, flock_flags__LOCK_SH, 0);
	check(other, LOCK_EX | LOCK_NB, flock_flags__LOCK_EX | flock_flags__LOCK_NB, -EAGAIN);
	check(fd, LOCK_UN, flock_flags__LOCK_UN, 0);
	check(other, LOCK_EX, flock_flags__LOCK_EX, 0);
	check(fd, 0, flock_flags__LOCK_NONE, -EINVAL);
	check(fd, -1 & ~LOCK_MAND, 0xf, -EINVAL);
	check(0x100000000L + NO_FD, LOCK_SH, flock_flags__LOCK_SH, -EBADF);
	check(-1, LOCK_NB, flock_flags__LOCK_NB, bad_both);
	close(fd);
	close(other);
}
