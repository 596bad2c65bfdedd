/* SPDX-License-Identifier: MIT */
/* The parts of descriptions: references of images, times, labels, mounts, and their limits. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "meta/describe.h"
#include "unit.h"

static struct state_container_info *info;

static int setup(void **state)
{
	info = state_container_info_create();
	return info ? 0 : -1;
}

static int teardown(void **state)
{
	state_container_info_destroy(info);
	return 0;
}

static void expect_text(const char *text, const char *expected)
{
	if (expected)
		assert_string_equal(text, expected);
	else
		assert_null(text);
}

static void test_text(void **state)
{
	char *longer = malloc(DESCRIBE_TEXT_BYTES_MAX + 2);

	describe_text(&info->texts, &info->name, NULL);
	describe_text(&info->texts, &info->name, "");
	assert_null(info->name);
	memset(longer, 'a', DESCRIBE_TEXT_BYTES_MAX + 1);
	longer[DESCRIBE_TEXT_BYTES_MAX + 1] = '\0';
	describe_text(&info->texts, &info->name, longer);
	assert_null(info->name);
	assert_int_equal(info->texts.left_out, 1);
	describe_text(&info->texts, &info->name, longer + 1);
	assert_string_equal(info->name, longer + 1);
	describe_text(&info->texts, &info->name, "second");
	assert_string_equal(info->name, longer + 1);
	free(longer);
}

#define DIGEST "sha256:3f2a3f2a3f2a3f2a3f2a3f2a3f2a3f2a3f2a3f2a3f2a3f2a3f2a3f2a3f2a3f2a"

static void test_image(void **state)
{
	static const struct {
		const char *reference, *repository, *tag, *digest;
	} cases[] = {
		{"nginx", "nginx", "latest", NULL},
		{"nginx:1.25", "nginx", "1.25", NULL},
		{"docker.io/library/nginx:1.25", "docker.io/library/nginx", "1.25", NULL},
		{"host:5000/a/b", "host:5000/a/b", "latest", NULL},
		{"host:5000/a/b:tag", "host:5000/a/b", "tag", NULL},
		{"host:5000/a/b@" DIGEST, "host:5000/a/b", NULL, DIGEST},
		{"host:5000/a/b:tag@" DIGEST, "host:5000/a/b", "tag", DIGEST},
		{DIGEST, NULL, NULL, NULL},
		{"1a2b3c", NULL, NULL, NULL},
		{":", NULL, NULL, NULL},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		teardown(NULL);
		setup(NULL);
		describe_image_id(&info->texts, &info->image, "sha256:1a2b3c4d");
		describe_image(&info->texts, &info->image, cases[i].reference);
		assert_string_equal(info->image.name, cases[i].reference);
		assert_string_equal(info->image.id, "1a2b3c4d");
		expect_text(info->image.repository, cases[i].repository);
		expect_text(info->image.tag, cases[i].tag);
		expect_text(info->image.digest, cases[i].digest);
	}
	describe_image(&info->texts, &info->image, "other");
	assert_string_equal(info->image.name, ":");
}

static void test_image_id(void **state)
{
	describe_image_id(&info->texts, &info->image, NULL);
	describe_image_id(&info->texts, &info->image, "nginx:1");
	assert_null(info->image.id);
	describe_image_by_name(&info->texts, &info->image, NULL);
	describe_image_by_name(&info->texts, &info->image, DIGEST);
	assert_null(info->image.name);
	describe_image_by_name(&info->texts, &info->image, "nginx");
	assert_string_equal(info->image.repository, "nginx");
}

/* Of texts that are all short enough alone. */
static void test_texts_are_limited_together(void **state)
{
	char text[DESCRIBE_TEXT_BYTES_MAX + 1];
	struct describe_labels labels = describe_labels_begin(&info->texts, &info->labels, 100);

	memset(text, 'a', DESCRIBE_TEXT_BYTES_MAX);
	text[DESCRIBE_TEXT_BYTES_MAX] = '\0';
	for (int i = 0; i < 100; i++)
		describe_label_add(&labels, "name", text);
	describe_labels_end(&labels, &info->labels);
	assert_true(info->texts.bytes <= DESCRIBE_BYTES_MAX);
	assert_int_equal(info->labels.count, DESCRIBE_BYTES_MAX / (DESCRIBE_TEXT_BYTES_MAX + 6));
	assert_int_equal(info->texts.left_out, 100 - info->labels.count);
}

