/* SPDX-License-Identifier: MIT */
/* stat64, lstat64, fstat64, llseek, umount: calls that only 32-bit programs have. */
#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <sys/mount.h>

#include "harness/fixture.h"
#include "harness/int80.h"
#include "harness/live.h"

/* Their numbers, those of i386. */
enum { NR_UMOUNT = 22, NR_LLSEEK = 140, NR_STAT64 = 195, NR_LSTAT64 = 196, NR_FSTAT64 = 197 };

enum { STATUS_BYTES = 256 };

static const struct path_case paths[] = {
	{NULL, -EFAULT, NULL},
	{"", -ENOENT, ""},
	{"no/such", -ENOENT, "no/such"},
	{"/", 0, "/"},
};

enum { PATHS_COUNT = sizeof(paths) / sizeof(paths[0]) };

static long low(const char *text)
{
	return text ? (long)fixture_low(text, strlen(text) + 1) : 0;
}

static long low_status(void)
{
	static const char zeros[STATUS_BYTES];

	return (long)fixture_low(zeros, sizeof(zeros));
}

LIVE_TEST(stat64)
{
	long status = low_status();

	for (int i = 0; i < PATHS_COUNT; i++)
		expect_call(stat64, paths[i].error,
			    int80_call(NR_STAT64, low(paths[i].path), status, 0, 0, 0, 0),
			    TEXT(paths[i].shown));
	expect_call(stat64, -EFAULT, int80_call(NR_STAT64, (long)UNREADABLE, status, 0, 0, 0, 0),
		    ABSENT);
}

LIVE_TEST(lstat64)
{
	long status = low_status();

	require(symlink("nowhere", "dangling") == 0);
	for (int i = 0; i < PATHS_COUNT; i++)
		expect_call(lstat64, paths[i].error,
			    int80_call(NR_LSTAT64, low(paths[i].path), status, 0, 0, 0, 0),
			    TEXT(paths[i].shown));
	expect_call(lstat64, 0, int80_call(NR_LSTAT64, low("dangling"), status, 0, 0, 0, 0),
		    TEXT("dangling"));
}

LIVE_TEST(fstat64)
{
	long status = low_status();

	require(int80_call(NR_FSTAT64, 1, status, 0, 0, 0, 0) == 0);
	expect_params(live_next(EVENT_fstat64), NUMBER(0));
	require(int80_call(NR_FSTAT64, NO_FD, status, 0, 0, 0, 0) == -EBADF);
	expect_params(live_next(EVENT_fstat64), NUMBER(-EBADF));
}

static void check_llseek(int fd, uint32_t high, uint32_t low_half, int whence, int64_t shown_whence,
			 long ret)
{
	uint64_t offset = (uint64_t)high << 32 | low_half;

	expect_call(llseek, ret, int80_call(NR_LLSEEK, fd, high, low_half, low_status(), whence, 0),
		    NUMBER(fd), NUMBER((int64_t)offset), NUMBER(shown_whence));
}

LIVE_TEST(llseek)
{
	int fd;

	fixture_file("file", 100);
	fd = open("file", O_RDONLY);
	require(fd > 0);
	check_llseek(fd, 0, 10, SEEK_SET, lseek_whence__SEEK_SET, 0);
	check_llseek(fd, UINT32_MAX, (uint32_t)-5, SEEK_CUR, lseek_whence__SEEK_CUR, 0);
	check_llseek(fd, 0x12, 0x89abcdef, SEEK_END, lseek_whence__SEEK_END, 0);
	check_llseek(fd, UINT32_MAX, 0, SEEK_SET, lseek_whence__SEEK_SET, -EINVAL);
	check_llseek(fd, 0, 1, 99, 0, -EINVAL);
	check_llseek(NO_FD, 1, 0, SEEK_SET, lseek_whence__SEEK_SET, -EBADF);
	check_llseek(-1, 0, 0, SEEK_CUR, lseek_whence__SEEK_CUR, -EBADF);
	close(fd);
}

static int unmount_twice(void *name)
{
	return unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	       mount("none", name, "tmpfs", 0, NULL) ||
	       int80_call(NR_UMOUNT, (long)name, 0, 0, 0, 0, 0) != 0 ||
	       int80_call(NR_UMOUNT, (long)name, 0, 0, 0, 0, 0) != -EINVAL;
}

LIVE_TEST(umount)
{
	pid_t pid;

	require(mkdir("point", 0755) == 0);
	pid = fixture_child(unmount_twice, (void *)low("point"));
	require(fixture_wait(pid) == 0);
	expect_params(live_next_of(EVENT_umount, pid), NUMBER(0), TEXT("point"));
	expect_params(live_next_of(EVENT_umount, pid), NUMBER(-EINVAL), TEXT("point"));
	expect_call(umount, -ENOENT, int80_call(NR_UMOUNT, low("no/such"), 0, 0, 0, 0, 0),
		    TEXT("no/such"));
	expect_call(umount, -EFAULT, int80_call(NR_UMOUNT, 0, 0, 0, 0, 0, 0), ABSENT);
}
