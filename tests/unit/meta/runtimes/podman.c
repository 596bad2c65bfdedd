/* SPDX-License-Identifier: MIT */
/* Podman's lists: where they are found, and that a changed one is read again. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "meta/runtimes/files.h"

#include "tree.h"
#include "unit.h"

#define LIST "var/lib/containers/storage/overlay-containers/containers.json"

static struct tree tree;
static struct files_podman *podman;
static struct state_container_info *info;
static struct error err;

static int setup(void **state)
{
	tree_create(&tree);
	podman = files_podman_create(tree.path);
	err = (struct error){""};
	return podman ? 0 : -1;
}

static int teardown(void **state)
{
	files_podman_destroy(podman);
	state_container_info_destroy(info);
	info = NULL;
	tree_destroy(&tree);
	return 0;
}

static int describe(const char *id, struct bundle *bundle)
{
	struct bundle none = {0};

	state_container_info_destroy(info);
	info = state_container_info_create();
	return files_podman_describe(podman, &(struct meta_request){.id = id},
				     bundle ? bundle : &none, info, &err);
}

static void test_renamed(void **state)
{
	tree_write(&tree, LIST, "[7, {\"id\": \"a\", \"names\": [\"one\"], \"metadata\": \"{\"}]");
	assert_int_equal(describe("a", NULL), 0);
	assert_string_equal(info->name, "one");
	assert_null(info->image.name);
	assert_int_equal(describe("a", NULL), 0);
	assert_string_equal(info->name, "one");
	tree_write(&tree, LIST, "[{\"id\": \"a\", \"names\": [\"other\"]}]");
	assert_int_equal(describe("a", NULL), 0);
	assert_string_equal(info->name, "other");
	assert_int_equal(describe("b", NULL), -ENOENT);
	assert_string_equal(err.text, "");
}

/* Containers that are removed at their end are in another list, below /run. */
static void test_volatile(void **state)
{
	tree_write(&tree, LIST, "[]");
	tree_write(&tree, "run/containers/storage/overlay-containers/volatile-containers.json",
		   "[{\"id\": \"a\", \"names\": [\"one\"]}]");
	assert_int_equal(describe("a", NULL), 0);
	assert_string_equal(info->name, "one");
}

static void test_by_bundle(void **state)
{
	struct bundle bundle = {.path = "/home/u/storage/overlay-containers/a/userdata"};
	struct bundle at_run = {
		.spec = json_pack("{s:[{s:s, s:s}]}", "mounts", "destination", "/etc/hosts",
				  "source",
				  "/run/user/7/containers/overlay-containers/b/userdata/hosts")};

	tree_write(&tree, "home/u/storage/overlay-containers/containers.json",
		   "[{\"id\": \"a\", \"names\": [\"mine\"]}]");
	tree_write(&tree, "run/user/7/containers/overlay-containers/volatile-containers.json",
		   "[{\"id\": \"b\", \"names\": [\"short\"]}]");
	assert_int_equal(describe("a", &bundle), 0);
	assert_string_equal(info->name, "mine");
	assert_int_equal(describe("b", &at_run), 0);
	assert_string_equal(info->name, "short");
	bundle_finish(&at_run);
}

/* More lists than are kept. */
static void test_many_lists(void **state)
{
	for (int i = 0; i < 20; i++) {
		struct bundle bundle = {0};
		char name[TREE_PATH_BYTES];

		snprintf(name, sizeof(name), "home/u%d/containers.json", i % 10);
		tree_write(&tree, name, "[{\"id\": \"a\", \"names\": [\"x\"]}]");
		snprintf(bundle.path, sizeof(bundle.path), "/home/u%d/a/userdata", i % 10);
		assert_int_equal(describe("a", &bundle), 0);
		assert_string_equal(info->name, "x");
	}
}

static void test_invalid(void **state)
{
	tree_write(&tree, LIST, "[{]");
	assert_int_equal(describe("a", NULL), -EBADMSG);
	assert_non_null(strstr(err.text, "containers.json"));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_renamed, setup, teardown),
	cmocka_unit_test_setup_teardown(test_volatile, setup, teardown),
	cmocka_unit_test_setup_teardown(test_by_bundle, setup, teardown),
	cmocka_unit_test_setup_teardown(test_many_lists, setup, teardown),
	cmocka_unit_test_setup_teardown(test_invalid, setup, teardown),
};

UNIT_GROUP(tests);
