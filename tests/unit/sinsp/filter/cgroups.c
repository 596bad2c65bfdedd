/* SPDX-License-Identifier: MIT */
/* What filters decide of control groups by their container alone. */
#include <stdio.h>

#include "sinsp/filter/filter.h"

#include "contained.h"
#include "unit.h"

static const char *const names[FILTER_DECISIONS_COUNT] = {"undecided", "rejected", "accepted"};

static void expect(void **state, const char *text, enum filter_decision expected)
{
	struct drive *world = *state;
	enum filter_decision found;
	struct filter_error err;
	struct filter *filter;

	assert_int_equal(filter_create(text, NULL, &filter, &err), 0);
	found = filter_decide(filter, world_self(world)->cgroups);
	/* The same again, with results of before. */
	assert_int_equal(filter_decide(filter, world_self(world)->cgroups), found);
	if (found != expected)
		fail_msg("'%s' is %s, should be %s", text, names[found], names[expected]);
	/* An event never contradicts it. */
	if (found != FILTER_UNDECIDED && filter_match(filter, &world->event) &&
	    found == FILTER_REJECTED)
		fail_msg("'%s' passes an event", text);
	filter_destroy(filter);
}

/* Accepted, and its negation rejected. */
static void test_decided(void **state)
{
	static const char *const texts[] = {
		"container.name=web",
		"container.id!=host",
		"k8s.ns.name in (shop, other) and k8s.pod.label[tier]=front",
		"k8s.ns.name=none or k8s.workload.name startswith we",
		"not k8s.ns.name=kube-system",
		"k8s.pod.name exists and container.image contains nginx",
		"k8s.workload.derived=true",
		"toupper(k8s.ns.name)=SHOP",
		"k8s.ns.name=val(k8s.ns.name)",
		"k8s.pod.label[app]=val(container.name)",
	};
	char negation[256];

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		expect(state, texts[i], FILTER_ACCEPTED);
		snprintf(negation, sizeof(negation), "not (%s)", texts[i]);
		expect(state, negation, FILTER_REJECTED);
	}
}

static void test_with_other_fields(void **state)
{
	expect(state, "proc.name=cat", FILTER_UNDECIDED);
	expect(state, "k8s.ns.name=shop and proc.name=cat", FILTER_UNDECIDED);
	expect(state, "k8s.ns.name=other and proc.name=cat", FILTER_REJECTED);
	expect(state, "k8s.ns.name=other or proc.name=cat", FILTER_UNDECIDED);
	expect(state, "k8s.ns.name=shop or proc.name=cat", FILTER_ACCEPTED);
	expect(state, "proc.name=cat and (fd.num=1 or k8s.ns.name=other) and k8s.pod.name=x",
	       FILTER_REJECTED);
	expect(state, "k8s.ns.name=val(proc.name)", FILTER_UNDECIDED);
	expect(state, "concat(k8s.ns.name, proc.name)=shopcat", FILTER_UNDECIDED);
	expect(state, "container.duration>0", FILTER_UNDECIDED);
}

/* Types that do not pass anyway decide nothing. */
static void test_with_types(void **state)
{
	expect(state, "evt.type=openat and k8s.ns.name=shop", FILTER_ACCEPTED);
	expect(state, "evt.type=openat and k8s.ns.name=other", FILTER_REJECTED);
	expect(state,
	       "(evt.type=openat and k8s.ns.name=shop) or (evt.type=read and k8s.ns.name=other)",
	       FILTER_UNDECIDED);
	expect(state, "evt.type=openat and fd.name=x and not container.id=host", FILTER_UNDECIDED);
}

static void test_on_the_host(void **state)
{
	contained_set_group(*state, "/");
	expect(state, "container.id=host", FILTER_ACCEPTED);
	expect(state, "container.id!=host and proc.name=cat", FILTER_REJECTED);
	expect(state, "k8s.ns.name=shop", FILTER_REJECTED);
	expect(state, "not k8s.ns.name=shop", FILTER_ACCEPTED);
}

/* Parts that are needed more than once have code of their own. */
static void test_shared_parts(void **state)
{
#define PART "(k8s.ns.name=shop or proc.name=cat)"
#define OPEN "(k8s.ns.name=other or proc.name=cat)"
	expect(state, "(" PART " and fd.num=1) or (" PART " and fd.num=2)", FILTER_UNDECIDED);
	expect(state, "(" PART " and container.name=web) or (" PART " and fd.num=2)",
	       FILTER_ACCEPTED);
	expect(state, "(" OPEN " and container.name=db) or (" OPEN " and container.name=other)",
	       FILTER_REJECTED);
	expect(state, "(" OPEN " and container.name=web) or (not " OPEN " and container.name=db)",
	       FILTER_UNDECIDED);
#undef PART
#undef OPEN
}

static void test_with_a_new_description(void **state)
{
	struct drive *world = *state;
	struct state_pod_info *info = state_pod_info_create();
	struct filter_error err;
	struct filter *filter;

	assert_int_equal(filter_create("k8s.pod.name=renamed", NULL, &filter, &err), 0);
	assert_int_equal(filter_decide(filter, world_self(world)->cgroups), FILTER_REJECTED);
	info->pod.uid = "2f2b6b2e-9c0a-4d7c-8f7c-2f3f5d6b7a80";
	info->pod.name = "renamed";
	state_containers_describe_pod(&world->state->containers, info);
	assert_int_equal(filter_decide(filter, world_self(world)->cgroups), FILTER_ACCEPTED);
	filter_destroy(filter);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_decided, contained_setup, world_teardown),
	cmocka_unit_test_setup_teardown(test_with_other_fields, contained_setup, world_teardown),
	cmocka_unit_test_setup_teardown(test_with_types, contained_setup, world_teardown),
	cmocka_unit_test_setup_teardown(test_on_the_host, contained_setup, world_teardown),
	cmocka_unit_test_setup_teardown(test_shared_parts, contained_setup, world_teardown),
	cmocka_unit_test_setup_teardown(test_with_a_new_description, contained_setup,
					world_teardown),
};

UNIT_GROUP(tests);
