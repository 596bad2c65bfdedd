/* SPDX-License-Identifier: MIT */
/* Containers and their pods, whichever is known first. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sinsp/state/containers/containers.h"
#include "unit.h"

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define UID "2f2b6b2e-9c0a-4d7c-8f7c-2f3f5d6b7a80"
#define IN_POD "cpu=/kubepods/pod" UID "/" ID
#define IN_NO_POD "cpu=/docker/" ID

static struct state_containers *table;

static int setup(void **state)
{
	table = calloc(1, sizeof(*table));
	return table ? 0 : -1;
}

static int teardown(void **state)
{
	state_containers_finish(table);
	free(table);
	return 0;
}

static struct state_cgroups *get(const char *text)
{
	struct state_cgroups *cgroups = state_cgroups_get(table, text, strlen(text) + 1);

	assert_non_null(cgroups);
	return cgroups;
}

static const struct state_label labels[] = {{"app", "web"}};
static const struct state_pod_container listed[] = {
	{.id = ID, .name = "web", .image = {.name = "nginx:1", .repository = "nginx", .tag = "1"}},
};

/* What the API says of the pod, with texts that need no memory. */
static struct state_pod_info *by_api(const char *uid)
{
	struct state_pod_info *info = state_pod_info_create();

	info->pod = (struct state_pod){
		.uid = uid,
		.name = "web-5c4f",
		.ns = "shop",
		.node = "n1",
		.workload = {.kind = "Deployment", .name = "web", .derived = true},
		.labels = {labels, 1},
	};
	info->containers = (struct state_pod_containers){listed, 1};
	return info;
}

static struct state_container_info *by_runtime(const char *pod_uid)
{
	struct state_container_info *info = state_container_info_create();

	info->name = "k8s_web";
	info->pod.uid = pod_uid;
	info->pod.name = "web-of-the-runtime";
	info->pod.sandbox_id = "5a22";
	return info;
}

static void test_pod_before_its_container(void **state)
{
	struct state_cgroups *cgroups;

	state_containers_describe_pod(table, by_api(UID));
	cgroups = get(IN_POD);
	assert_string_equal(cgroups->container->info.pod.name, "web-5c4f");
	assert_string_equal(cgroups->container->info.pod.workload.kind, "Deployment");
	assert_true(cgroups->container->info.pod.workload.derived);
	/* It is written to capture files. */
	assert_ptr_equal(state_containers_take_changed(table), cgroups->container);
	state_cgroups_unref(cgroups);
	assert_int_equal(table->pods.count, 1);
}

static void test_container_before_its_pod(void **state)
{
	struct state_cgroups *cgroups = get(IN_POD);
	const struct state_container *container = cgroups->container;

	assert_string_equal(container->info.pod.uid, UID);
	assert_null(container->info.pod.name);
	assert_false(state_container_is_described(container));
	state_containers_describe_pod(table, by_api(UID));
	assert_string_equal(container->info.pod.name, "web-5c4f");
	assert_int_equal(container->info.pod.labels.count, 1);
	assert_ptr_equal(state_containers_take_changed(table), container);
	/* The same again is no change. */
	state_containers_describe_pod(table, by_api(UID));
	assert_null(state_containers_take_changed(table));
	state_containers_forget_pod(table, UID);
	assert_string_equal(container->info.pod.name, "web-5c4f");
	state_cgroups_unref(cgroups);
}

static uint32_t of_user(void *context, const char *group, size_t len)
{
	return 7;
}

/* A group of a user that is named like one of the pod, and a description that says so. */
static void test_forged(void **state)
{
	struct state_cgroups *cgroups;
	const struct state_container *container;

	table->owner_of = of_user;
	state_containers_describe_pod(table, by_api(UID));
	cgroups = get(IN_POD);
	container = cgroups->container;
	assert_null(container->pod);
	assert_null(container->info.pod.uid);
	state_container_set_info(table, cgroups->container, STATE_META_OK, by_runtime(UID));
	assert_null(container->info.pod.uid);
	assert_null(container->info.pod.name);
	assert_null(container->pod);
	state_cgroups_unref(cgroups);
}

