/* SPDX-License-Identifier: MIT */
/* What becomes of rotated files. */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "output/targets/rotated.h"
#include "tree.h"
#include "unit.h"

enum { WAIT_US = 2000, WAITS_MAX = 30000, SOME_BYTES = 4 << 20, LARGE_BYTES = 64 << 20 };

#define DAY "x.20261122T1958"

static struct tree tree;
static char path[TREE_PATH_BYTES];

static int setup(void **state)
{
	tree_create(&tree);
	tree_path(&tree, "x", path);
	return 0;
}

static int teardown(void **state)
{
	tree_destroy(&tree);
	return 0;
}

/* The names of the rotated files, without what they share, with a space after each. */
static void names(char *text, size_t size)
{
	struct rotated_list list;
	size_t len = 0;

	text[0] = '\0';
	assert_int_equal(rotated_list_read(path, &list), 0);
	for (size_t i = 0; i < list.count; i++)
		len += (size_t)snprintf(text + len, size - len, "%s ",
					list.files[i].path + strlen(tree.path) + strlen("/" DAY));
	rotated_list_finish(&list);
}

/* Waits for the keeper to make it so. */
static void expect(const char *wanted)
{
	char text[1024];

	for (int i = 0; i < WAITS_MAX; i++) {
		names(text, sizeof(text));
		if (strcmp(text, wanted) == 0)
			return;
		usleep(WAIT_US);
	}
	assert_string_equal(text, wanted);
}

static void test_oldest_go(void **state)
{
	struct rotated_keeper *keeper = NULL;

	tree_write(&tree, DAY "01.000Z", "");
	tree_write(&tree, DAY "02.000Z.gz", "");
	tree_write(&tree, DAY "03.000Z", "");
	tree_write(&tree, "x.1", "");
	assert_int_equal(rotated_keeper_create(path, 2, COMPRESS_NONE, &keeper), 0);
	expect("02.000Z.gz 03.000Z ");
	tree_write(&tree, DAY "04.000Z", "");
	rotated_keeper_wake(keeper);
	expect("03.000Z 04.000Z ");
	assert_int_equal(rotated_keeper_result(keeper, NULL), 0);
	/* The end does not leave one too many. */
	tree_write(&tree, DAY "05.000Z", "");
	rotated_keeper_wake(keeper);
	rotated_keeper_destroy(keeper);
	expect("04.000Z 05.000Z ");
}

static void test_compressed(void **state)
{
	struct rotated_keeper *keeper = NULL;
	char whole[TREE_PATH_BYTES];
	struct stat stat_is;

	tree_write(&tree, DAY "01.000Z", "a\n");
	tree_path(&tree, DAY "01.000Z", whole);
	assert_return_code(chmod(whole, 0640), errno);
	assert_int_equal(rotated_keeper_create(path, 0, COMPRESS_ZSTD, &keeper), 0);
	expect("01.000Z.zst ");
	tree_path(&tree, DAY "01.000Z.zst", whole);
	assert_return_code(stat(whole, &stat_is), errno);
	assert_int_equal(stat_is.st_mode & 07777, 0640);
	rotated_keeper_destroy(keeper);
}

/* A run was killed: while it compressed, or before it removed the original. */
static void test_left_over(void **state)
{
	struct rotated_keeper *keeper = NULL;
	char whole[TREE_PATH_BYTES];
	struct stat stat_is;

	tree_write(&tree, DAY "01.000Z", "a\n");
	tree_write(&tree, DAY "01.000Z.gz.part0123456789abcdef", "half");
	tree_write(&tree, DAY "02.000Z", "b\n");
	tree_write(&tree, DAY "02.000Z.gz", "whole");
	assert_int_equal(rotated_keeper_create(path, 2, COMPRESS_GZIP, &keeper), 0);
	expect("01.000Z.gz 02.000Z.gz ");
	rotated_keeper_destroy(keeper);
	tree_path(&tree, DAY "02.000Z.gz", whole);
	assert_return_code(stat(whole, &stat_is), errno);
	assert_int_equal(stat_is.st_size, strlen("whole"));
}

