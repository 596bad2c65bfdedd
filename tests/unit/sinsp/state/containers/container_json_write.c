/* SPDX-License-Identifier: MIT */
/* Descriptions of containers as text, and read again. */
#include <string.h>

#include "contained.h"
#include "sinsp/state/containers/container_json.h"
#include "unit.h"

/* The container of the fixture. */
static struct state_container *container_of(void **state)
{
	struct drive *world = *state;

	return world_self(world)->cgroups->container;
}

static void describe(void **state, struct state_container_info *info)
{
	struct drive *world = *state;

	state_container_set_info(&world->state->containers, container_of(state), STATE_META_OK,
				 info);
}

static struct buf write_json(void **state)
{
	struct buf text = {0};

	state_container_json_append(container_of(state), &text);
	buf_append_char(&text, '\0');
	assert_false(text.failed);
	return text;
}

static struct state_container_json write_and_read(void **state)
{
	struct buf text = write_json(state);
	struct state_container_json json;

	assert_int_equal(state_container_json_read(text.data, text.len - 1, true, &json), 0);
	assert_int_equal(json.ignored, 0);
	buf_finish(&text);
	return json;
}

static void expect_json(void **state, const char *expected)
{
	struct buf text = write_json(state);

	assert_string_equal(text.data, expected);
	buf_finish(&text);
}

static void test_text(void **state)
{
	struct state_container_info *info = state_container_info_create();
	static const struct state_label label = {"a\"b", "\n"};
	static const struct state_mount mounts[] = {{"/a", "/b", "ro", "rprivate", false},
						    {"", "", "", "", true}};

	describe(state, info);
	expect_json(state, "{\"container\":{\"id\":\"0123456789ab\",\"full_id\":\"" CONTAINER_ID
			   "\",\"type\":0,\"lookup_state\":1,\"is_pod_sandbox\":false,"
			   "\"Mounts\":[]}}");
	info = state_container_info_create();
	info->name = "web";
	info->type = STATE_CONTAINER_PODMAN;
	info->privileged = STATE_NO;
	info->created_ns = 5999999999;
	info->labels = (struct state_labels){&label, 1};
	info->mounts = (struct state_mounts){mounts, 2};
	info->pod.name = "pod";
	info->pod.ip = "10.0.0.7";
	describe(state, info);
	container_of(state)->state = STATE_META_PENDING;
	expect_json(state,
		    "{\"container\":{\"id\":\"0123456789ab\",\"full_id\":\"" CONTAINER_ID
		    "\",\"type\":11,\"lookup_state\":0,\"name\":\"web\",\"ip\":\"10.0.0.7\","
		    "\"privileged\":false,"
		    "\"is_pod_sandbox\":false,\"created_time\":5,\"labels\":{\"a\\\"b\":\"\\n\","
		    "\"io.kubernetes.pod.name\":\"pod\"},\"Mounts\":[{\"Source\":\"/a\","
		    "\"Destination\":\"/b\",\"Mode\":\"ro\",\"RW\":false,\"Propagation\":"
		    "\"rprivate\"},{\"Source\":\"\",\"Destination\":\"\",\"Mode\":\"\","
		    "\"RW\":true,\"Propagation\":\"\"}],\"lanner\":{\"pod_ip\":\"10.0.0.7\"}}}");
}

/* Other readers have no other name of it. */
static void test_named(void **state)
{
	struct state_container_json json;

	contained_set_group(*state, "/lxc/my-long-container");
	describe(state, state_container_info_create());
	json = write_and_read(state);
	assert_string_equal(json.id, "my-long-container");
	assert_string_equal(json.info->name, "my-long-container");
	assert_int_equal(json.info->type, STATE_CONTAINER_LXC);
	state_container_info_destroy(json.info);
}

static void assert_same_texts(const struct state_container_info *a,
			      const struct state_container_info *b,
			      const struct container_members *members)
{
	for (size_t i = 0; i < members->count; i++) {
		const struct container_member *member = &members->items[i];
		const char *text = *container_text((struct state_container_info *)a, member);

		assert_non_null(text);
		assert_string_equal(*container_text((struct state_container_info *)b, member),
				    text);
	}
}

