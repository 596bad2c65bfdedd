/* SPDX-License-Identifier: MIT */
/* fcntl: every command by its number, and some that succeed. */
#include <fcntl.h>

#include "harness/fixture.h"
#include "harness/live.h"

static void check(long fd, long command, long argument, long ret, int64_t shown)
{
	const struct event *ev;

	require(CALL(SYS_fcntl, fd, command, argument) == ret);
	ev = live_next(EVENT_fcntl);
	expect_i64(ev, fcntl__res, ret);
	expect_i64(ev, fcntl__fd, (int)fd);
	expect_i64(ev, fcntl__cmd, shown);
	expect_i64(ev, fcntl__arg, argument);
}

/* What the kernel calls it, and what events do. */
static const struct {
	long native;
	int64_t stored;
} commands[] = {
	{0, fcntl_commands__F_DUPFD},	    {1, fcntl_commands__F_GETFD},
	{2, fcntl_commands__F_SETFD},	    {3, fcntl_commands__F_GETFL},
	{4, fcntl_commands__F_SETFL},	    {5, fcntl_commands__F_GETLK},
	{6, fcntl_commands__F_SETLK},	    {7, fcntl_commands__F_SETLKW},
	{8, fcntl_commands__F_SETOWN},	    {9, fcntl_commands__F_GETOWN},
	{10, fcntl_commands__F_SETSIG},	    {11, fcntl_commands__F_GETSIG},
	{12, fcntl_commands__F_GETLK64},    {13, fcntl_commands__F_SETLK64},
	{14, fcntl_commands__F_SETLKW64},   {15, fcntl_commands__F_SETOWN_EX},
	{16, fcntl_commands__F_GETOWN_EX},  {17, 0},
	{35, 0},			    {36, fcntl_commands__F_OFD_GETLK},
	{37, fcntl_commands__F_OFD_SETLK},  {38, fcntl_commands__F_OFD_SETLKW},
	{39, 0},			    {1023, 0},
	{1024, fcntl_commands__F_SETLEASE}, {1025, fcntl_commands__F_GETLEASE},
	{1026, fcntl_commands__F_NOTIFY},   {1027, 0},
	{1028, 0},			    {1029, fcntl_commands__F_CANCELLK},
	{1030, fcntl_commands__F_DUPFD_CLOEXEC}, {1031, fcntl_commands__F_SETPIPE_SZ},
	{1032, fcntl_commands__F_GETPIPE_SZ},    {1033, 0},
	{0xffffffff, 0},		    {0x100000003L, fcntl_commands__F_GETFL},
};

/* The tests have hundreds of descriptors, for the programs of the kernel. */
static long free_from(int least)
{
	int fd = fcntl(1, F_DUPFD_CLOEXEC, least);

	require(fd >= least);
	close(fd);
	return fd;
}

LIVE_TEST(fcntl)
{
	long copy = CALL(SYS_fcntl, 1, F_DUPFD_CLOEXEC, 900);
	long first = free_from((int)copy + 1), second = free_from((int)first + 1);

	require(copy >= 900);
	live_skip();
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		check(NO_FD, commands[i].native, 0x123456789abcdef0L, -EBADF, commands[i].stored);
	check(copy, F_GETFD, 0, FD_CLOEXEC, fcntl_commands__F_GETFD);
	check(copy, F_SETFD, 0, 0, fcntl_commands__F_SETFD);
	check(copy, F_DUPFD, first, first, fcntl_commands__F_DUPFD);
	check(copy, F_DUPFD_CLOEXEC, second, second, fcntl_commands__F_DUPFD_CLOEXEC);
	check(copy, F_DUPFD, -1, -EINVAL, fcntl_commands__F_DUPFD);
	check(-5, F_GETFL, -1, -EBADF, fcntl_commands__F_GETFL);
	close((int)copy);
	close((int)first);
	close((int)second);
}
