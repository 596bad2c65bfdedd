/* SPDX-License-Identifier: MIT */
/* mknod, mknodat: paths, types of files and permissions, devices. */
#include <fcntl.h>

#include "harness/fixture.h"
#include "harness/live.h"

static const struct {
	long mode, dev, ret;
	int64_t shown_mode, shown_dev;
} nodes[] = {
	{0600, 0, 0, mknod_mode__S_IFREG | 0600, 0},
	{S_IFREG | 07777, 0, 0, mknod_mode__S_IFREG | 07777, 0},
	{S_IFIFO | 0640, 0, 0, mknod_mode__S_IFIFO | 0640, 0},
	{S_IFSOCK | 0111, 0, 0, mknod_mode__S_IFSOCK | 0111, 0},
	{S_IFCHR | 0666, 0x103, 0, mknod_mode__S_IFCHR | 0666, 0x100003},
	{S_IFBLK | 0060, 0x12345678, 0, mknod_mode__S_IFBLK | 0060, 0x45612378},
	{S_IFCHR, 0x100000000 | 0x501, 0, mknod_mode__S_IFCHR, 0x500001},
	{S_IFDIR | 0755, 0, -EPERM, 0755, 0},
	{S_IFLNK | 0777, 7, -EINVAL, 0777, 7},
	{0030000 | 0444, 0, -EINVAL, 0444, 0},
};

enum { NODES_COUNT = sizeof(nodes) / sizeof(nodes[0]) };

LIVE_TEST(mknod)
{
	const struct path_case *paths = fixture_paths();

	for (int i = 0; i < PATH_CASES; i++)
		expect_call(mknod, paths[i].error, CALL(SYS_mknod, paths[i].path, 0600L, 0L),
			    TEXT(paths[i].shown), NUMBER(mknod_mode__S_IFREG | 0600), NUMBER(0));
	for (int i = 0; i < NODES_COUNT; i++) {
		expect_call(mknod, nodes[i].ret,
			    CALL(SYS_mknod, "node", nodes[i].mode, nodes[i].dev), TEXT("node"),
			    NUMBER(nodes[i].shown_mode), NUMBER(nodes[i].shown_dev));
		unlink("node");
	}
}

LIVE_TEST(mknodat)
{
	int directory = open(".", O_PATH | O_DIRECTORY);
	const struct path_case *paths = fixture_paths();

	require(directory > 0);
	for (int i = 0; i < PATH_CASES; i++)
		expect_call(mknodat, paths[i].error,
			    CALL(SYS_mknodat, AT_FDCWD, paths[i].path, S_IFIFO | 0600L, 0L),
			    NUMBER(AT_FDCWD), TEXT(paths[i].shown),
			    NUMBER(mknod_mode__S_IFIFO | 0600), NUMBER(0));
	for (int i = 0; i < NODES_COUNT; i++) {
		expect_call(mknodat, nodes[i].ret,
			    CALL(SYS_mknodat, directory, "node", nodes[i].mode, nodes[i].dev),
			    NUMBER(directory), TEXT("node"), NUMBER(nodes[i].shown_mode),
			    NUMBER(nodes[i].shown_dev));
		unlink("node");
	}
	expect_call(mknodat, -EBADF, CALL(SYS_mknodat, NO_FD, "node", S_IFBLK | 0600L, 0x801L),
		    NUMBER(NO_FD), TEXT("node"), NUMBER(mknod_mode__S_IFBLK | 0600),
		    NUMBER(0x800001));
	close(directory);
}
