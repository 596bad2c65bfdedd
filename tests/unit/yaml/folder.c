/* SPDX-License-Identifier: MIT */
/* Folders of files: which, and in which order. */
#include <errno.h>
#include <string.h>

#include "tree.h"
#include "unit.h"
#include "yaml/file.h"

static void test_files(void **state)
{
	static const char *const expected[] = {"d/10.yaml", "d/9.yml", "d/b.yaml"};
	struct yaml_folder folder;
	struct tree tree;
	char path[TREE_PATH_BYTES];

	tree_create(&tree);
	for (size_t i = 3; i-- > 0;)
		tree_write(&tree, expected[i], "");
	tree_write(&tree, "d/.a.yaml", "");
	tree_write(&tree, "d/a.yaml~", "");
	tree_write(&tree, "d/yaml", "");
	tree_write(&tree, "e/x", "");
	tree_path(&tree, "d", path);
	assert_int_equal(yaml_folder_read(path, &folder), 0);
	assert_int_equal(folder.count, 3);
	for (size_t i = 0; i < 3; i++) {
		tree_path(&tree, expected[i], path);
		assert_string_equal(folder.paths[i], path);
	}
	yaml_folder_finish(&folder);
	tree_path(&tree, "e", path);
	assert_int_equal(yaml_folder_read(path, &folder), 0);
	assert_int_equal(folder.count, 0);
	yaml_folder_finish(&folder);
	tree_path(&tree, "e/x", path);
	assert_int_equal(yaml_folder_read(path, &folder), -ENOTDIR);
	yaml_folder_finish(&folder);
	tree_path(&tree, "f", path);
	assert_int_equal(yaml_folder_read(path, &folder), -ENOENT);
	yaml_folder_finish(&folder);
	tree_destroy(&tree);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_files),
};

UNIT_GROUP(tests);
