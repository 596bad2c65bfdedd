/* SPDX-License-Identifier: MIT */
/* Regular files are opened; what else there is has not even been opened. */
#include "util/regular.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit.h"

static void opens_regular_files(void **state)
{
	int path = open("/etc/passwd", O_PATH | O_CLOEXEC), fd;
	char c;

	fd = regular_reopen(path);
	assert_true(fd >= 0);
	assert_int_equal(read(fd, &c, 1), 1);
	close(fd);
	close(path);
	fd = regular_open("/etc/passwd");
	assert_true(fd >= 0);
	assert_int_equal(read(fd, &c, 1), 1);
	close(fd);
	assert_int_equal(regular_open("/nonexistent"), -ENOENT);
	assert_int_equal(regular_reopen(-1), -EBADF);
}

static void opens_nothing_else(void **state)
{
	char folder[] = "/tmp/lanner-regular-XXXXXX", path[64];
	int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC), fd;
	struct inotify_event event;

	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/fifo", folder);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_true(inotify_add_watch(watch, path, IN_OPEN) >= 0);
	assert_int_equal(regular_open(path), -EINVAL);
	assert_int_equal(read(watch, &event, sizeof(event)), -1);
	assert_int_equal(errno, EAGAIN);
	/* That is seen otherwise. */
	fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	assert_int_equal(read(watch, &event, sizeof(event)), sizeof(event));
	close(fd);
	close(watch);
	unlink(path);
	rmdir(folder);
	assert_int_equal(regular_open("/dev/zero"), -EINVAL);
	assert_int_equal(regular_open("/"), -EINVAL);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(opens_regular_files),
	cmocka_unit_test(opens_nothing_else),
};

UNIT_GROUP(tests);
