/* SPDX-License-Identifier: MIT */
/* Descriptions of containers that others wrote, of every age, and texts that are none. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sinsp/state/containers/container_json.h"
#include "unit.h"
#include "util/buf.h"

#define ID "32a1026ccb88a551e2a38eb8f260b4700aefec7e8c007344057e58a9fa302374"

static struct state_container_json read_json(const char *text)
{
	struct state_container_json json;

	assert_int_equal(state_container_json_read(text, strlen(text), false, &json), 0);
	return json;
}

static void finish(struct state_container_json *json)
{
	state_container_info_destroy(json->info);
}

/* Of the container plugin of Falco 0.41, which has all members. */
static const char of_plugin[] =
	"{\"container\":{\"Mounts\":[{\"Destination\":\"/home/f\",\"Mode\":\"\",\"Propagation\":"
	"\"rprivate\",\"RW\":true,\"Source\":\"/srv/f\"}],\"User\":\"app\",\"cni_json\":\"\","
	"\"cpu_period\":100000,\"cpu_quota\":0,\"cpu_shares\":1024,\"cpuset_cpu_count\":0,"
	"\"created_time\":1730971086,\"env\":[\"TOKEN=secret\"],\"full_id\":\"" ID "\","
	"\"host_ipc\":false,\"host_network\":true,\"host_pid\":false,\"id\":\"32a1026ccb88\","
	"\"image\":\"fedora:38\",\"imagedigest\":\"sha256:b9ff\",\"imageid\":\"0ca0fe\","
	"\"imagerepo\":\"fedora\",\"imagetag\":\"38\",\"ip\":\"172.17.0.2\",\"is_pod_sandbox\":"
	"false,\"labels\":{\"maintainer\":\"C\",\"io.kubernetes.pod.name\":\"web-1\","
	"\"io.kubernetes.pod.namespace\":\"shop\",\"io.kubernetes.pod.uid\":\"2f2b\"},"
	"\"lookup_state\":1,\"memory_limit\":0,\"metadata_deadline\":0,\"name\":\"babbage\","
	"\"pod_sandbox_id\":\"fedc\",\"pod_sandbox_labels\":{\"app\":\"web\"},\"port_mappings\":"
	"[{\"HostIp\":0,\"HostPort\":80,\"ContainerPort\":80}],\"privileged\":false,\"size\":-1,"
	"\"swap_limit\":0,\"type\":0}}\n";

static void test_of_the_plugin(void **state)
{
	struct state_container_json json = read_json(of_plugin);
	const struct state_container_info *info = json.info;

	assert_string_equal(json.id, ID);
	assert_int_equal(json.state, STATE_META_OK);
	assert_int_equal(json.ignored, 0);
	assert_int_equal(info->type, STATE_CONTAINER_DOCKER);
	assert_string_equal(info->name, "babbage");
	assert_string_equal(info->image.name, "fedora:38");
	assert_string_equal(info->image.id, "0ca0fe");
	assert_string_equal(info->image.repository, "fedora");
	assert_string_equal(info->image.tag, "38");
	assert_string_equal(info->image.digest, "sha256:b9ff");
	assert_string_equal(info->ip, "172.17.0.2");
	assert_null(info->cni_json);
	assert_int_equal(info->privileged, STATE_NO);
	assert_int_equal(info->host_network, STATE_YES);
	assert_int_equal(info->host_pid, STATE_NO);
	assert_false(info->is_sandbox);
	assert_int_equal(info->created_ns, 1730971086000000000);
	assert_int_equal(info->labels.count, 4);
	assert_string_equal(info->labels.items[0].name, "maintainer");
	assert_string_equal(info->labels.items[0].value, "C");
	assert_int_equal(info->mounts.count, 1);
	assert_string_equal(info->mounts.items[0].source, "/srv/f");
	assert_string_equal(info->mounts.items[0].dest, "/home/f");
	assert_string_equal(info->mounts.items[0].mode, "");
	assert_string_equal(info->mounts.items[0].propagation, "rprivate");
	assert_true(info->mounts.items[0].writable);
	assert_string_equal(info->pod.name, "web-1");
	assert_string_equal(info->pod.ns, "shop");
	assert_string_equal(info->pod.uid, "2f2b");
	assert_string_equal(info->pod.sandbox_id, "fedc");
	assert_string_equal(info->pod.ip, "172.17.0.2");
	assert_int_equal(info->pod.labels.count, 1);
	assert_string_equal(info->pod.labels.items[0].value, "web");
	finish(&json);
}

/* What the libraries wrote before for what they did not know. */
static void test_of_old_libraries(void **state)
{
	struct state_container_json json = read_json(
		"{\"container\":{\"id\":\"0123456789ab\",\"type\":6,\"ip\":\"0.0.0.0\",\"labels\":"
		"null,\"name\":\"\",\"lookup_state\":0,\"is_pod_sandbox\":true,\"created_time\":0,"
		"\"Mounts\":[{}],\"mesos_task_id\":\"x\"}}");

	assert_string_equal(json.id, "0123456789ab");
	assert_int_equal(json.state, STATE_META_PENDING);
	assert_int_equal(json.ignored, 0);
	assert_int_equal(json.info->type, STATE_CONTAINER_CRI);
	assert_null(json.info->ip);
	assert_null(json.info->name);
	assert_int_equal(json.info->privileged, STATE_UNKNOWN);
	assert_int_equal(json.info->created_ns, 0);
	assert_int_equal(json.info->labels.count, 0);
	assert_string_equal(json.info->mounts.items[0].source, "");
	assert_true(json.info->is_sandbox);
	assert_string_equal(json.info->pod.sandbox_id, "0123456789ab");
	finish(&json);
	json = read_json("{\"container\":{\"id\":\"a\",\"lookup_state\":2,\"type\":77}}");
	assert_int_equal(json.state, STATE_META_MISSING);
	assert_int_equal(json.info->type, STATE_CONTAINER_NONE);
	finish(&json);
}

