/* SPDX-License-Identifier: MIT */
/* Shared control groups, and containers that live as long as one of them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "event/event.h"
#include "sinsp/state/containers/containers.h"
#include "unit.h"

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static int setup(void **state)
{
	*state = calloc(1, sizeof(struct state_containers));
	assert_non_null(*state);
	return 0;
}

static int teardown(void **state)
{
	state_containers_finish(*state);
	free(*state);
	return 0;
}

static struct state_cgroups *get(struct state_containers *table, const char *text)
{
	struct state_cgroups *cgroups = state_cgroups_get(table, text, strlen(text) + 1);

	assert_non_null(cgroups);
	return cgroups;
}

static void test_equal_groups_are_one(void **state)
{
	struct state_cgroups *one = get(*state, "cpu=/a"), *same = get(*state, "cpu=/a"),
			     *other = get(*state, "cpu=/b");

	assert_ptr_equal(one, same);
	assert_ptr_not_equal(one, other);
	assert_string_equal(other->text, "cpu=/b");
	assert_int_equal(one->len, 7);
	assert_null(one->container);
	state_cgroups_unref(one);
	/* Still there for the second reference. */
	assert_ptr_equal(get(*state, "cpu=/a"), same);
	state_cgroups_unref(same);
	state_cgroups_unref(same);
	state_cgroups_unref(other);
	state_cgroups_unref(NULL);
	for (size_t i = 0; i < STATE_CONTAINERS_BUCKETS; i++)
		assert_null(((struct state_containers *)*state)->cgroups[i]);
}

static void test_groups_of_one_container(void **state)
{
	struct state_containers *table = *state;
	struct state_cgroups *top = get(table, "cpu=/docker/" ID),
			     *below = get(table, "cpu=/docker/" ID "/init.scope");
	struct state_container *container = top->container;

	assert_non_null(container);
	assert_ptr_equal(below->container, container);
	assert_int_equal(table->count, 1);
	assert_int_equal(container->type, STATE_CONTAINER_DOCKER);
	assert_string_equal(container->id, ID);
	assert_int_equal(container->state, STATE_META_MISSING);
	assert_null(container->info.name);
	assert_ptr_equal(state_containers_find(table, ID, 64, STATE_OWNER_ROOT), container);
	assert_null(state_containers_find(table, ID, 63, STATE_OWNER_ROOT));
	state_cgroups_unref(top);
	assert_ptr_equal(state_containers_find(table, ID, 64, STATE_OWNER_ROOT), container);
	state_cgroups_unref(below);
	assert_null(state_containers_find(table, ID, 64, STATE_OWNER_ROOT));
	assert_int_equal(table->count, 0);
}

/* Groups below /user are of user 7. */
static uint32_t owner_of(void *context, const char *group, size_t len)
{
	static const char users[] = "cpu=/user";

	return len >= sizeof(users) - 1 && memcmp(group, users, sizeof(users) - 1) == 0
		       ? 7
		       : STATE_OWNER_ROOT;
}

static void test_groups_of_a_user(void **state)
{
	struct state_containers *table = *state;
	struct state_cgroups *real, *forged, *declared;

	table->owner_of = owner_of;
	real = get(table, "cpu=/docker/" ID);
	forged = get(table, "cpu=/user/docker-" ID ".scope/below");
	assert_ptr_not_equal(real->container, forged->container);
	assert_int_equal(real->container->owner, STATE_OWNER_ROOT);
	assert_int_equal(forged->container->owner, 7);
	assert_ptr_equal(state_containers_find(table, ID, 64, STATE_OWNER_ROOT), real->container);
	assert_ptr_equal(state_containers_find(table, ID, 64, 7), forged->container);
	assert_ptr_equal(state_containers_find_shown(table, "0123456789ab"), real->container);
	state_cgroups_unref(real);
	assert_null(state_containers_find_shown(table, "0123456789ab"));
	declared = get(table, "cpu=/user/web1");
	state_cgroups_declare(declared, "/user/web1", STATE_CONTAINER_CUSTOM);
	assert_int_equal(declared->container->owner, 7);
	state_cgroups_unref(declared);
	/* In no hierarchy that is known. */
	declared = get(table, "cpu=/web2");
	state_cgroups_declare(declared, "/other/web2", STATE_CONTAINER_CUSTOM);
	assert_int_equal(declared->container->owner, STATE_OWNER_ANYBODY);
	state_cgroups_unref(declared);
	state_cgroups_unref(forged);
}

