/* SPDX-License-Identifier: MIT */
/* A folder where it is mounted, or a private mount. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit.h"
#include "util/kernel_fs.h"

static void test_mounted(void **state)
{
	struct stat folder, opened;
	int fd = kernel_fs_open("no such type", "/proc/self", "status");

	assert_true(fd >= 0);
	assert_int_equal(stat("/proc/self", &folder), 0);
	assert_int_equal(fstat(fd, &opened), 0);
	assert_int_equal(folder.st_ino, opened.st_ino);
	close(fd);
}

/* A folder may exist without anything mounted there. */
static void test_not_mounted(void **state)
{
	int fd;

	if (geteuid())
		skip();
	fd = kernel_fs_open("proc", "/tmp", "version");
	assert_true(fd >= 0);
	assert_int_equal(faccessat(fd, "version", F_OK, 0), 0);
	close(fd);
	assert_int_equal(kernel_fs_open("no such type", "/tmp", "version"), -ENODEV);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_mounted),
	cmocka_unit_test(test_not_mounted),
};

UNIT_GROUP(tests);
