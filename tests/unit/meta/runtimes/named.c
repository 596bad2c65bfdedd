/* SPDX-License-Identifier: MIT */
/* Containers with names, as the files of runc and crun have them. */
#include "meta/runtimes/files.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tree.h"
#include "unit.h"

static struct tree tree;
static char found[256];

static int setup(void **state)
{
	tree_create(&tree);
	found[0] = '\0';
	return 0;
}

static int teardown(void **state)
{
	tree_destroy(&tree);
	return 0;
}

static void add(void *data, const struct files_named *named)
{
	size_t len = strlen(found);

	assert_ptr_equal(data, &tree);
	assert_int_equal(named->type, STATE_CONTAINER_CUSTOM);
	snprintf(found + len, sizeof(found) - len, "%s=%lld ", named->id, (long long)named->pid);
}

static void test_found(void **state)
{
	files_named_each(tree.path, add, &tree);
	assert_string_equal(found, "");
	tree_write(&tree, "run/runc/web1/state.json",
		   "{\"id\": \"other\", \"init_process_pid\": 70, \"config\": {}}");
	tree_write(&tree, "run/crun/web2/status", "{\"pid\": 71}");
	files_named_each(tree.path, add, &tree);
	assert_string_equal(found, "web1=70 web2=71 ");
}

/* Files without an id of a process, and those that others can write. */
static void test_left_out(void **state)
{
	char path[TREE_PATH_BYTES];

	tree_write(&tree, "run/runc/none/state.json", "{}");
	tree_write(&tree, "run/runc/text/state.json", "{\"init_process_pid\": \"70\"}");
	tree_write(&tree, "run/runc/less/state.json", "{\"init_process_pid\": -1}");
	tree_write(&tree, "run/runc/broken/state.json", "{");
	tree_write(&tree, "run/runc/forged/state.json", "{\"init_process_pid\": 70}");
	snprintf(path, sizeof(path), "%s/run/runc/forged/state.json", tree.path);
	assert_int_equal(chown(path, geteuid() + 1, (gid_t)-1), geteuid() ? -1 : 0);
	files_named_each(tree.path, add, &tree);
	assert_string_equal(found, geteuid() ? "forged=70 " : "");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_found, setup, teardown),
	cmocka_unit_test_setup_teardown(test_left_out, setup, teardown),
};

UNIT_GROUP(tests);
