/* SPDX-License-Identifier: MIT */
/* Two descriptions of a container as one. */
#include "sinsp/state/container_state.h"
#include "unit.h"

static struct state_container_info *known, *info;

static int setup(void **state)
{
	known = state_container_info_create();
	info = state_container_info_create();
	assert_non_null(known);
	assert_non_null(info);
	return 0;
}

static int teardown(void **state)
{
	state_container_info_destroy(known);
	state_container_info_destroy(info);
	return 0;
}

static void test_completes(void **state)
{
	static const struct state_label label = {"app", "web"};
	static const struct state_mount mount = {"/data", "/d", "ro", "rprivate", true};

	known->name = "web";
	known->privileged = STATE_NO;
	known->mounts = (struct state_mounts){&mount, 1};
	known->pod.labels = (struct state_labels){&label, 1};
	known->env = (struct state_labels){&label, 1};
	known->created_ns = 7;
	info->image.name = "nginx:1";
	info->host_pid = STATE_YES;
	info->is_sandbox = true;
	assert_int_equal(container_merge(info, known), 1);
	/* Nothing of `info` is in the memory of what was known. */
	state_container_info_destroy(known);
	known = NULL;
	assert_string_equal(info->name, "web");
	assert_string_equal(info->image.name, "nginx:1");
	assert_int_equal(info->privileged, STATE_NO);
	assert_int_equal(info->host_pid, STATE_YES);
	assert_true(info->is_sandbox);
	assert_int_equal(info->created_ns, 7);
	assert_int_equal(info->mounts.count, 1);
	assert_string_equal(info->mounts.items[0].source, "/data");
	assert_string_equal(info->mounts.items[0].dest, "/d");
	assert_string_equal(info->mounts.items[0].mode, "ro");
	assert_string_equal(info->mounts.items[0].propagation, "rprivate");
	assert_true(info->mounts.items[0].writable);
	assert_int_equal(info->pod.labels.count, 1);
	assert_string_equal(info->pod.labels.items[0].name, "app");
	assert_string_equal(info->pod.labels.items[0].value, "web");
	assert_int_equal(info->env.count, 1);
	assert_string_equal(info->env.items[0].value, "web");
}

/* Names and addresses change; the form of another source's values does not take their place. */
static void test_keeps(void **state)
{
	static const struct state_mount mount = {"/a", "/b", "", "rprivate", false};
	static const struct state_mount other = {"/a", "/b", "", "private", false};

	known->name = "old";
	known->ip = "10.0.0.1";
	known->image.name = "nginx:1";
	known->privileged = STATE_NO;
	known->mounts = (struct state_mounts){&mount, 1};
	info->name = "new";
	info->ip = "10.0.0.2";
	info->image.name = "docker.io/library/nginx:1";
	info->privileged = STATE_YES;
	info->mounts = (struct state_mounts){&other, 1};
	assert_int_equal(container_merge(info, known), 1);
	assert_string_equal(info->name, "new");
	assert_string_equal(info->ip, "10.0.0.2");
	assert_string_equal(info->image.name, "nginx:1");
	assert_int_equal(info->privileged, STATE_NO);
	assert_string_equal(info->mounts.items[0].propagation, "rprivate");
}

static void test_says_nothing_new(void **state)
{
	static const struct state_label labels[] = {{"a", "1"}, {"b", "2"}};

	known->name = "web";
	known->image.name = "nginx:1";
	known->privileged = STATE_NO;
	known->labels = (struct state_labels){labels, 2};
	known->created_ns = 7;
	info->name = "web";
	info->created_ns = 8;
	info->labels = (struct state_labels){labels, 1};
	assert_int_equal(container_merge(info, known), 0);
	assert_int_equal(info->labels.count, 2);
	assert_int_equal(info->created_ns, 7);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_completes, setup, teardown),
	cmocka_unit_test_setup_teardown(test_keeps, setup, teardown),
	cmocka_unit_test_setup_teardown(test_says_nothing_new, setup, teardown),
};

UNIT_GROUP(tests);
