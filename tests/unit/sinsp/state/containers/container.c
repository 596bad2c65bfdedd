/* SPDX-License-Identifier: MIT */
/* A container's short id and its description's memory. */
#include <stdlib.h>
#include <string.h>

#include "sinsp/state/containers/container.h"
#include "sinsp/state/containers/pods.h"
#include "unit.h"

static size_t short_len(bool is_named, size_t id_len)
{
	const struct state_container container = {.is_named = is_named, .id_len = id_len};

	return state_container_short_len(&container);
}

static void test_short_len(void **state)
{
	assert_int_equal(short_len(false, 64), 12);
	assert_int_equal(short_len(false, 4), 4);
	/* A name is not truncated. */
	assert_int_equal(short_len(true, 20), 20);
	assert_int_equal(short_len(true, 13), 13);
}

static void test_state_names(void **state)
{
	assert_string_equal(state_meta_name(STATE_META_MISSING), "missing");
	assert_string_equal(state_meta_name(STATE_META_PENDING), "pending");
	assert_string_equal(state_meta_name(STATE_META_OK), "ok");
}

/* Its pod may be described where nobody else knows the container. */
static void test_known_by_its_pod(void **state)
{
	const struct state_pod_info info = {0};
	struct state_pod_entry *pod = calloc(1, sizeof(*pod) + 1);
	struct state_container container = {.pod = pod};

	assert_false(state_container_is_described(&container));
	assert_int_equal(state_container_state(&container), STATE_META_MISSING);
	pod->info = &info;
	assert_true(state_container_is_described(&container));
	assert_int_equal(state_container_state(&container), STATE_META_MISSING);
	container.is_listed = true;
	assert_int_equal(state_container_state(&container), STATE_META_OK);
	container.state = STATE_META_PENDING;
	assert_int_equal(state_container_state(&container), STATE_META_PENDING);
	free(pod);
}

static enum state_meta state_of(uint32_t owner, enum state_meta state)
{
	const struct state_container container = {
		.owner = owner, .state = state, .is_listed = true};

	return state_container_state(&container);
}

/* What a user says of his container is never said to be more than that. */
static void test_of_a_user(void **state)
{
	assert_string_equal(state_meta_name(STATE_META_UNVERIFIED), "unverified");
	assert_string_equal(state_meta_name(STATE_META_ROOTLESS), "rootless");
	assert_int_equal(state_of(7, STATE_META_MISSING), STATE_META_UNVERIFIED);
	assert_int_equal(state_of(7, STATE_META_UNVERIFIED), STATE_META_UNVERIFIED);
	assert_int_equal(state_of(7, STATE_META_PENDING), STATE_META_PENDING);
	assert_int_equal(state_of(7, STATE_META_OK), STATE_META_ROOTLESS);
	assert_int_equal(state_of(7, STATE_META_PARTIAL), STATE_META_ROOTLESS);
	assert_int_equal(state_of(STATE_OWNER_ROOT, STATE_META_PARTIAL), STATE_META_PARTIAL);
	assert_string_equal(state_meta_name(STATE_META_PARTIAL), "partial");
	assert_int_equal(state_of(STATE_OWNER_ROOT, STATE_META_UNVERIFIED), STATE_META_OK);
}

static bool can_be_described(uint32_t owner, enum state_container_type type)
{
	const struct state_container container = {.owner = owner, .type = type};

	return state_container_can_be_described(&container);
}

static void test_who_can_be_described(void **state)
{
	assert_true(can_be_described(STATE_OWNER_ROOT, STATE_CONTAINER_DOCKER));
	assert_true(can_be_described(7, STATE_CONTAINER_PODMAN));
	assert_false(can_be_described(7, STATE_CONTAINER_DOCKER));
	assert_false(can_be_described(7, STATE_CONTAINER_CRI));
	assert_false(can_be_described(STATE_OWNER_ANYBODY, STATE_CONTAINER_PODMAN));
}

/* The sanitizers of the test build report what is not freed. */
static void test_info_owns_its_memory(void **state)
{
	struct state_container_info *info = state_container_info_create();

	assert_non_null(info);
	assert_null(info->name);
	assert_int_equal(info->privileged, STATE_UNKNOWN);
	info->name = arena_text(&info->texts.arena, "web", 3);
	assert_string_equal(info->name, "web");
	state_container_info_destroy(info);
	state_container_info_destroy(NULL);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_short_len),
	cmocka_unit_test(test_state_names),
	cmocka_unit_test(test_known_by_its_pod),
	cmocka_unit_test(test_of_a_user),
	cmocka_unit_test(test_who_can_be_described),
	cmocka_unit_test(test_info_owns_its_memory),
};

UNIT_GROUP(tests);
