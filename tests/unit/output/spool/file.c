/* SPDX-License-Identifier: MIT */
/* Reads and writes of a part of a file: whole, or with an error. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "output/spool/folder.h"
#include "unit.h"

static void reads_what_was_written(void **state)
{
	int fd = open("/tmp", O_TMPFILE | O_RDWR, 0600);
	char text[8] = {0};

	assert_true(fd >= 0);
	assert_int_equal(spool_file_write(fd, "abcdef", 6, 100), 0);
	assert_int_equal(spool_file_read(fd, text, 4, 102), 0);
	assert_string_equal(text, "cdef");
	close(fd);
}

static void says_that_a_file_ends_too_early(void **state)
{
	int fd = open("/tmp", O_TMPFILE | O_RDWR, 0600);
	char text[8];

	assert_int_equal(spool_file_write(fd, "abc", 3, 0), 0);
	assert_int_equal(spool_file_read(fd, text, 4, 0), -EBADMSG);
	assert_int_equal(spool_file_read(fd, text, 1, 3), -EBADMSG);
	close(fd);
}

static void passes_errors_on(void **state)
{
	int full = open("/dev/full", O_WRONLY);
	char byte = 0;

	assert_int_equal(spool_file_write(full, "abc", 3, 0), -ENOSPC);
	close(full);
	assert_int_equal(spool_file_write(full, "abc", 3, 0), -EBADF);
	assert_int_equal(spool_file_read(full, &byte, 1, 0), -EBADF);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(reads_what_was_written),
	cmocka_unit_test(says_that_a_file_ends_too_early),
	cmocka_unit_test(passes_errors_on),
};

UNIT_GROUP(tests);