static void test_new_ones_are_taken_once(void **state)
{
	struct state_containers *table = *state;
	struct state_cgroups *web = get(table, "cpu=/lxc/web"), *gone = get(table, "cpu=/lxc/gone"),
			     *db = get(table, "cpu=/lxc/db"), *host = get(table, "cpu=/");

	/* It ended before anybody asked. */
	state_cgroups_unref(gone);
	assert_ptr_equal(state_containers_take_new(table), db->container);
	assert_ptr_equal(state_containers_take_new(table), web->container);
	assert_null(state_containers_take_new(table));
	state_cgroups_unref(web);
	state_cgroups_unref(db);
	state_cgroups_unref(host);
}

static struct state_container_info *named(const char *name)
{
	struct state_container_info *info = state_container_info_create();

	assert_non_null(info);
	info->name = arena_text(&info->texts.arena, name, strlen(name));
	return info;
}

static void test_descriptions_are_replaced(void **state)
{
	struct state_containers *table = *state;
	struct state_cgroups *web = get(table, "cpu=/docker/" ID);

	state_container_set_info(table, web->container, STATE_META_PENDING, NULL);
	assert_int_equal(web->container->state, STATE_META_PENDING);
	state_container_set_info(table, web->container, STATE_META_OK, named("web"));
	assert_string_equal(web->container->info.name, "web");
	state_container_set_info(table, web->container, STATE_META_OK, named("renamed"));
	assert_string_equal(web->container->info.name, "renamed");
	state_container_set_info(table, web->container, STATE_META_MISSING, NULL);
	assert_null(web->container->info.name);
	/* Freed with its container. */
	state_container_set_info(table, web->container, STATE_META_OK, named("web"));
	state_cgroups_unref(web);
}

static int describe(struct state_containers *table, const char *id, enum state_meta state,
		    const char *name)
{
	return state_containers_describe(
		table, &(struct state_description){
			       .id = id, .state = state, .info = named(name), .bytes = 1000});
}

static void expect_name(const struct state_cgroups *cgroups, const char *name)
{
	assert_string_equal(cgroups->container->info.name, name);
}

/* Before there is a thread of the container, by its whole id or its first digits. */
static void test_described_early(void **state)
{
	static const char *const ids[] = {ID, "0123456789ab"};
	struct state_containers *table = *state;

	for (size_t i = 0; i < 2; i++) {
		struct state_cgroups *web;

		assert_int_equal(describe(table, ids[i], STATE_META_OK, "web"), 0);
		assert_int_equal(table->count, 1);
		assert_null(state_containers_take_new(table));
		web = get(table, "cpu=/docker/" ID);
		expect_name(web, "web");
		assert_int_equal(table->count, 1);
		assert_int_equal(table->lists.of[STATE_CONTAINERS_UNUSED].count, 0);
		assert_int_equal(table->unused_bytes, 0);
		assert_int_equal(web->container->type, STATE_CONTAINER_DOCKER);
		assert_int_equal(web->container->state, STATE_META_OK);
		assert_string_equal(web->container->id, ID);
		state_cgroups_unref(web);
		assert_int_equal(table->count, 0);
	}
}

static void test_described_late(void **state)
{
	struct state_containers *table = *state;
	struct state_cgroups *web = get(table, "cpu=/docker/" ID), *lxc = get(table, "cpu=/lxc/db");

	assert_int_equal(describe(table, "0123456789ab", STATE_META_PENDING, "?"), 0);
	expect_name(web, "?");
	assert_int_equal(web->container->state, STATE_META_PENDING);
	assert_int_equal(describe(table, ID, STATE_META_OK, "web"), 0);
	expect_name(web, "web");
	/* It does not become less known. */
	assert_int_equal(describe(table, ID, STATE_META_MISSING, "?"), 0);
	expect_name(web, "web");
	assert_int_equal(describe(table, ID, STATE_META_OK, "renamed"), 0);
	expect_name(web, "renamed");
	/* Names are no digits. */
	assert_int_equal(describe(table, "d", STATE_META_OK, "other"), 0);
	assert_true(state_containers_find(table, "d", 1, STATE_OWNER_ROOT)->is_named);
	assert_int_equal(describe(table, "0123456789a", STATE_META_OK, "other"), 0);
	assert_int_equal(describe(table, "db", STATE_META_OK, "base"), 0);
	expect_name(lxc, "base");
	expect_name(web, "renamed");
	assert_int_equal(table->lists.of[STATE_CONTAINERS_UNUSED].count, 2);
	state_cgroups_unref(web);
	state_cgroups_unref(lxc);
}

