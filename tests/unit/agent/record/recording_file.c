/* SPDX-License-Identifier: MIT */
/* Which file is opened, and what becomes of one that was there. */
#include "agent/record/recording.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "output/targets/rotated.h"
#include "tree.h"
#include "unit.h"

static struct tree tree;
static char path[TREE_PATH_BYTES], other[TREE_PATH_BYTES];
static struct recording_config config;
static struct recording_file file;
static struct error err;

static int setup(void **state)
{
	tree_create(&tree);
	tree_path(&tree, "a.scap", path);
	tree_path(&tree, "other", other);
	config = (struct recording_config){.path = path, .mode = 0640, .rotates = true};
	err = (struct error){""};
	return 0;
}

static int teardown(void **state)
{
	recording_file_close(&file);
	tree_destroy(&tree);
	return 0;
}

static int open_it(void)
{
	assert_int_equal(recording_file_init(&file, &config, &err), 0);
	return recording_file_open(&file, path, &err);
}

static size_t count_rotated(void)
{
	struct rotated_list list;
	size_t count;

	assert_int_equal(rotated_list_read(path, &list), 0);
	count = list.count;
	rotated_list_finish(&list);
	return count;
}

/* Whatever the umask is. */
static void test_mode(void **state)
{
	mode_t mask = umask(077);
	struct stat stat;

	assert_int_equal(open_it(), 0);
	umask(mask);
	assert_int_equal(fstat(file.fd, &stat), 0);
	assert_int_equal(stat.st_mode & 07777, 0640);
}

static void test_earlier_files_stay(void **state)
{
	tree_write(&tree, "a.scap", "earlier");
	assert_int_equal(open_it(), 0);
	assert_int_equal(count_rotated(), 1);
	/* An empty one has nothing to keep. */
	recording_file_close(&file);
	assert_int_equal(recording_file_open(&file, path, &err), 0);
	assert_int_equal(count_rotated(), 1);
	assert_int_equal(write(file.fd, "x", 1), 1);
	assert_int_equal(recording_file_bytes(&file, 7), 1);
	recording_file_close(&file);
	assert_int_equal(open_it(), 0);
	assert_int_equal(count_rotated(), 2);
}

/* Over what -w names. */
static void test_over(void **state)
{
	config.rotates = false;
	tree_write(&tree, "a.scap", "earlier");
	assert_int_equal(open_it(), 0);
	assert_int_equal(recording_file_bytes(&file, 7), 0);
	assert_int_equal(count_rotated(), 0);
}

/* Who can write to the folder must not choose where data goes. */
static void test_links(void **state)
{
	tree_write(&tree, "other", "precious");
	assert_int_equal(symlink(other, path), 0);
	assert_int_equal(open_it(), -EINVAL);
	assert_non_null(strstr(err.text, "it is no regular file; for a pipe use -w"));
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(open_it(), -EINVAL);
}

static void test_input(void **state)
{
	tree_write(&tree, "a.scap", "precious");
	config.read = path;
	assert_int_equal(open_it(), -EINVAL);
	assert_non_null(strstr(err.text, "it is the file that is read (-r)"));
	assert_int_equal(count_rotated(), 0);
	config.rotates = false;
	assert_int_equal(open_it(), -EINVAL);
}

static void test_moved(void **state)
{
	assert_int_equal(open_it(), 0);
	assert_false(recording_file_has_moved(&file, path));
	assert_int_equal(rename(path, other), 0);
	assert_true(recording_file_has_moved(&file, path));
	tree_write(&tree, "a.scap", "another");
	assert_true(recording_file_has_moved(&file, path));
	recording_file_close(&file);
	assert_true(recording_file_has_moved(&file, path));
}

static void test_no_folder(void **state)
{
	char nowhere[TREE_PATH_BYTES];

	tree_path(&tree, "nosuch/a.scap", nowhere);
	config.path = nowhere;
	assert_int_equal(recording_file_init(&file, &config, &err), -ENOENT);
	assert_non_null(strstr(err.text, "nosuch/a.scap: No such file or directory"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

static const struct CMUnitTest tests[] = {
	TEST(test_mode),      TEST(test_earlier_files_stay),
	TEST(test_over),      TEST(test_links),
	TEST(test_input),     TEST(test_moved),
	TEST(test_no_folder),
};

UNIT_GROUP(tests);
