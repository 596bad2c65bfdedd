/* SPDX-License-Identifier: MIT */
/* Shared control groups, and containers that live as long as one of them. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sinsp/tables/containers.h"

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static int setup(void **state)
{
	*state = malloc(sizeof(struct sinsp_containers));
	assert_non_null(*state);
	return sinsp_containers_init(*state);
}

static int teardown(void **state)
{
	sinsp_containers_finish(*state);
	free(*state);
	return 0;
}

static struct sinsp_cgroups *get(struct sinsp_containers *table, const char *text)
{
	struct sinsp_cgroups *cgroups = sinsp_cgroups_get(table, text, strlen(text) + 1);

	assert_non_null(cgroups);
	return cgroups;
}

static void test_equal_groups_are_one(void **state)
{
	struct sinsp_cgroups *one = get(*state, "cpu=/a"), *same = get(*state, "cpu=/a"),
			     *other = get(*state, "cpu=/b");

	assert_ptr_equal(one, same);
	assert_ptr_not_equal(one, other);
	assert_string_equal(other->text, "cpu=/b");
	assert_int_equal(one->len, 7);
	assert_null(one->container);
	sinsp_cgroups_unref(one);
	/* Still there for the second reference. */
	assert_ptr_equal(get(*state, "cpu=/a"), same);
	sinsp_cgroups_unref(same);
	sinsp_cgroups_unref(same);
	sinsp_cgroups_unref(other);
	sinsp_cgroups_unref(NULL);
	for (size_t i = 0; i < SINSP_CONTAINERS_BUCKETS; i++)
		assert_null(((struct sinsp_containers *)*state)->cgroups[i]);
}

static void test_groups_of_one_container(void **state)
{
	struct sinsp_containers *table = *state;
	struct sinsp_cgroups *top = get(table, "cpu=/docker/" ID),
			     *below = get(table, "cpu=/docker/" ID "/init.scope");
	struct sinsp_container *container = top->container;

	assert_non_null(container);
	assert_ptr_equal(below->container, container);
	assert_int_equal(table->count, 1);
	assert_int_equal(container->type, SINSP_CONTAINER_DOCKER);
	assert_string_equal(container->id, ID);
	assert_int_equal(container->state, SINSP_META_MISSING);
	assert_null(container->info->name);
	assert_ptr_equal(sinsp_containers_find(table, ID, 64), container);
	assert_null(sinsp_containers_find(table, ID, 63));
	sinsp_cgroups_unref(top);
	assert_ptr_equal(sinsp_containers_find(table, ID, 64), container);
	sinsp_cgroups_unref(below);
	assert_null(sinsp_containers_find(table, ID, 64));
	assert_int_equal(table->count, 0);
}

static void test_new_ones_are_taken_once(void **state)
{
	struct sinsp_containers *table = *state;
	struct sinsp_cgroups *web = get(table, "cpu=/lxc/web"), *gone = get(table, "cpu=/lxc/gone"),
			     *db = get(table, "cpu=/lxc/db"), *host = get(table, "cpu=/");

	/* It ended before anybody asked. */
	sinsp_cgroups_unref(gone);
	assert_ptr_equal(sinsp_containers_take_new(table), db->container);
	assert_ptr_equal(sinsp_containers_take_new(table), web->container);
	assert_null(sinsp_containers_take_new(table));
	sinsp_cgroups_unref(web);
	sinsp_cgroups_unref(db);
	sinsp_cgroups_unref(host);
}

static struct sinsp_container_info *named(const char *name)
{
	struct sinsp_container_info *info = sinsp_container_info_create();

	assert_non_null(info);
	info->name = arena_text(&info->arena, name, strlen(name));
	return info;
}

static void test_descriptions_are_replaced(void **state)
{
	struct sinsp_containers *table = *state;
	struct sinsp_cgroups *web = get(table, "cpu=/docker/" ID);

	sinsp_container_set_info(table, web->container, SINSP_META_PENDING, NULL);
	assert_int_equal(web->container->state, SINSP_META_PENDING);
	sinsp_container_set_info(table, web->container, SINSP_META_OK, named("web"));
	assert_string_equal(web->container->info->name, "web");
	sinsp_container_set_info(table, web->container, SINSP_META_OK, named("renamed"));
	assert_string_equal(web->container->info->name, "renamed");
	sinsp_container_set_info(table, web->container, SINSP_META_MISSING, NULL);
	assert_null(web->container->info->name);
	/* Freed with its container. */
	sinsp_container_set_info(table, web->container, SINSP_META_OK, named("web"));
	sinsp_cgroups_unref(web);
}

static void count_one(struct sinsp_container *container, void *context)
{
	(*(unsigned int *)context)++;
}

static void test_each(void **state)
{
	struct sinsp_cgroups *all[100];
	unsigned int count = 0;
	char text[64];

	for (size_t i = 0; i < 100; i++) {
		snprintf(text, sizeof(text), "cpu=/lxc/web-%zu", i);
		all[i] = get(*state, text);
	}
	sinsp_containers_each(*state, count_one, &count);
	assert_int_equal(count, 100);
	for (size_t i = 0; i < 100; i++)
		sinsp_cgroups_unref(all[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_equal_groups_are_one, setup, teardown),
		cmocka_unit_test_setup_teardown(test_groups_of_one_container, setup, teardown),
		cmocka_unit_test_setup_teardown(test_new_ones_are_taken_once, setup, teardown),
		cmocka_unit_test_setup_teardown(test_descriptions_are_replaced, setup, teardown),
		cmocka_unit_test_setup_teardown(test_each, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