static void test_invalid_text(void **state)
{
	describe_text(&info->texts, &info->name, "a\xff\xc3\xa4\xe2\x82");
	assert_string_equal(info->name, "a\xef\xbf\xbd\xc3\xa4\xef\xbf\xbd\xef\xbf\xbd");
}

static void test_time(void **state)
{
	static const struct {
		const char *text;
		uint64_t ns;
	} cases[] = {
		{"2026-11-22T13:34:36.031026389Z", 1795354476031026389},
		{"2026-11-22T13:34:36Z", 1795354476000000000},
		{"2026-11-22T13:34:36.5Z", 1795354476500000000},
		{"2026-11-22T13:34:36.0310263891234Z", 1795354476031026389},
		{"2026-11-22T14:34:36+01:00", 1795354476000000000},
		{"2026-11-22T08:04:36.5-05:30", 1795354476500000000},
		{"0001-01-01T00:00:00Z", 0},
		{"2026-11-22T13:34:36", 0},
		{"2026-11-22T13:34:36+01:00x", 0},
		{"2026-11-22", 0},
		{"", 0},
		{NULL, 0},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(describe_time_ns(cases[i].text), cases[i].ns);
}

static void test_labels(void **state)
{
	json_t *object = json_pack("{s:s, s:i, s:s}", "a", "1", "b", 2, "c", "");

	describe_labels(&info->texts, &info->labels, NULL);
	assert_int_equal(info->labels.count, 0);
	describe_labels(&info->texts, &info->labels, object);
	assert_int_equal(info->labels.count, 2);
	assert_string_equal(describe_label(&info->labels, "a"), "1");
	assert_string_equal(describe_label(&info->labels, "c"), "");
	assert_null(describe_label(&info->labels, "b"));
	assert_int_equal(info->texts.left_out, 0);
	json_decref(object);
}

static void test_environment(void **state)
{
	static const struct state_label expected[] = {
		{"A", "b=c"}, {"B", ""}, {"C", "d"}, {"E", ""}};
	json_t *array = json_pack("[s, s, i, {s:s, s:s}, {s:s}, {s:s}]", "A=b=c", "B", 7, "key",
				  "C", "value", "d", "key", "E", "value", "no key");
	json_t *other = json_pack("[s]", "A=other");

	/* Only a description that is to have it. */
	describe_env(info, array);
	assert_int_equal(info->env.count, 0);
	info->wants_env = true;
	describe_env(info, NULL);
	assert_int_equal(info->env.count, 0);
	describe_env(info, array);
	describe_env(info, other);
	assert_int_equal(info->env.count, 4);
	for (size_t i = 0; i < 4; i++) {
		assert_string_equal(info->env.items[i].name, expected[i].name);
		assert_string_equal(info->env.items[i].value, expected[i].value);
	}
	assert_int_equal(info->texts.left_out, 0);
	json_decref(array);
	json_decref(other);
}

static void test_very_many_labels(void **state)
{
	const size_t count = 200000;
	json_t *object = json_object();
	char name[16];

	for (size_t i = 0; i < count; i++) {
		snprintf(name, sizeof(name), "%zu", i);
		json_object_set_new_nocheck(object, name, json_string_nocheck("x"));
	}
	describe_labels(&info->texts, &info->labels, object);
	assert_int_equal(info->labels.count, DESCRIBE_ITEMS_MAX);
	assert_int_equal(info->texts.left_out, count - DESCRIBE_ITEMS_MAX);
	json_decref(object);
}

static void test_mounts(void **state)
{
	struct describe_mounts mounts = describe_mounts_begin(info, DESCRIBE_ITEMS_MAX + 2);

	for (size_t i = 0; i < DESCRIBE_ITEMS_MAX + 2; i++)
		describe_mount(&mounts, &(struct state_mount){.source = "/a", .writable = true});
	describe_mounts_end(&mounts);
	assert_int_equal(info->mounts.count, DESCRIBE_ITEMS_MAX);
	assert_int_equal(info->texts.left_out, 2);
	assert_string_equal(info->mounts.items[0].source, "/a");
	assert_string_equal(info->mounts.items[0].dest, "");
	assert_true(info->mounts.items[0].writable);
	/* Others do not replace them. */
	mounts = describe_mounts_begin(info, 1);
	describe_mount(&mounts, &(struct state_mount){.source = "/b"});
	describe_mounts_end(&mounts);
	assert_string_equal(info->mounts.items[0].source, "/a");
	assert_int_equal(info->texts.left_out, 2);
}

static void test_containers_of_a_pod(void **state)
{
	struct state_pod_info *pod = state_pod_info_create();
	struct describe_pod_containers list =
		describe_pod_containers_begin(pod, DESCRIBE_ITEMS_MAX + 2);
	struct state_pod_container *container = describe_pod_container(&list, "3f2a");

	describe_text(&pod->texts, &container->name, "web");
	describe_image(&pod->texts, &container->image, "nginx:1");
	/* One without an id was not started: it has no processes. */
	assert_null(describe_pod_container(&list, ""));
	for (size_t i = 1; i < DESCRIBE_ITEMS_MAX; i++)
		assert_non_null(describe_pod_container(&list, "5a22"));
	assert_null(describe_pod_container(&list, "5a22"));
	describe_pod_containers_end(&list);
	assert_int_equal(pod->texts.left_out, 1);
	assert_int_equal(pod->containers.count, DESCRIBE_ITEMS_MAX);
	assert_string_equal(pod->containers.items[0].id, "3f2a");
	assert_string_equal(pod->containers.items[0].name, "web");
	assert_string_equal(pod->containers.items[0].image.tag, "1");
	state_pod_info_destroy(pod);
}

static void test_answer(void **state)
{
	describe_answer(&info->host_pid, false);
	describe_answer(&info->host_pid, true);
	assert_int_equal(info->host_pid, STATE_NO);
	describe_answer(&info->host_ipc, true);
	assert_int_equal(info->host_ipc, STATE_YES);
}

static void test_pod_by_labels(void **state)
{
	json_t *object = json_pack("{s:s, s:s, s:s, s:s, s:s}", "io.kubernetes.pod.name",
				   "web-5c4f", "io.kubernetes.pod.namespace", "shop",
				   "io.kubernetes.pod.uid", "2f2b", "io.kubernetes.sandbox.id",
				   "5a22", "io.kubernetes.docker.type", "podsandbox");

	describe_labels(&info->texts, &info->labels, object);
	describe_pod_by_labels(info, &info->labels);
	assert_string_equal(info->pod.name, "web-5c4f");
	assert_string_equal(info->pod.ns, "shop");
	assert_string_equal(info->pod.uid, "2f2b");
	assert_string_equal(info->pod.sandbox_id, "5a22");
	assert_true(info->is_sandbox);
	json_decref(object);
}

/* An image has more labels than there is room for: what names the pod is there all the same. */
static void test_pod_among_many_labels(void **state)
{
	json_t *object = json_object();
	char name[32];

	for (int i = 0; i < DESCRIBE_ITEMS_MAX; i++) {
		snprintf(name, sizeof(name), "a%d", i);
		json_object_set_new(object, name,
				    json_string("0123456789abcdef0123456789abcdef"
						"0123456789abcdef0123456789abcdef"));
	}
	json_object_set_new(object, "io.kubernetes.pod.name", json_string("web-5c4f"));
	describe_labels(&info->texts, &info->labels, object);
	describe_pod_by_labels(info, &info->labels);
	assert_string_equal(info->pod.name, "web-5c4f");
	assert_int_not_equal(info->texts.left_out, 0);
	json_decref(object);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_pod_among_many_labels, setup, teardown),
	cmocka_unit_test_setup_teardown(test_text, setup, teardown),
	cmocka_unit_test_setup_teardown(test_image, setup, teardown),
	cmocka_unit_test_setup_teardown(test_image_id, setup, teardown),
	cmocka_unit_test_setup_teardown(test_texts_are_limited_together, setup, teardown),
	cmocka_unit_test_setup_teardown(test_invalid_text, setup, teardown),
	cmocka_unit_test_setup_teardown(test_time, setup, teardown),
	cmocka_unit_test_setup_teardown(test_labels, setup, teardown),
	cmocka_unit_test_setup_teardown(test_environment, setup, teardown),
	cmocka_unit_test_setup_teardown(test_very_many_labels, setup, teardown),
	cmocka_unit_test_setup_teardown(test_mounts, setup, teardown),
	cmocka_unit_test(test_containers_of_a_pod),
	cmocka_unit_test_setup_teardown(test_answer, setup, teardown),
	cmocka_unit_test_setup_teardown(test_pod_by_labels, setup, teardown),
};

UNIT_GROUP(tests);
