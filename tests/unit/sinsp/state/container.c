/* SPDX-License-Identifier: MIT */
/* A container's short id and its description's memory. */
#include <stdlib.h>
#include <string.h>

#include "sinsp/state/container.h"
#include "sinsp/state/pods.h"
#include "unit.h"

static size_t short_len(bool is_named, size_t id_len)
{
	const struct sinsp_container container = {.is_named = is_named, .id_len = id_len};

	return sinsp_container_short_len(&container);
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
	assert_string_equal(sinsp_meta_state_name(SINSP_META_MISSING), "missing");
	assert_string_equal(sinsp_meta_state_name(SINSP_META_PENDING), "pending");
	assert_string_equal(sinsp_meta_state_name(SINSP_META_OK), "ok");
}

/* Its pod may be described where nobody else knows the container. */
static void test_known_by_its_pod(void **state)
{
	const struct sinsp_pod_info info = {0};
	struct sinsp_pod_entry *pod = calloc(1, sizeof(*pod) + 1);
	struct sinsp_container container = {.pod = pod};

	assert_false(sinsp_container_is_described(&container));
	assert_int_equal(sinsp_container_state(&container), SINSP_META_MISSING);
	pod->info = &info;
	assert_true(sinsp_container_is_described(&container));
	assert_int_equal(sinsp_container_state(&container), SINSP_META_MISSING);
	container.is_listed = true;
	assert_int_equal(sinsp_container_state(&container), SINSP_META_OK);
	container.state = SINSP_META_PENDING;
	assert_int_equal(sinsp_container_state(&container), SINSP_META_PENDING);
	free(pod);
}

static enum sinsp_meta_state state_of(uint32_t owner, enum sinsp_meta_state state)
{
	const struct sinsp_container container = {
		.owner = owner, .state = state, .is_listed = true};

	return sinsp_container_state(&container);
}

/* What a user says of his container is never said to be more than that. */
static void test_of_a_user(void **state)
{
	assert_string_equal(sinsp_meta_state_name(SINSP_META_UNVERIFIED), "unverified");
	assert_string_equal(sinsp_meta_state_name(SINSP_META_ROOTLESS), "rootless");
	assert_int_equal(state_of(7, SINSP_META_MISSING), SINSP_META_UNVERIFIED);
	assert_int_equal(state_of(7, SINSP_META_UNVERIFIED), SINSP_META_UNVERIFIED);
	assert_int_equal(state_of(7, SINSP_META_PENDING), SINSP_META_PENDING);
	assert_int_equal(state_of(7, SINSP_META_OK), SINSP_META_ROOTLESS);
	assert_int_equal(state_of(7, SINSP_META_PARTIAL), SINSP_META_ROOTLESS);
	assert_int_equal(state_of(SINSP_OWNER_ROOT, SINSP_META_PARTIAL), SINSP_META_PARTIAL);
	assert_string_equal(sinsp_meta_state_name(SINSP_META_PARTIAL), "partial");
	assert_int_equal(state_of(SINSP_OWNER_ROOT, SINSP_META_UNVERIFIED), SINSP_META_OK);
}

static bool can_be_described(uint32_t owner, enum sinsp_container_type type)
{
	const struct sinsp_container container = {.owner = owner, .type = type};

	return sinsp_container_can_be_described(&container);
}

static void test_who_can_be_described(void **state)
{
	assert_true(can_be_described(SINSP_OWNER_ROOT, SINSP_CONTAINER_DOCKER));
	assert_true(can_be_described(7, SINSP_CONTAINER_PODMAN));
	assert_false(can_be_described(7, SINSP_CONTAINER_DOCKER));
	assert_false(can_be_described(7, SINSP_CONTAINER_CRI));
	assert_false(can_be_described(SINSP_OWNER_ANYBODY, SINSP_CONTAINER_PODMAN));
}

/* The sanitizers of the test build report what is not freed. */
static void test_info_owns_its_memory(void **state)
{
	struct sinsp_container_info *info = sinsp_container_info_create();

	assert_non_null(info);
	assert_null(info->name);
	assert_int_equal(info->privileged, SINSP_UNKNOWN);
	info->name = arena_text(&info->texts.arena, "web", 3);
	assert_string_equal(info->name, "web");
	sinsp_container_info_destroy(info);
	sinsp_container_info_destroy(NULL);
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