/* The control groups do not show the pod, but its description has the container. */
static void test_container_that_the_api_lists(void **state)
{
	struct state_cgroups *cgroups = get(IN_NO_POD), *again;
	struct state_pod_info *without;

	assert_null(cgroups->container->pod);
	state_containers_describe_pod(table, by_api(UID));
	assert_string_equal(cgroups->container->info.pod.uid, UID);
	assert_string_equal(cgroups->container->info.name, "web");
	assert_string_equal(cgroups->container->info.image.tag, "1");
	assert_int_equal(state_container_state(cgroups->container), STATE_META_OK);
	state_cgroups_unref(cgroups);
	again = get(IN_NO_POD);
	assert_string_equal(again->container->info.pod.uid, UID);
	/* It lists it no more. */
	without = by_api(UID);
	without->containers.count = 0;
	state_containers_describe_pod(table, without);
	assert_null(again->container->pod);
	assert_null(again->container->info.pod.name);
	assert_int_equal(state_container_state(again->container), STATE_META_MISSING);
	state_cgroups_unref(again);
}

/* The API has another uid for a static pod than its control groups. */
static void test_uids_of_a_static_pod(void **state)
{
	struct state_cgroups *cgroups =
		get("cpu=/kubepods/pod00112233445566778899aabbccddeeff/" ID);
	struct state_pod_info *info = by_api("00112233445566778899aabbccddeeff");

	info->api_uid = UID;
	state_containers_describe_pod(table, info);
	assert_string_equal(cgroups->container->info.pod.name, "web-5c4f");
	assert_string_equal(cgroups->container->info.pod.uid, "00112233445566778899aabbccddeeff");
	state_cgroups_unref(cgroups);
	/* Whoever describes it may not know that of the control groups. */
	state_containers_forget_pod(table, UID);
	state_containers_describe_pod(table, by_api(UID));
	cgroups = get("cpu=/kubepods/podffeeddccbbaa99887766554433221100/" ID);
	assert_string_equal(cgroups->container->info.pod.name, "web-5c4f");
	state_cgroups_unref(cgroups);
}

static void test_pod_that_the_runtime_names(void **state)
{
	struct state_cgroups *cgroups = get(IN_NO_POD);
	const struct state_container *container = cgroups->container;
	struct state_pod_info *pod = by_api(UID);

	pod->containers.count = 0;
	state_container_set_info(table, cgroups->container, STATE_META_OK, by_runtime(UID));
	assert_string_equal(container->info.pod.name, "web-of-the-runtime");
	state_containers_describe_pod(table, pod);
	assert_string_equal(container->info.pod.name, "web-5c4f");
	assert_string_equal(container->info.pod.sandbox_id, "5a22");
	assert_string_equal(container->info.name, "k8s_web");
	/* The control groups are stronger than what a label says. */
	state_container_set_info(table, cgroups->container, STATE_META_OK, by_runtime("other"));
	assert_string_equal(container->info.pod.name, "web-of-the-runtime");
	state_cgroups_unref(cgroups);
	cgroups = get(IN_POD);
	state_container_set_info(table, cgroups->container, STATE_META_OK, by_runtime("other"));
	assert_string_equal(cgroups->container->info.pod.name, "web-5c4f");
	assert_string_equal(cgroups->container->info.pod.uid, UID);
	state_cgroups_unref(cgroups);
}

/* Of several hierarchies, only some groups may be below the pod's. */
static void test_pod_of_other_groups(void **state)
{
	struct state_pod_info *pod = by_api(UID);
	struct state_cgroups *outside = get(IN_NO_POD), *inside;

	pod->containers.count = 0;
	state_containers_describe_pod(table, pod);
	assert_null(outside->container->info.pod.name);
	inside = get(IN_POD);
	assert_ptr_equal(inside->container, outside->container);
	assert_string_equal(outside->container->info.pod.name, "web-5c4f");
	assert_ptr_equal(state_containers_take_changed(table), outside->container);
	/* Further groups are no change. */
	state_cgroups_unref(get(IN_POD "/init.scope"));
	assert_null(state_containers_take_changed(table));
	state_cgroups_unref(outside);
	state_cgroups_unref(inside);
}

/* The runtime's removed description leaves what the API says. */
static void test_without_the_runtime(void **state)
{
	struct state_cgroups *cgroups = get(IN_POD);

	state_container_set_info(table, cgroups->container, STATE_META_OK, by_runtime(UID));
	state_containers_describe_pod(table, by_api(UID));
	state_container_set_info(table, cgroups->container, STATE_META_MISSING, NULL);
	assert_string_equal(cgroups->container->info.name, "web");
	assert_string_equal(cgroups->container->info.pod.name, "web-5c4f");
	assert_null(cgroups->container->info.pod.sandbox_id);
	assert_int_equal(state_container_state(cgroups->container), STATE_META_OK);
	state_cgroups_unref(cgroups);
}

