/* SPDX-License-Identifier: MIT */
/* Pods by uid: how long they stay, and at which limits they do not. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sinsp/state/containers/container.h"
#include "sinsp/state/containers/pods.h"
#include "unit.h"

static int setup(void **state)
{
	*state = calloc(1, sizeof(struct state_pods));
	return *state ? 0 : -1;
}

static int teardown(void **state)
{
	state_pods_finish(*state);
	free(*state);
	return 0;
}

static char *copy(struct state_pod_info *info, const char *text)
{
	return arena_text(&info->texts.arena, text, strlen(text));
}

static struct state_pod_info *described(const char *uid, const char *name)
{
	struct state_pod_info *info = state_pod_info_create();

	info->pod.uid = copy(info, uid);
	info->pod.name = copy(info, name);
	return info;
}

static void test_descriptions_are_replaced(void **state)
{
	struct state_pods *pods = *state;
	struct state_pod_entry *pod = state_pods_describe(pods, described("u1", "web"));

	assert_string_equal(pod->info->pod.name, "web");
	assert_ptr_equal(state_pods_find(pods, "u1"), pod);
	assert_null(state_pods_find(pods, "u2"));
	/* The same again changes nothing. */
	assert_null(state_pods_describe(pods, described("u1", "web")));
	assert_ptr_equal(state_pods_describe(pods, described("u1", "db")), pod);
	assert_string_equal(pod->info->pod.name, "db");
	assert_int_equal(pods->count, 1);
	assert_int_equal(pods->described, 1);
	assert_int_equal(pods->dropped, 0);
}

static void test_without_a_uid(void **state)
{
	struct state_pods *pods = *state;

	assert_null(state_pods_describe(pods, state_pod_info_create()));
	assert_int_equal(pods->dropped, 1);
	assert_int_equal(pods->count, 0);
}

static void test_found_by_a_container(void **state)
{
	static const struct state_pod_container items[] = {{.id = "a"}, {.id = "b"}};
	struct state_pod_info *info = described("u1", "web");
	struct state_pod_entry *pod;

	state_pods_describe(*state, described("u2", "other"));
	info->containers = (struct state_pod_containers){items, 2};
	pod = state_pods_describe(*state, info);
	assert_ptr_equal(state_pods_find_with(*state, "b"), pod);
	assert_null(state_pods_find_with(*state, "c"));
}

/* Of a pod that is not described, the entry is there for its containers. */
static void test_entries_of_containers(void **state)
{
	struct state_pods *pods = *state;
	struct state_pod_entry *pod = state_pods_get(pods, "u1");
	struct state_container container = {0};

	assert_ptr_equal(state_pods_get(pods, "u1"), pod);
	assert_null(pod->info);
	pod->containers = &container;
	state_pods_containers_changed(pods, pod);
	assert_int_equal(pods->count, 1);
	pod->containers = NULL;
	state_pods_containers_changed(pods, pod);
	assert_int_equal(pods->count, 0);
	assert_null(state_pods_find(pods, "u1"));
}

/* A pod that the API removed is kept, and is one of the API again when that describes it. */
static void test_removed_pods_are_kept(void **state)
{
	struct state_pods *pods = *state;
	struct state_pod_entry *pod = state_pods_describe(pods, described("u1", "web"));
	struct state_container container = {0};

	state_pods_forget(pods, "u2");
	pod->containers = &container;
	state_pods_containers_changed(pods, pod);
	state_pods_forget(pods, "u1");
	assert_int_equal(pods->kept, 0);
	pod->containers = NULL;
	state_pods_containers_changed(pods, pod);
	assert_int_equal(pods->kept, 1);
	assert_string_equal(state_pods_find(pods, "u1")->info->pod.name, "web");
	/* A late event shows a container of it. */
	pod->containers = &container;
	state_pods_containers_changed(pods, pod);
	assert_int_equal(pods->kept, 0);
	pod->containers = NULL;
	state_pods_containers_changed(pods, pod);
	state_pods_describe(pods, described("u1", "web"));
	assert_int_equal(pods->kept, 0);
	assert_false(pod->removed);
}

static void test_the_uid_of_the_api(void **state)
{
	struct state_pod_info *info = described("00112233445566778899aabbccddeeff", "etcd-n1");
	struct state_pods *pods = *state;

	info->api_uid = copy(info, "2f2b6b2e-9c0a-4d7c-8f7c-2f3f5d6b7a80");
	state_pods_describe(pods, info);
	state_pods_forget(pods, "2f2b6b2e-9c0a-4d7c-8f7c-2f3f5d6b7a80");
	assert_true(state_pods_find(pods, "00112233445566778899aabbccddeeff")->removed);
}

/* That is no loss, however long the agent runs. */
static void test_the_oldest_kept_are_removed(void **state)
{
	struct state_pods *pods = *state;
	char uid[16];

	state_pods_describe(pods, described("live", "web"));
	for (int i = 0; i < STATE_PODS_KEPT_MAX + 3; i++) {
		snprintf(uid, sizeof(uid), "u%d", i);
		state_pods_describe(pods, described(uid, "web"));
		state_pods_forget(pods, uid);
	}
	assert_int_equal(pods->kept, STATE_PODS_KEPT_MAX);
	assert_int_equal(pods->dropped, 0);
	assert_null(state_pods_find(pods, "u2"));
	assert_non_null(state_pods_find(pods, "u3"));
	assert_non_null(state_pods_find(pods, "live"));
}

static struct state_pod_info *large(const char *uid)
{
	struct state_pod_info *info = described(uid, "web");

	info->texts.bytes = STATE_PODS_BYTES_MAX / 2;
	return info;
}

/* Those kept make room for others, those of the API do not. */
static void test_bytes_are_limited(void **state)
{
	struct state_pods *pods = *state;

	state_pods_describe(pods, large("u1"));
	state_pods_forget(pods, "u1");
	assert_non_null(state_pods_describe(pods, described("u2", "web")));
	assert_non_null(state_pods_describe(pods, large("u3")));
	assert_null(state_pods_find(pods, "u1"));
	assert_int_equal(pods->dropped, 0);
	assert_null(state_pods_describe(pods, large("u4")));
	assert_null(state_pods_find(pods, "u4"));
	assert_int_equal(pods->dropped, 1);
	/* The old description of the same pod does not count. */
	assert_null(state_pods_describe(pods, large("u3")));
	assert_int_equal(pods->dropped, 1);
	assert_int_equal(pods->described, 2);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_descriptions_are_replaced, setup, teardown),
	cmocka_unit_test_setup_teardown(test_without_a_uid, setup, teardown),
	cmocka_unit_test_setup_teardown(test_found_by_a_container, setup, teardown),
	cmocka_unit_test_setup_teardown(test_entries_of_containers, setup, teardown),
	cmocka_unit_test_setup_teardown(test_removed_pods_are_kept, setup, teardown),
	cmocka_unit_test_setup_teardown(test_the_uid_of_the_api, setup, teardown),
	cmocka_unit_test_setup_teardown(test_the_oldest_kept_are_removed, setup, teardown),
	cmocka_unit_test_setup_teardown(test_bytes_are_limited, setup, teardown),
};

UNIT_GROUP(tests);
