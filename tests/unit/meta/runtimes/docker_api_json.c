/* SPDX-License-Identifier: MIT */
/* What Docker and Podman answer for a container. */
#include <string.h>

#include "meta/describe.h"
#include "meta/runtimes/docker_api.h"
#include "unit.h"

static struct state_container_info *fill(const char *text)
{
	struct state_container_info *info = state_container_info_create();
	json_t *object;

	assert_non_null(info);
	object = json_input_object(text);
	assert_non_null(object);
	info->wants_env = true;
	docker_api_json_fill(object, info);
	json_decref(object);
	return info;
}

static void test_all_members(void **state)
{
	struct state_container_info *info = fill(
		"{\"Id\": \"abc\", \"Name\": \"/web\", \"Image\": \"sha256:1a2b\","
		" \"Created\": \"2026-11-22T13:34:36.031026389Z\","
		" \"Config\": {\"Image\": \"nginx:1\", \"Env\": [\"A=b\"], \"Labels\": {\"a\": "
		"\"b\","
		" \"io.kubernetes.pod.name\": \"p\", \"io.kubernetes.pod.namespace\": \"n\"}},"
		" \"HostConfig\": {\"Privileged\": true, \"PidMode\": \"host\","
		" \"NetworkMode\": \"container:12\", \"IpcMode\": \"private\"},"
		" \"Mounts\": [{\"Type\": \"bind\", \"Source\": \"/a\", \"Destination\": \"/b\","
		" \"Mode\": \"ro\", \"RW\": false, \"Propagation\": \"rprivate\"},"
		" {\"Source\": \"/c\", \"Destination\": \"/d\", \"RW\": true}],"
		" \"NetworkSettings\": {\"Networks\": {\"x\": {\"IPAddress\": \"\"},"
		" \"y\": {\"IPAddress\": \"10.1.2.3\"}, \"z\": {\"IPAddress\": \"10.1.2.4\"}}}}");

	assert_string_equal(info->name, "web");
	assert_string_equal(info->image.id, "1a2b");
	assert_int_equal(info->created_ns, 1795354476031026389);
	assert_int_equal(info->env.count, 1);
	assert_string_equal(info->env.items[0].value, "b");
	assert_int_equal(info->labels.count, 3);
	assert_string_equal(describe_label(&info->labels, "a"), "b");
	assert_string_equal(info->pod.name, "p");
	assert_string_equal(info->pod.ns, "n");
	assert_int_equal(info->privileged, STATE_YES);
	assert_int_equal(info->host_pid, STATE_YES);
	assert_int_equal(info->host_network, STATE_UNKNOWN);
	assert_int_equal(info->host_ipc, STATE_NO);
	assert_int_equal(info->mounts.count, 2);
	assert_string_equal(info->mounts.items[0].source, "/a");
	assert_string_equal(info->mounts.items[0].dest, "/b");
	assert_string_equal(info->mounts.items[0].mode, "ro");
	assert_string_equal(info->mounts.items[0].propagation, "rprivate");
	assert_false(info->mounts.items[0].writable);
	assert_string_equal(info->mounts.items[1].mode, "");
	assert_true(info->mounts.items[1].writable);
	assert_string_equal(info->ip, "10.1.2.3");
	state_container_info_destroy(info);
}

static void test_other_types(void **state)
{
	struct state_container_info *info = fill(
		"{\"Id\": 1, \"Name\": {}, \"Image\": [], \"Created\": 7, \"Config\": 5,"
		" \"HostConfig\": {\"Privileged\": \"yes\", \"PidMode\": 1},"
		" \"Mounts\": [1, {\"Source\": 3}], \"NetworkSettings\": {\"Networks\": [{}]}}");

	assert_null(info->name);
	assert_null(info->image.id);
	assert_null(info->ip);
	assert_int_equal(info->created_ns, 0);
	assert_int_equal(info->privileged, STATE_UNKNOWN);
	assert_int_equal(info->host_pid, STATE_UNKNOWN);
	assert_int_equal(info->labels.count, 0);
	state_container_info_destroy(info);
}

/* Before 1.44 of the interface, and without a network. */
static void test_address_of_old_versions(void **state)
{
	struct state_container_info *info =
		fill("{\"NetworkSettings\": {\"IPAddress\": \"10.0.0.9\", \"Networks\": {}}}");

	assert_string_equal(info->ip, "10.0.0.9");
	state_container_info_destroy(info);
}

static void test_id(void **state)
{
	json_t *object = json_pack("{s:s}", "Id", "abc"), *other = json_object();

	assert_string_equal(docker_api_json_id(object), "abc");
	assert_string_equal(docker_api_json_id(other), "");
	json_decref(object);
	json_decref(other);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_all_members),
	cmocka_unit_test(test_other_types),
	cmocka_unit_test(test_address_of_old_versions),
	cmocka_unit_test(test_id),
};

UNIT_GROUP(tests);