/* Of a capture: its descriptions outlive the threads, those of a live run do not. */
static void test_kept_when_unused(void **state)
{
	struct state_containers *table = *state;
	struct state_cgroups *web = get(table, "cpu=/docker/" ID), *lxc;

	table->keeps_unused = true;
	describe(table, ID, STATE_META_OK, "web");
	lxc = get(table, "cpu=/lxc/unknown");
	state_cgroups_unref(web);
	state_cgroups_unref(lxc);
	assert_int_equal(table->count, 1);
	web = get(table, "cpu=/docker/" ID);
	expect_name(web, "web");
	/* Removed by its runtime: it goes with its last thread, or at once. */
	state_containers_forget(table, ID);
	expect_name(web, "web");
	state_cgroups_unref(web);
	assert_int_equal(table->count, 0);
	describe(table, ID, STATE_META_OK, "again");
	state_containers_forget(table, "0123456789ab");
	state_containers_forget(table, "0123456789ab");
	assert_int_equal(table->count, 0);
	/* All of them, as when another capture begins. */
	describe(table, ID, STATE_META_OK, "again");
	describe(table, "db", STATE_META_OK, "again");
	state_containers_forget_unused(table);
	assert_int_equal(table->count, 0);
	assert_int_equal(table->unused_dropped, 0);
}

static void test_oldest_are_dropped(void **state)
{
	struct state_containers *table = *state;
	char id[32];

	for (int i = 0; i < STATE_CONTAINERS_UNUSED_MAX + 3; i++) {
		snprintf(id, sizeof(id), "c%d", i);
		describe(table, id, STATE_META_OK, "x");
		if (i == 10)
			describe(table, "c1", STATE_META_OK, "newer");
	}
	assert_int_equal(table->lists.of[STATE_CONTAINERS_UNUSED].count,
			 STATE_CONTAINERS_UNUSED_MAX);
	assert_int_equal(table->unused_dropped, 3);
	assert_null(state_containers_find(table, "c0", 2, STATE_OWNER_ROOT));
	assert_non_null(state_containers_find(table, "c1", 2, STATE_OWNER_ROOT));
	assert_null(state_containers_find(table, "c3", 2, STATE_OWNER_ROOT));
	assert_non_null(state_containers_find(table, "c4", 2, STATE_OWNER_ROOT));
	/* By their size. */
	state_containers_describe(
		table,
		&(struct state_description){.id = "huge",
					    .state = STATE_META_OK,
					    .info = named("x"),
					    .bytes = STATE_CONTAINERS_UNUSED_BYTES_MAX - 1500});
	assert_int_equal(table->lists.of[STATE_CONTAINERS_UNUSED].count, 2);
	assert_int_equal(table->unused_dropped, STATE_CONTAINERS_UNUSED_MAX + 2);
	assert_int_equal(table->unused_bytes, STATE_CONTAINERS_UNUSED_BYTES_MAX - 500);
}

static void test_changed_ones_are_taken_once(void **state)
{
	struct state_containers *table = *state;
	struct state_cgroups *web = get(table, "cpu=/lxc/web"), *db = get(table, "cpu=/lxc/db");

	assert_null(state_containers_take_changed(table));
	state_container_set_info(table, web->container, STATE_META_OK, named("1"));
	state_container_set_info(table, web->container, STATE_META_OK, named("2"));
	state_container_set_info(table, db->container, STATE_META_MISSING, NULL);
	assert_ptr_equal(state_containers_take_changed(table), web->container);
	assert_null(state_containers_take_changed(table));
	/* It ended before anybody asked. */
	state_container_set_info(table, db->container, STATE_META_OK, named("1"));
	state_cgroups_unref(db);
	assert_null(state_containers_take_changed(table));
	/* Neither is lost when a description finds its container. */
	describe(table, "0123456789ab", STATE_META_OK, "early");
	db = get(table, "cpu=/docker/" ID);
	assert_ptr_equal(state_containers_take_changed(table), db->container);
	assert_int_equal(table->lists.of[STATE_CONTAINERS_CHANGED].count, 0);
	state_cgroups_unref(web);
	state_cgroups_unref(db);
}

static void test_pod_of_the_path(void **state)
{
	static const char uid[] = "2f2b6b2e-9c0a-4d7c-8f7c-2f3f5d6b7a80";
	struct state_cgroups *in_pod = get(*state, "cpu=/kubepods/pod"
						   "2f2b6b2e-9c0a-4d7c-8f7c-2f3f5d6b7a80/" ID),
			     *alone = get(*state, "cpu=/lxc/web");

	assert_string_equal(in_pod->container->pod_uid, uid);
	assert_false(in_pod->container->is_named);
	assert_string_equal(alone->container->pod_uid, "");
	assert_true(alone->container->is_named);
	state_cgroups_unref(in_pod);
	state_cgroups_unref(alone);
}

static void expect_moved(struct state_containers *table, const struct state_cgroups *from,
			 uint32_t subsystems, const char *expected, size_t len)
{
	struct state_cgroups *moved = state_cgroups_moved(from, subsystems, "/docker/" ID);

	assert_non_null(moved);
	assert_int_equal(moved->len, len);
	assert_memory_equal(moved->text, expected, len);
	assert_non_null(moved->container);
	state_cgroups_unref(moved);
}