/* The runtime's own description of a container is more exact than the list of the pod. */
static void test_runtime_and_list(void **state)
{
	struct state_cgroups *cgroups = get(IN_POD);

	state_containers_describe_pod(table, by_api(UID));
	cgroups->container->state = STATE_META_PENDING;
	assert_int_equal(state_container_state(cgroups->container), STATE_META_PENDING);
	assert_string_equal(cgroups->container->info.name, "web");
	state_container_set_info(table, cgroups->container, STATE_META_OK, by_runtime(UID));
	assert_string_equal(cgroups->container->info.name, "k8s_web");
	assert_string_equal(cgroups->container->info.image.name, "nginx:1");
	state_cgroups_unref(cgroups);
}

static void test_containers_of_one_pod(void **state)
{
	static const char other[] =
		"cpu=/kubepods/pod" UID
		"/fedcba9876543210fedcba9876543210fedcba9876543210fedcba9876543210";
	struct state_cgroups *web = get(IN_POD), *pause = get(other);

	assert_ptr_equal(web->container->pod, pause->container->pod);
	state_containers_describe_pod(table, by_api(UID));
	assert_string_equal(pause->container->info.pod.name, "web-5c4f");
	assert_null(pause->container->info.name);
	state_cgroups_unref(web);
	state_containers_forget_pod(table, UID);
	assert_int_equal(table->pods.kept, 0);
	state_cgroups_unref(pause);
	assert_int_equal(table->pods.kept, 1);
}

static void forget_new_pod(const char *uid)
{
	struct state_pod_info *info = by_api(NULL);

	info->pod.uid = arena_text(&info->texts.arena, uid, strlen(uid));
	info->containers.count = 0;
	state_containers_describe_pod(table, info);
	state_containers_forget_pod(table, uid);
}

/* From one removed pod to another, the oldest of as many as are kept. */
static void test_into_the_oldest_that_is_kept(void **state)
{
	struct state_cgroups *cgroups = get(IN_NO_POD);
	struct state_container *container = cgroups->container;
	char uid[16];

	state_container_set_info(table, container, STATE_META_OK, by_runtime("left"));
	forget_new_pod("left");
	forget_new_pod("oldest");
	for (int i = 1; i < STATE_PODS_KEPT_MAX; i++) {
		snprintf(uid, sizeof(uid), "kept%d", i);
		forget_new_pod(uid);
	}
	assert_int_equal(table->pods.kept, STATE_PODS_KEPT_MAX);
	state_container_set_info(table, container, STATE_META_OK, by_runtime("oldest"));
	assert_non_null(container->pod);
	assert_ptr_equal(container->pod, state_pods_find(&table->pods, "oldest"));
	assert_string_equal(container->info.pod.uid, "oldest");
	assert_non_null(state_pods_find(&table->pods, "left"));
	assert_int_equal(table->pods.kept, STATE_PODS_KEPT_MAX);
	state_cgroups_unref(cgroups);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_pod_before_its_container, setup, teardown),
	cmocka_unit_test_setup_teardown(test_container_before_its_pod, setup, teardown),
	cmocka_unit_test_setup_teardown(test_container_that_the_api_lists, setup, teardown),
	cmocka_unit_test_setup_teardown(test_forged, setup, teardown),
	cmocka_unit_test_setup_teardown(test_uids_of_a_static_pod, setup, teardown),
	cmocka_unit_test_setup_teardown(test_pod_that_the_runtime_names, setup, teardown),
	cmocka_unit_test_setup_teardown(test_pod_of_other_groups, setup, teardown),
	cmocka_unit_test_setup_teardown(test_without_the_runtime, setup, teardown),
	cmocka_unit_test_setup_teardown(test_runtime_and_list, setup, teardown),
	cmocka_unit_test_setup_teardown(test_containers_of_one_pod, setup, teardown),
	cmocka_unit_test_setup_teardown(test_into_the_oldest_that_is_kept, setup, teardown),
};

UNIT_GROUP(tests);
