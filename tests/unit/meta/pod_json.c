/* SPDX-License-Identifier: MIT */
/* Descriptions of pods from JSON: whole, static, and hostile. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "meta/describe.h"
#include "util/json_input.h"
#include "meta/pod_json.h"
#include "unit.h"
#include "util/buf.h"

#define UID "0f1e2d3c-0000-4000-8000-123456789abc"
#define HASH "0123456789abcdef0123456789abcdef"
#define ID "1111111111111111111111111111111111111111111111111111111111111111"
#define DIGEST "sha256:2222222222222222222222222222222222222222222222222222222222222222"

static const char whole[] =
	"{\"metadata\": {\"name\": \"web-6d4cf56db6-x\", \"namespace\": \"shop\", \"uid\": \"" UID
	"\","
	" \"labels\": {\"app\": \"web\", \"pod-template-hash\": \"6d4cf56db6\"},"
	" \"annotations\": {\"note\": \"a \\\"b\\\"\","
	"  \"kubectl.kubernetes.io/last-applied-configuration\": \"{secret}\"},"
	" \"ownerReferences\": [{\"kind\": \"ReplicaSet\", \"name\": \"web-6d4cf56db6\","
	"  \"controller\": true}], \"managedFields\": [{\"manager\": \"x\"}]},"
	" \"spec\": {\"nodeName\": \"n1\", \"serviceAccountName\": \"robot\","
	"  \"containers\": [{\"name\": \"main\", \"image\": \"reg:5000/web:2\"},"
	"   {\"name\": \"late\", \"image\": \"late\"}],"
	"  \"initContainers\": [{\"name\": \"init\", \"image\": \"busybox\"}]},"
	" \"status\": {\"phase\": \"Running\", \"podIP\": \"10.0.0.7\","
	"  \"containerStatuses\": [{\"name\": \"main\", \"containerID\": \"containerd://" ID "\","
	"    \"image\": \"other:2\", \"imageID\": \"reg:5000/web@" DIGEST "\"},"
	"   {\"name\": \"late\", \"image\": \"late\"}],"
	"  \"initContainerStatuses\": [{\"name\": \"init\", \"containerID\": \"cri-o://22\","
	"    \"image\": \"sha256:ab\", \"imageID\": \"sha256:abcd\"}],"
	"  \"ephemeralContainerStatuses\": [{\"name\": \"debug\", \"containerID\": \"docker://33\","
	"    \"image\": \"tools:1\"}]}}";

static struct state_pod_info *describe(const char *text, const char *expected_uid)
{
	char uid[STATE_POD_UID_BYTES];
	struct state_pod_info *info;
	json_t *pod;

	assert_int_equal(
		json_input_parse(text, strlen(text), JSON_INPUT_VALUES_MAX, "", &pod, NULL), 0);
	assert_true(pod_json_uid(pod, uid));
	assert_string_equal(uid, expected_uid);
	info = pod_json_describe(pod, uid);
	assert_non_null(info);
	json_decref(pod);
	return info;
}

static void test_whole(void **state)
{
	struct state_pod_info *info = describe(whole, UID);
	const struct state_pod *pod = &info->pod;
	const struct state_pod_container *containers = info->containers.items;

	assert_string_equal(pod->uid, UID);
	assert_null(info->api_uid);
	assert_string_equal(pod->name, "web-6d4cf56db6-x");
	assert_string_equal(pod->ns, "shop");
	assert_string_equal(pod->ip, "10.0.0.7");
	assert_string_equal(pod->node, "n1");
	assert_string_equal(pod->service_account, "robot");
	assert_string_equal(pod->owner.kind, "ReplicaSet");
	assert_string_equal(pod->owner.name, "web-6d4cf56db6");
	assert_string_equal(pod->workload.kind, "Deployment");
	assert_string_equal(pod->workload.name, "web");
	assert_true(pod->workload.derived);
	assert_int_equal(pod->labels.count, 2);
	assert_string_equal(describe_label(&pod->labels, "app"), "web");
	/* The copy of the specification is left out: it may have secrets. */
	assert_int_equal(pod->annotations.count, 1);
	assert_string_equal(describe_label(&pod->annotations, "note"), "a \"b\"");
	assert_int_equal(info->texts.left_out, 0);
	/* A container that was not started yet has no id. */
	assert_int_equal(info->containers.count, 3);
	assert_string_equal(containers[0].id, ID);
	assert_string_equal(containers[0].name, "main");
	assert_string_equal(containers[0].image.name, "reg:5000/web:2");
	assert_string_equal(containers[0].image.tag, "2");
	assert_string_equal(containers[0].image.digest, DIGEST);
	assert_string_equal(containers[1].id, "22");
	assert_string_equal(containers[1].image.name, "busybox");
	assert_string_equal(containers[1].image.id, "abcd");
	assert_string_equal(containers[2].name, "debug");
	assert_string_equal(containers[2].image.name, "tools:1");
	state_pod_info_destroy(info);
}

