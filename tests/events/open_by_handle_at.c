/* SPDX-License-Identifier: MIT */
/* open_by_handle_at: what was opened, its path in the kernel, flags. */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "harness/fixture.h"
#include "harness/live.h"
#include "harness/open_flags.h"

struct handle {
	struct file_handle head;
	unsigned char bytes[MAX_HANDLE_SZ];
};

static struct handle handle_of(const char *path)
{
	struct handle handle = {.head.handle_bytes = MAX_HANDLE_SZ};
	int mount;

	require(name_to_handle_at(AT_FDCWD, path, &handle.head, &mount, 0) == 0);
	return handle;
}

static void check_opened(long mountfd, const char *path, long flags, int64_t shown)
{
	struct handle handle = handle_of(path);
	long fd = CALL(SYS_open_by_handle_at, mountfd, &handle, flags);
	char real[PATH_MAX];
	struct stat status;

	require(fd > 0 && fstat((int)fd, &status) == 0 && realpath(path, real));
	close((int)fd);
	expect_params(live_next(EVENT_open_by_handle_at), NUMBER(fd), NUMBER(mountfd),
		      NUMBER(shown), TEXT(real), NUMBER(fixture_device(&status)),
		      NUMBER((int64_t)status.st_ino));
}

static void check_failed(long mountfd, const void *handle, long flags, int64_t shown, long ret)
{
	expect_call(open_by_handle_at, ret, CALL(SYS_open_by_handle_at, mountfd, handle, flags),
		    NUMBER((int)mountfd), NUMBER(shown), ABSENT, NUMBER(0), NUMBER(0));
}

/* As descriptor 0 a file is what it is as any other one. */
static void check_descriptor_zero(const char *path)
{
	struct handle handle = handle_of(path);
	int kept = dup(0);
	char real[PATH_MAX];
	struct stat status;

	require(kept > 0 && close(0) == 0);
	require(CALL(SYS_open_by_handle_at, AT_FDCWD, &handle, O_RDONLY) == 0);
	require(fstat(0, &status) == 0 && realpath(path, real));
	require(dup2(kept, 0) == 0 && close(kept) == 0);
	expect_params(live_next(EVENT_open_by_handle_at), NUMBER(0), NUMBER(AT_FDCWD),
		      NUMBER(file_flags__O_RDONLY), TEXT(real), NUMBER(fixture_device(&status)),
		      NUMBER((int64_t)status.st_ino));
}

LIVE_TEST(open_by_handle_at)
{
	int directory = open(".", O_RDONLY | O_DIRECTORY);
	struct handle handle;

	require(directory > 0 && mkdir("sub", 0755) == 0);
	fixture_file("sub/file", 1);
	handle = handle_of("sub/file");
	check_opened(directory, "sub/file", O_RDWR | O_CLOEXEC,
		     file_flags__O_RDWR | file_flags__O_CLOEXEC);
	check_opened(AT_FDCWD, "sub", O_RDONLY, file_flags__O_RDONLY);
	check_descriptor_zero("sub/file");
	for (size_t i = 0; i < OPEN_FLAGS_COUNT; i++)
		check_failed(AT_FDCWD, UNREADABLE, open_flags[i].native, open_flags[i].stored,
			     -EFAULT);
	check_failed(0x100000000L + NO_FD, &handle, O_RDONLY, file_flags__O_RDONLY, -EBADF);
	handle.head.handle_bytes = 0;
	check_failed(directory, &handle, O_WRONLY, file_flags__O_WRONLY, -EINVAL);
	close(directory);
}
