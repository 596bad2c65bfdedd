/* SPDX-License-Identifier: MIT */
/* lseek: offsets of 64 bits, and where they count from. */
#include <fcntl.h>

#include "harness/fixture.h"
#include "harness/live.h"

static void check(long fd, long offset, long whence, int64_t shown_whence, long ret)
{
	expect_call(lseek, ret, CALL(SYS_lseek, fd, offset, whence), NUMBER((int)fd),
		    NUMBER(offset), NUMBER(shown_whence));
}

LIVE_TEST(lseek)
{
	int fd;

	fixture_file("file", 100);
	fd = open("file", O_RDONLY);
	require(fd > 0);
	check(fd, 10, SEEK_SET, lseek_whence__SEEK_SET, 10);
	check(fd, -5, SEEK_CUR, lseek_whence__SEEK_CUR, 5);
	check(fd, -1, SEEK_END, lseek_whence__SEEK_END, 99);
	check(fd, 0x123456789a, SEEK_SET, lseek_whence__SEEK_SET, 0x123456789a);
	check(fd, -1, SEEK_SET, lseek_whence__SEEK_SET, -EINVAL);
	check(fd, 0, 3 /* SEEK_DATA */, 0, 0);
	check(fd, 1, 99, 0, -EINVAL);
	check(0x100000000L + fd, 7, 0x100000000L + SEEK_SET, lseek_whence__SEEK_SET, 7);
	check(NO_FD, 123456789012, SEEK_CUR, lseek_whence__SEEK_CUR, -EBADF);
	check(-1, 0, SEEK_SET, lseek_whence__SEEK_SET, -EBADF);
	close(fd);
}