/* After a reload the keepers of two outputs share a file for a moment: one compresses it, none
 * fails. */
static void test_two_keepers(void **state)
{
	struct rotated_keeper *first = NULL, *second = NULL;
	char *text = malloc(SOME_BYTES), all[1024] = "";
	struct error err = {""};

	for (size_t i = 0; i < SOME_BYTES; i++)
		text[i] = (char)('a' + rand() % 26);
	text[SOME_BYTES - 1] = '\0';
	tree_write(&tree, DAY "01.000Z", text);
	assert_int_equal(rotated_keeper_create(path, 0, COMPRESS_GZIP, &first), 0);
	/* It compresses, or is already done. */
	while (!strstr(all, ".gz"))
		names(all, sizeof(all));
	assert_int_equal(rotated_keeper_create(path, 0, COMPRESS_GZIP, &second), 0);
	expect("01.000Z.gz ");
	rotated_keeper_result(first, &err);
	assert_string_equal(err.text, "");
	rotated_keeper_result(second, &err);
	assert_string_equal(err.text, "");
	rotated_keeper_destroy(first);
	rotated_keeper_destroy(second);
	free(text);
}

/* The end does not wait for a large file, and leaves nothing half. */
static void test_stopped(void **state)
{
	struct rotated_keeper *keeper = NULL;
	char *text = malloc(LARGE_BYTES), all[1024] = "";

	for (size_t i = 0; i < LARGE_BYTES; i++)
		text[i] = (char)(i * i >> 7);
	tree_write_bytes(&tree, DAY "01.000Z", text, LARGE_BYTES);
	free(text);
	assert_int_equal(rotated_keeper_create(path, 0, COMPRESS_GZIP, &keeper), 0);
	for (int i = 0; i < WAITS_MAX && !strstr(all, ROTATED_PART); i++) {
		names(all, sizeof(all));
		usleep(WAIT_US / 10);
	}
	assert_non_null(strstr(all, ROTATED_PART));
	rotated_keeper_destroy(keeper);
	names(all, sizeof(all));
	assert_string_equal(all, "01.000Z ");
}

static void test_failure(void **state)
{
	struct rotated_keeper *keeper = NULL;
	struct error err;
	char folder[TREE_PATH_BYTES], wanted[2 * TREE_PATH_BYTES];
	int code = 0;

	tree_write(&tree, DAY "01.000Z/not-empty", "");
	tree_path(&tree, DAY "01.000Z", folder);
	tree_write(&tree, DAY "02.000Z", "");
	assert_int_equal(rotated_keeper_create(path, 1, COMPRESS_NONE, &keeper), 0);
	for (int i = 0; i < WAITS_MAX && code == 0; i++) {
		code = rotated_keeper_result(keeper, &err);
		usleep(WAIT_US);
	}
	assert_int_equal(code, -EISDIR);
	snprintf(wanted, sizeof(wanted), "cannot remove %s: Is a directory", folder);
	assert_string_equal(err.text, wanted);
	assert_int_equal(rotated_keeper_result(keeper, &err), 0);
	rotated_keeper_destroy(keeper);
}

static void test_none(void **state)
{
	rotated_keeper_wake(NULL);
	assert_int_equal(rotated_keeper_result(NULL, NULL), 0);
	rotated_keeper_destroy(NULL);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_oldest_go, setup, teardown),
	cmocka_unit_test_setup_teardown(test_compressed, setup, teardown),
	cmocka_unit_test_setup_teardown(test_left_over, setup, teardown),
	cmocka_unit_test_setup_teardown(test_two_keepers, setup, teardown),
	cmocka_unit_test_setup_teardown(test_stopped, setup, teardown),
	cmocka_unit_test_setup_teardown(test_failure, setup, teardown),
	cmocka_unit_test(test_none),
};

UNIT_GROUP(tests);