/* The first ones; those that name the pod follow. */
static void assert_same_labels(const struct state_labels *a, const struct state_labels *b)
{
	assert_true(b->count >= a->count);
	for (size_t i = 0; i < a->count; i++) {
		assert_string_equal(a->items[i].name, b->items[i].name);
		assert_string_equal(a->items[i].value, b->items[i].value);
	}
}

/* Who says it is kept. */
static void test_origin(void **state)
{
	struct state_container_json json;

	describe(state, state_container_info_create());
	container_of(state)->owner = 7;
	json = write_and_read(state);
	assert_int_equal(json.state, STATE_META_ROOTLESS);
	state_container_info_destroy(json.info);
	container_of(state)->state = STATE_META_MISSING;
	json = write_and_read(state);
	assert_int_equal(json.state, STATE_META_UNVERIFIED);
	state_container_info_destroy(json.info);
	container_of(state)->owner = STATE_OWNER_ROOT;
	container_of(state)->state = STATE_META_PARTIAL;
	json = write_and_read(state);
	assert_int_equal(json.state, STATE_META_PARTIAL);
	state_container_info_destroy(json.info);
}

static void test_round_trip(void **state)
{
	struct state_container_info *info = contained_info();
	struct state_container_json json;

	info->host_ipc = STATE_YES;
	info->is_sandbox = true;
	describe(state, info);
	json = write_and_read(state);
	assert_string_equal(json.id, CONTAINER_ID);
	assert_int_equal(json.state, STATE_META_OK);
	assert_int_equal(json.info->type, STATE_CONTAINER_DOCKER);
	assert_same_texts(info, json.info, &container_texts);
	assert_same_texts(info, json.info, &container_extension_texts);
	assert_same_texts(info, json.info, &container_pod_labels);
	assert_true(json.info->pod.workload.derived);
	assert_int_equal(json.info->privileged, info->privileged);
	assert_int_equal(json.info->host_pid, info->host_pid);
	assert_int_equal(json.info->host_network, info->host_network);
	assert_int_equal(json.info->host_ipc, info->host_ipc);
	assert_true(json.info->is_sandbox);
	assert_int_equal(json.info->created_ns, info->created_ns);
	assert_same_labels(&info->labels, &json.info->labels);
	assert_same_labels(&info->pod.labels, &json.info->pod.labels);
	assert_int_equal(json.info->pod.labels.count, info->pod.labels.count);
	assert_same_labels(&info->pod.annotations, &json.info->pod.annotations);
	assert_int_equal(json.info->mounts.count, info->mounts.count);
	for (size_t i = 0; i < info->mounts.count; i++) {
		const struct state_mount *a = &info->mounts.items[i];
		const struct state_mount *b = &json.info->mounts.items[i];

		assert_string_equal(a->source, b->source);
		assert_string_equal(a->dest, b->dest);
		assert_string_equal(a->mode, b->mode);
		assert_string_equal(a->propagation, b->propagation);
		assert_int_equal(a->writable, b->writable);
	}
	state_container_info_destroy(json.info);
}

/* Each variable is one text. */
static void test_environment(void **state)
{
	static const struct state_label items[] = {{"A", "b=\"c\""}, {"B", ""}};
	struct state_container_info *info = state_container_info_create();
	struct state_container_json json;
	struct buf text;

	assert_non_null(info);
	info->env = (struct state_labels){items, 2};
	describe(state, info);
	text = write_json(state);
	assert_non_null(strstr(text.data, ",\"env\":[\"A=b=\\\"c\\\"\",\"B=\"]"));
	buf_finish(&text);
	json = write_and_read(state);
	assert_int_equal(json.info->env.count, 2);
	assert_string_equal(json.info->env.items[0].value, "b=\"c\"");
	state_container_info_destroy(json.info);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_text, contained_setup, world_teardown),
	cmocka_unit_test_setup_teardown(test_named, contained_setup, world_teardown),
	cmocka_unit_test_setup_teardown(test_environment, contained_setup, world_teardown),
	cmocka_unit_test_setup_teardown(test_origin, contained_setup, world_teardown),
	cmocka_unit_test_setup_teardown(test_round_trip, contained_setup, world_teardown),
};

UNIT_GROUP(tests);
