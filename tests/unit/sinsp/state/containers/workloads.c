/* SPDX-License-Identifier: MIT */
/* Workloads of pods on other nodes. */
#include "sinsp/state/containers/workloads.h"

#include <stdio.h>
#include <string.h>

#include "sinsp/state/containers/cgroup_path.h"
#include "unit.h"

#define NS_PER_S UINT64_C(1000000000)

struct scene {
	struct workloads workloads;
	struct pool pool;
};

static int workloads_setup(void **state)
{
	static struct scene scene;

	memset(&scene, 0, sizeof(scene));
	scene.workloads.pool = &scene.pool;
	*state = &scene;
	return 0;
}

static int workloads_teardown(void **state)
{
	struct scene *scene = *state;

	workloads_finish(&scene->workloads);
	pool_finish(&scene->pool);
	return 0;
}

static void expect_known(const struct workloads *workloads, const char *uid, const char *kind,
			 const char *name)
{
	const struct state_workload *found = workloads_find(workloads, uid);

	assert_non_null(found);
	assert_string_equal(found->kind, kind);
	assert_string_equal(found->name, name);
}

static void test_asked_once(void **state)
{
	static const struct state_workload web = {"Deployment", "web", true};
	struct workloads *workloads = &((struct scene *)*state)->workloads;

	assert_null(workloads_find(workloads, "u-1"));
	assert_null(workloads_find(workloads, NULL));
	assert_true(workloads_want(workloads, "u-1", NS_PER_S));
	assert_false(workloads_want(workloads, "u-1", 2 * NS_PER_S));
	assert_null(workloads_find(workloads, "u-1"));
	/* Nobody has an answer. */
	assert_true(workloads_want(workloads, "u-1", (1 + WORKLOADS_AGAIN_S) * NS_PER_S));
	workloads_set(workloads, "u-1", &web);
	expect_known(workloads, "u-1", "Deployment", "web");
	assert_true(workloads_find(workloads, "u-1")->derived);
	assert_false(workloads_want(workloads, "u-1", 100000 * NS_PER_S));
}

static void test_answers_without_use(void **state)
{
	static const struct state_workload web = {"Deployment", "web", false}, none = {0};
	struct workloads *workloads = &((struct scene *)*state)->workloads;
	char name[WORKLOADS_TEXT_BYTES_MAX + 1];
	struct state_workload long_one = {"Job", name, false};

	/* Nobody wants it. */
	workloads_set(workloads, "u-1", &web);
	assert_true(workloads_want(workloads, "u-2", 0));
	workloads_set(workloads, "u-1", &web);
	assert_null(workloads_find(workloads, "u-1"));
	workloads_set(workloads, "u-2", &none);
	assert_null(workloads_find(workloads, "u-2"));
	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	workloads_set(workloads, "u-2", &long_one);
	assert_null(workloads_find(workloads, "u-2"));
	name[sizeof(name) - 2] = '\0';
	workloads_set(workloads, "u-2", &long_one);
	expect_known(workloads, "u-2", "Job", name);
	/* Another answer takes its place. */
	workloads_set(workloads, "u-2", &web);
	expect_known(workloads, "u-2", "Deployment", "web");
}

static void test_odd_uids(void **state)
{
	struct workloads *workloads = &((struct scene *)*state)->workloads;
	char uid[STATE_POD_UID_BYTES + 1];

	memset(uid, 'a', sizeof(uid) - 1);
	uid[sizeof(uid) - 1] = '\0';
	assert_false(workloads_want(workloads, uid, 0));
	assert_false(workloads_want(workloads, "", 0));
	uid[sizeof(uid) - 2] = '\0';
	assert_true(workloads_want(workloads, uid, 0));
}

/* The memory is bounded; what was used lately stays. */
static void test_many(void **state)
{
	struct workloads *workloads = &((struct scene *)*state)->workloads;
	unsigned int known = 0;
	char uid[16];

	for (unsigned int i = 0; i < 3 * WORKLOADS_MAX; i++) {
		struct state_workload workload = {"Pod", uid, false};

		snprintf(uid, sizeof(uid), "u-%u", i);
		assert_true(workloads_want(workloads, uid, 0));
		workloads_set(workloads, uid, &workload);
		expect_known(workloads, uid, "Pod", uid);
		assert_false(workloads_want(workloads, "u-0", 0));
	}
	expect_known(workloads, "u-0", "Pod", "u-0");
	for (unsigned int i = 0; i < 3 * WORKLOADS_MAX; i++) {
		snprintf(uid, sizeof(uid), "u-%u", i);
		known += workloads_find(workloads, uid) != NULL;
	}
	assert_in_range(known, WORKLOADS_MAX / 2, WORKLOADS_MAX);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_asked_once, workloads_setup, workloads_teardown),
	cmocka_unit_test_setup_teardown(test_answers_without_use, workloads_setup,
					workloads_teardown),
	cmocka_unit_test_setup_teardown(test_odd_uids, workloads_setup, workloads_teardown),
	cmocka_unit_test_setup_teardown(test_many, workloads_setup, workloads_teardown),
};

UNIT_GROUP(tests);
