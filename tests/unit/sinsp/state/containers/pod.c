/* SPDX-License-Identifier: MIT */
/* The memory of a pod's description, and how two of them differ. */
#include "sinsp/state/containers/pods.h"
#include "unit.h"

/* The sanitizers of the test build report what is not freed. */
static void test_info_owns_its_memory(void **state)
{
	struct state_pod_info *info = state_pod_info_create();

	assert_non_null(info);
	assert_null(info->pod.uid);
	assert_null(info->pod.workload.kind);
	assert_int_equal(info->containers.count, 0);
	info->pod.uid = arena_text(&info->texts.arena, "3f2a", 4);
	assert_string_equal(info->pod.uid, "3f2a");
	state_pod_info_destroy(info);
	state_pod_info_destroy(NULL);
}

static const struct state_label labels[] = {{"app", "web"}}, others[] = {{"app", "db"}};
static const struct state_pod_container containers[] = {{.id = "3f2a", .name = "web"}},
					started[] = {{.id = "5a22", .name = "web"}};

static struct state_pod_info example(void)
{
	return (struct state_pod_info){
		.pod = {.uid = "u1",
			.name = "web-5c4f",
			.workload = {.kind = "Deployment", .name = "web", .derived = true},
			.labels = {labels, 1}},
		.api_uid = "u2",
		.containers = {containers, 1},
	};
}

static void test_equal(void **state)
{
	const struct state_pod_info info = example();
	struct state_pod_info other[] = {example(), example(), example(), example(),
					 example(), example(), example(), example()};

	assert_true(state_pod_info_equal(&info, &other[0]));
	other[0].pod.name = "db";
	other[1].pod.ip = "10.0.0.7";
	other[2].pod.labels.items = others;
	other[3].pod.labels.count = 0;
	other[4].pod.annotations = (struct state_labels){labels, 1};
	other[5].containers.items = started;
	other[6].pod.workload.derived = false;
	other[7].api_uid = NULL;
	for (size_t i = 0; i < sizeof(other) / sizeof(other[0]); i++)
		assert_false(state_pod_info_equal(&info, &other[i]));
}

static void test_bytes(void **state)
{
	struct state_pod_info info = example();
	size_t bytes = state_pod_info_bytes(&info);

	info.texts.bytes = 100;
	assert_int_equal(state_pod_info_bytes(&info), bytes + 100);
	info.containers.count = info.pod.labels.count = 0;
	assert_int_equal(state_pod_info_bytes(&info), sizeof(info) + 100);
}

static void test_complete(void **state)
{
	const struct state_pod_info by_api = example();
	struct state_pod pod = {.name = "of-the-runtime", .sandbox_id = "5a22", .ip = "10.0.0.7"};

	state_pod_complete(&pod, &by_api.pod);
	assert_string_equal(pod.name, "web-5c4f");
	assert_string_equal(pod.uid, "u1");
	assert_string_equal(pod.sandbox_id, "5a22");
	assert_string_equal(pod.ip, "10.0.0.7");
	assert_string_equal(pod.workload.kind, "Deployment");
	assert_true(pod.workload.derived);
	assert_ptr_equal(pod.labels.items, labels);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_info_owns_its_memory),
	cmocka_unit_test(test_equal),
	cmocka_unit_test(test_bytes),
	cmocka_unit_test(test_complete),
};

UNIT_GROUP(tests);
