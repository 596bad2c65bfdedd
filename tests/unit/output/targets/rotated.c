/* SPDX-License-Identifier: MIT */
/* Names of rotated files. */
#include "output/targets/rotated.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "tree.h"
#include "unit.h"

/* 2026-11-22 19:58:12.123 UTC */
#define NOW_MS UINT64_C(1795377492123)
#define NOW_NS (NOW_MS * 1000000 + 999999)

static struct tree tree;
static char path[TREE_PATH_BYTES];

static int setup(void **state)
{
	tree_create(&tree);
	tree_path(&tree, "x.json", path);
	return 0;
}

static int teardown(void **state)
{
	tree_destroy(&tree);
	return 0;
}

static void assert_there(const char *name)
{
	char whole[TREE_PATH_BYTES];

	tree_path(&tree, name, whole);
	assert_return_code(access(whole, F_OK), errno);
}

static void test_rename(void **state)
{
	uint64_t ms = 0;

	tree_write(&tree, "x.json", "a");
	assert_int_equal(rotated_rename(path, NOW_NS, &ms), 0);
	assert_there("x.json.20261122T195812.123Z");
	assert_int_equal(ms, NOW_MS);
	assert_int_equal(rotated_rename(path, NOW_NS, &ms), -ENOENT);
	assert_int_equal(ms, NOW_MS);
}

/* The clock went back, and a file of the next name is there already. */
static void test_names_ascend(void **state)
{
	uint64_t ms = NOW_MS;

	tree_write(&tree, "x.json", "b");
	tree_write(&tree, "x.json.20261122T195812.124Z", "a");
	assert_int_equal(rotated_rename(path, NOW_NS - 3600 * UINT64_C(1000000000), &ms), 0);
	assert_there("x.json.20261122T195812.125Z");
	assert_int_equal(ms, NOW_MS + 2);
}

static void test_list(void **state)
{
	static const char *const others[] = {
		"x.json",
		"x.json.1",
		"x.json.20261122T195812.123",
		"y.json.20261122T195812.123Z",
		"x.json.20261122T195812.123Z.gz2",
		"x.json.20261122T195812.123Z.part1",
		"x.json-20261122T195812.123Z",
		"x.json.20261122t195812.123Z",
		"x.json.2026112219581201234Z",
	};
	struct rotated_list list;

	tree_write(&tree, "x.json.20261122T195812.123Z.zst", "");
	tree_write(&tree, "x.json.20261122T195812.123Z.gz.part0123", "");
	tree_write(&tree, "x.json.20261122T195812.122Z", "");
	tree_write(&tree, "x.json.20261122T195812.123Z", "");
	tree_write(&tree, "x.json.20251231T235959.999Z.gz", "");
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		tree_write(&tree, others[i], "");
	assert_int_equal(rotated_list_read(path, &list), 0);
	assert_int_equal(list.count, 5);
	assert_string_equal(list.files[0].path + strlen(tree.path),
			    "/x.json.20251231T235959.999Z.gz");
	assert_true(list.files[0].compressed && !list.files[0].part);
	assert_int_equal(list.files[1].ms, NOW_MS - 1);
	assert_false(list.files[1].compressed);
	assert_int_equal(list.files[2].ms, NOW_MS);
	assert_false(list.files[2].compressed);
	assert_true(list.files[3].part);
	assert_true(list.files[4].compressed && !list.files[4].part);
	rotated_list_finish(&list);
}

static void test_folder(void **state)
{
	struct rotated_list list;

	assert_int_equal(rotated_list_read("/there/is/no/such.json", &list), -ENOENT);
	assert_int_equal(list.count, 0);
	rotated_list_finish(&list);
	/* A name without a folder is in the current one. */
	assert_return_code(chdir(tree.path), errno);
	tree_write(&tree, "x.json.20261122T195812.123Z", "");
	assert_int_equal(rotated_list_read("x.json", &list), 0);
	assert_int_equal(list.count, 1);
	assert_string_equal(list.files[0].path, "x.json.20261122T195812.123Z");
	rotated_list_finish(&list);
	assert_return_code(chdir("/"), errno);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_rename, setup, teardown),
	cmocka_unit_test_setup_teardown(test_names_ascend, setup, teardown),
	cmocka_unit_test_setup_teardown(test_list, setup, teardown),
	cmocka_unit_test_setup_teardown(test_folder, setup, teardown),
};

UNIT_GROUP(tests);
