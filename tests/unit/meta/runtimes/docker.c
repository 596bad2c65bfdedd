/* SPDX-License-Identifier: MIT */
/* Docker's files: where they are found, and what modes mean. unit/meta/runtimes/files has whole
 * ones. */
#include <errno.h>
#include <string.h>

#include "meta/runtimes/files.h"

#include "tree.h"
#include "unit.h"

static struct tree tree;
static struct bundle bundle;
static struct state_container_info *info;
static struct error err;

static int setup(void **state)
{
	tree_create(&tree);
	bundle = (struct bundle){0};
	err = (struct error){""};
	info = state_container_info_create();
	return info ? 0 : -1;
}

static int teardown(void **state)
{
	bundle_finish(&bundle);
	state_container_info_destroy(info);
	tree_destroy(&tree);
	return 0;
}

static int describe(const char *id)
{
	return files_docker_describe(tree.path, &(struct meta_request){.id = id}, &bundle, info,
				     &err);
}

/* Any data root: the bundle mounts files of it. */
static void test_by_bundle(void **state)
{
	tree_write(&tree, "odd/containers/id/config.v2.json",
		   "{\"ID\": \"id\", \"Name\": \"/web\", \"Image\": \"sha256:1a2b\","
		   " \"Config\": {\"Image\": \"1a2b\", \"Labels\": null, \"Env\": [\"A=b\"]},"
		   " \"NetworkSettings\": {\"Networks\": {\"a\": {\"IPAddress\": \"\"},"
		   " \"b\": {\"IPAddress\": \"10.0.0.7\"}}}}");
	info->wants_env = true;
	assert_int_equal(describe("id"), -ENOENT);
	bundle.spec = json_pack("{s:[{s:s, s:s}]}", "mounts", "destination", "/etc/hostname",
				"source", "/odd/containers/id/hostname");
	assert_int_equal(describe("id"), 0);
	assert_string_equal(info->name, "web");
	assert_string_equal(info->image.name, "1a2b");
	assert_null(info->image.repository);
	assert_string_equal(info->ip, "10.0.0.7");
	assert_int_equal(info->env.count, 1);
	assert_string_equal(info->env.items[0].value, "b");
	assert_int_equal(info->type, STATE_CONTAINER_DOCKER);
	assert_int_equal(info->privileged, STATE_UNKNOWN);
	assert_string_equal(err.text, "");
}

static void test_of_another(void **state)
{
	tree_write(&tree, "var/lib/docker/containers/id/config.v2.json",
		   "{\"ID\": \"other\", \"Name\": \"/web\"}");
	assert_int_equal(describe("id"), -ENOENT);
	assert_int_equal(describe("x/../id"), -ENOENT);
	assert_null(info->name);
}

static void test_modes(void **state)
{
	tree_write(&tree, "var/lib/docker/containers/id/config.v2.json", "{\"ID\": \"id\"}");
	tree_write(&tree, "var/lib/docker/containers/id/hostconfig.json",
		   "{\"Privileged\": true, \"PidMode\": \"host\", \"IpcMode\": \"container:7\","
		   " \"NetworkMode\": \"default\"}");
	assert_int_equal(describe("id"), 0);
	assert_int_equal(info->privileged, STATE_YES);
	assert_int_equal(info->host_pid, STATE_YES);
	assert_int_equal(info->host_ipc, STATE_UNKNOWN);
	assert_int_equal(info->host_network, STATE_NO);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_by_bundle, setup, teardown),
	cmocka_unit_test_setup_teardown(test_of_another, setup, teardown),
	cmocka_unit_test_setup_teardown(test_modes, setup, teardown),
};

UNIT_GROUP(tests);