static void test_static_pod(void **state)
{
	struct state_pod_info *info = describe(
		"{\"metadata\": {\"name\": \"etcd-n1\", \"uid\": \"" UID "\", \"annotations\": {"
		"\"kubernetes.io/config.mirror\": \"" HASH "\","
		"\"kubernetes.io/config.hash\": \"" HASH "\"}, \"ownerReferences\": ["
		"{\"kind\": \"Node\", \"name\": \"n1\", \"controller\": true}]}}",
		HASH);

	assert_string_equal(info->pod.uid, HASH);
	assert_string_equal(info->api_uid, UID);
	assert_string_equal(info->pod.workload.kind, "Node");
	assert_string_equal(info->pod.workload.name, "n1");
	assert_false(info->pod.workload.derived);
	state_pod_info_destroy(info);
	/* No pod that any user makes gets the uid of another one by an annotation alone. */
	info = describe("{\"metadata\": {\"uid\": \"" UID "\", \"annotations\": {"
			"\"kubernetes.io/config.hash\": \"" HASH "\"}}}",
			UID);
	state_pod_info_destroy(info);
}

static void test_no_pods(void **state)
{
	static const char *const texts[] = {
		"{}",
		"[]",
		"{\"metadata\": []}",
		"{\"metadata\": {\"uid\": 7}}",
		"{\"metadata\": {\"uid\": \"\"}}",
		"{\"metadata\": {\"uid\": \"" UID "0\"}}",
		"{\"metadata\": {\"uid\": \"" UID "\","
		" \"annotations\": {\"kubernetes.io/config.mirror\": \"x\"}}}",
	};
	char uid[STATE_POD_UID_BYTES];

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		json_t *pod = json_loads(texts[i], 0, NULL);

		assert_non_null(pod);
		assert_false(pod_json_uid(pod, uid));
		json_decref(pod);
	}
}

static void test_wrong_types(void **state)
{
	struct state_pod_info *info = describe(
		"{\"metadata\": {\"uid\": \"u\", \"name\": {}, \"namespace\": null, \"labels\": 7,"
		" \"annotations\": [1], \"ownerReferences\": {\"a\": 1}},"
		" \"spec\": [], \"status\": {\"podIP\": [], \"containerStatuses\": [7, null, {},"
		" {\"containerID\": 5}, {\"containerID\": \"://\"}, {\"containerID\": \"abc\"},"
		" {\"containerID\": \"a://b\", \"image\": 1, \"imageID\": []}]}}",
		"u");

	assert_null(info->pod.name);
	assert_int_equal(info->pod.labels.count, 0);
	assert_int_equal(info->containers.count, 1);
	assert_string_equal(info->containers.items[0].id, "b");
	assert_null(info->containers.items[0].image.name);
	state_pod_info_destroy(info);
}

static void test_limits(void **state)
{
	struct buf text = {0};
	struct state_pod_info *info;

	buf_append_string(&text,
			  "{\"metadata\": {\"uid\": \"u\", \"name\": \"a\\u0000b\", \"labels\": {");
	for (int i = 0; i < 40000; i++)
		buf_printf(&text, "%s\"label-%d\": \"\"", i ? "," : "", i);
	buf_append_string(&text, "}}, \"spec\": {\"nodeName\": \"n1\"}}");
	buf_append_char(&text, '\0');
	info = describe(text.data, "u");
	assert_int_equal(info->pod.labels.count, DESCRIBE_ITEMS_MAX);
	assert_int_equal(info->texts.left_out, 40000 - DESCRIBE_ITEMS_MAX);
	assert_string_equal(info->pod.node, "n1");
	assert_string_equal(info->pod.name, "a");
	assert_true(info->texts.bytes <= DESCRIBE_BYTES_MAX);
	state_pod_info_destroy(info);
	buf_finish(&text);
}

/* Each of these makes another description; the order of the parts counts, too. */
static void test_digest(void **state)
{
	static const char *const parts[] = {
		"web-6d4cf56db6-x",
		"shop",
		"\"app\"",
		"\"web\"",
		"10.0.0.7",
		"n1",
		"robot",
		"containerd://1",
		"\"main\"",
		"reg:5000/web:2",
		"@sha256:2",
		"\"note\"",
	};
	struct state_pod_info *info = describe(whole, UID), *other;
	uint64_t digest = pod_json_digest(info);

	state_pod_info_destroy(info);
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		char *text = strdup(whole), *found = strstr(text, parts[i]);

		assert_non_null(found);
		found[strlen(parts[i]) - 2] ^= 1;
		other = describe(text, UID);
		assert_true(pod_json_digest(other) != digest);
		state_pod_info_destroy(other);
		free(text);
	}
	info = describe(whole, UID);
	assert_true(pod_json_digest(info) == digest);
	state_pod_info_destroy(info);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_whole),	cmocka_unit_test(test_static_pod),
	cmocka_unit_test(test_no_pods), cmocka_unit_test(test_wrong_types),
	cmocka_unit_test(test_limits),	cmocka_unit_test(test_digest),
};

UNIT_GROUP(tests);
