/* SPDX-License-Identifier: MIT */
/* Views by name: in folders before those in the program, and the nearest name. */
#include "views/folder.h"

#include <errno.h>
#include <string.h>

#include "tree.h"
#include "unit.h"

struct seen {
	unsigned int opens, others;
	bool is_own;
};

static int see(void *context, const struct yaml_file *file)
{
	struct seen *seen = context;

	if (strstr(file->data, "name: opens\n")) {
		seen->opens++;
		seen->is_own = strstr(file->data, "own") != NULL;
	} else {
		seen->others++;
	}
	return 0;
}

static void finds_views_by_name(void **state)
{
	char path[TREE_PATH_BYTES], direct[TREE_PATH_BYTES];
	const char *paths[] = {path, "/no/such/folder"};
	const struct views_folders none = {0}, own = {paths, 2};
	struct seen seen = {0}, builtin = {0};
	struct error err = {""};
	struct yaml_file file;
	struct tree tree;

	tree_create(&tree);
	tree_write(&tree, "views/opens.yaml", "name: opens\n# own\n");
	tree_write(&tree, "views/mine.yml", "name: mine\n");
	tree_path(&tree, "views", path);
	assert_int_equal(views_folder_open(&none, "opens", &file, &err), 0);
	assert_null(strstr(file.data, "own"));
	yaml_file_finish(&file);
	assert_int_equal(views_folder_open(&own, "opens", &file, &err), 0);
	assert_non_null(strstr(file.data, "own"));
	yaml_file_finish(&file);
	assert_int_equal(views_folder_open(&own, "mine", &file, &err), 0);
	yaml_file_finish(&file);
	tree_path(&tree, "views/mine.yml", direct);
	assert_int_equal(views_folder_open(&none, direct, &file, &err), 0);
	yaml_file_finish(&file);
	assert_int_equal(views_folder_open(&own, "mime", &file, &err), -ENOENT);
	assert_non_null(strstr(err.text, "did you mean 'mine'?"));
	yaml_file_finish(&file);
	assert_int_equal(views_folder_each(&none, see, &builtin, &err), 0);
	assert_int_equal(views_folder_each(&own, see, &seen, &err), 0);
	assert_int_equal(builtin.opens, 1);
	assert_int_equal(seen.opens, 1);
	assert_true(seen.is_own && !builtin.is_own);
	assert_int_equal(seen.others, builtin.others + 1);
	tree_destroy(&tree);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(finds_views_by_name),
};

UNIT_GROUP(tests);