/* What the parameters of the oldest events become. */
static void test_of_the_oldest_events(void **state)
{
	struct state_container_json json = read_json(
		"{\"id\":\"0123456789ab\",\"type\":1,\"name\":\"web\",\"image\":\"nginx\"}");

	assert_string_equal(json.id, "0123456789ab");
	assert_int_equal(json.info->type, STATE_CONTAINER_LXC);
	assert_string_equal(json.info->name, "web");
	assert_string_equal(json.info->image.name, "nginx");
	assert_int_equal(json.info->labels.count, 0);
	finish(&json);
}

/* The rest of a description with values of other types is taken; these are counted. */
static void test_wrong_types(void **state)
{
	struct state_container_json json = read_json(
		"{\"container\":{\"id\":\"a\",\"full_id\":5,\"name\":[\"x\"],\"image\":\"i\","
		"\"type\":\"docker\",\"privileged\":\"yes\",\"labels\":[],\"pod_sandbox_labels\":"
		"{\"a\":\"b\",\"c\":1,\"d\":null},\"Mounts\":{},\"created_time\":1.5,"
		"\"lanner\":{\"pod_ip\":true,\"annotations\":7}}}");

	assert_string_equal(json.id, "a");
	assert_string_equal(json.info->image.name, "i");
	assert_null(json.info->name);
	assert_int_equal(json.info->privileged, STATE_UNKNOWN);
	assert_int_equal(json.info->pod.labels.count, 1);
	assert_int_equal(json.ignored, 10);
	finish(&json);
	json = read_json("{\"container\":{\"id\":\"a\",\"Mounts\":[1,{\"RW\":1}]}}");
	assert_int_equal(json.info->mounts.count, 1);
	assert_false(json.info->mounts.items[0].writable);
	assert_int_equal(json.ignored, 2);
	finish(&json);
}

static int read_code(const char *text, size_t len)
{
	struct state_container_json json;
	int code = state_container_json_read(text, len, false, &json);

	if (code == 0)
		finish(&json);
	return code;
}

static void test_no_descriptions(void **state)
{
	static const char *const texts[] = {
		"",
		"{",
		"[]",
		"5",
		"{}",
		"{\"container\":{}}",
		"{\"container\":5}",
		"{\"container\":{\"id\":\"\",\"full_id\":\"\"}}",
		"{\"container\":{\"id\":7}}",
		"{\"container\":{\"id\":\"a\"}} more",
		"{\"container\":{\"id\":\"a\\u0000b\"}}",
		"{\"container\":{\"id\":\"a\",\"name\":\"\xff\"}}",
		"{\"container\":{\"id\":\"a\",\"created_time\":99999999999999999999}}",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_int_equal(read_code(texts[i], strlen(texts[i])), -EBADMSG);
}

static void test_limits(void **state)
{
	struct buf text = {0};
	struct state_container_json json;

	/* Deep nesting. */
	for (int i = 0; i < 1000000; i++)
		buf_append_char(&text, '[');
	assert_int_equal(read_code(text.data, text.len), -EBADMSG);
	buf_clear(&text);
	/* Too many labels. */
	buf_printf(&text, "{\"container\":{\"id\":\"a\",\"labels\":{\"0\":\"\"");
	for (int i = 1; i < CONTAINER_JSON_ITEMS_MAX + 3; i++)
		buf_printf(&text, ",\"%d\":\"\"", i);
	buf_printf(&text, "}}}");
	assert_int_equal(state_container_json_read(text.data, text.len, false, &json), 0);
	assert_int_equal(json.info->labels.count, CONTAINER_JSON_ITEMS_MAX);
	assert_int_equal(json.ignored, 3);
	finish(&json);
	/* Too long; white space is part of JSON. */
	while (text.len < CONTAINER_JSON_BYTES_MAX)
		buf_append_char(&text, ' ');
	assert_int_equal(read_code(text.data, text.len), 0);
	buf_append_char(&text, ' ');
	assert_int_equal(read_code(text.data, text.len), -E2BIG);
	buf_finish(&text);
}

/* Only for those who want it. */
static void test_environment(void **state)
{
	static const char text[] =
		"{\"container\":{\"id\":\"a\",\"env\":[\"A=b=c\",7,\"B\",\"C=\"]}}";
	static const struct state_label expected[] = {{"A", "b=c"}, {"B", ""}, {"C", ""}};
	struct state_container_json json;

	assert_int_equal(state_container_json_read(text, strlen(text), false, &json), 0);
	assert_int_equal(json.info->env.count, 0);
	assert_int_equal(json.ignored, 0);
	state_container_info_destroy(json.info);
	assert_int_equal(state_container_json_read(text, strlen(text), true, &json), 0);
	assert_int_equal(json.info->env.count, 3);
	assert_int_equal(json.ignored, 1);
	for (size_t i = 0; i < 3; i++) {
		assert_string_equal(json.info->env.items[i].name, expected[i].name);
		assert_string_equal(json.info->env.items[i].value, expected[i].value);
	}
	state_container_info_destroy(json.info);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_of_the_plugin),	     cmocka_unit_test(test_of_old_libraries),
	cmocka_unit_test(test_of_the_oldest_events), cmocka_unit_test(test_wrong_types),
	cmocka_unit_test(test_no_descriptions),	     cmocka_unit_test(test_limits),
	cmocka_unit_test(test_environment),
};

UNIT_GROUP(tests);