static void test_declared(void **state)
{
	static const char two[] = "cpu=/\0memory=/x/web1/a";
	struct state_containers *table = *state;
	struct state_cgroups *web = get(table, "cpu=/x/web1"), *root = get(table, "cpu=/"),
			     *docker = get(table, "cpu=/docker/" ID), *below;

	assert_null(web->container);
	state_cgroups_declare(web, "/x/web1", STATE_CONTAINER_CUSTOM);
	assert_string_equal(web->container->id, "web1");
	assert_true(web->container->is_named);
	assert_int_equal(table->declared, 1);
	assert_ptr_equal(state_containers_take_new(table), web->container);
	below = state_cgroups_get(table, two, sizeof(two));
	assert_non_null(below);
	assert_ptr_equal(below->container, web->container);
	/* Neither a path without a name nor one that is known already. */
	state_cgroups_declare(root, "/", STATE_CONTAINER_CUSTOM);
	assert_null(root->container);
	state_cgroups_declare(docker, "/docker/web1", STATE_CONTAINER_CUSTOM);
	assert_string_equal(docker->container->id, ID);
	state_cgroups_unref(web);
	assert_int_equal(table->declared, 1);
	state_cgroups_unref(below);
	assert_int_equal(table->declared, 0);
	web = get(table, "cpu=/x/web1");
	assert_null(web->container);
	state_cgroups_unref(web);
	state_cgroups_unref(root);
	state_cgroups_unref(docker);
}

/* Only the paths of these subsystems change; what is missing is added. */
static void test_moved(void **state)
{
	static const char before[] = "cpuset=/a\0cpu=/a\0cpuacct=/a\0pids=/a";
	static const char one[] = "cpuset=/a\0cpu=/docker/" ID "\0cpuacct=/a\0pids=/a";
	static const char more[] = "cpuset=/a\0cpu=/a\0cpuacct=/docker/" ID "\0pids=/a\0"
				   "memory=/docker/" ID;
	static const char all[] = "cpuset=/docker/" ID "\0cpu=/docker/" ID "\0cpuacct=/docker/" ID
				  "\0io=/docker/" ID "\0memory=/docker/" ID;
	struct state_cgroups *from = state_cgroups_get(*state, before, sizeof(before)),
			     *none = state_cgroups_get(*state, "", 0), *same;

	expect_moved(*state, from, cgroup_subsystems__cpu, one, sizeof(one));
	expect_moved(*state, from, cgroup_subsystems__cpuacct | cgroup_subsystems__memory, more,
		     sizeof(more));
	expect_moved(*state, none, UINT32_MAX, all, sizeof(all));
	same = state_cgroups_moved(from, 0, "/docker/" ID);
	assert_ptr_equal(same, from);
	state_cgroups_unref(same);
	state_cgroups_unref(from);
	state_cgroups_unref(none);
}

static void count_one(struct state_container *container, void *context)
{
	(*(unsigned int *)context)++;
}

static void test_each(void **state)
{
	struct state_cgroups *all[100];
	unsigned int count = 0;
	char text[64];

	for (size_t i = 0; i < 100; i++) {
		snprintf(text, sizeof(text), "cpu=/lxc/web-%zu", i);
		all[i] = get(*state, text);
	}
	state_containers_each(*state, count_one, &count);
	assert_int_equal(count, 100);
	for (size_t i = 0; i < 100; i++)
		state_cgroups_unref(all[i]);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_equal_groups_are_one, setup, teardown),
	cmocka_unit_test_setup_teardown(test_groups_of_one_container, setup, teardown),
	cmocka_unit_test_setup_teardown(test_groups_of_a_user, setup, teardown),
	cmocka_unit_test_setup_teardown(test_new_ones_are_taken_once, setup, teardown),
	cmocka_unit_test_setup_teardown(test_descriptions_are_replaced, setup, teardown),
	cmocka_unit_test_setup_teardown(test_described_early, setup, teardown),
	cmocka_unit_test_setup_teardown(test_described_late, setup, teardown),
	cmocka_unit_test_setup_teardown(test_kept_when_unused, setup, teardown),
	cmocka_unit_test_setup_teardown(test_oldest_are_dropped, setup, teardown),
	cmocka_unit_test_setup_teardown(test_changed_ones_are_taken_once, setup, teardown),
	cmocka_unit_test_setup_teardown(test_pod_of_the_path, setup, teardown),
	cmocka_unit_test_setup_teardown(test_declared, setup, teardown),
	cmocka_unit_test_setup_teardown(test_moved, setup, teardown),
	cmocka_unit_test_setup_teardown(test_each, setup, teardown),
};

UNIT_GROUP(tests);
