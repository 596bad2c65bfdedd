/* SPDX-License-Identifier: MIT */
/* What containers are called, before and after anything is known of them. */
#include <string.h>

#include "agent/counts/counted_name.h"
#include "contained.h"
#include "unit.h"

static void has_an_id_at_first(void **state)
{
	struct counted_who who = {.id = CONTAINER_ID};
	struct counted_name name;

	counted_name_init(&who, &name);
	assert_string_equal(name.id, CONTAINER_ID);
	assert_string_equal(name.container, "0123456789ab");
	assert_string_equal(name.pod, "");
	who = (struct counted_who){.id = "chosen-by-a-user\xff", .is_named = true};
	counted_name_init(&who, &name);
	assert_string_equal(name.id, "chosen-by-a-user\\xff");
	assert_string_equal(name.container, "chosen-by-a-user?");
}

static void learns_names(void **state)
{
	struct drive *world = *state;
	struct counted_who who = {.id = CONTAINER_ID};
	struct counted_name name;

	counted_name_init(&who, &name);
	assert_true(counted_name_learn(world->state, &who, &name));
	assert_string_equal(name.id, CONTAINER_ID);
	assert_string_equal(name.container, "web");
	assert_string_equal(name.pod, "web-5c4f");
	assert_string_equal(name.ns, "shop");
	/* Another user's container is another one. */
	who.owner = 1000;
	counted_name_init(&who, &name);
	assert_false(counted_name_learn(world->state, &who, &name));
	assert_string_equal(name.container, "0123456789ab");
	assert_string_equal(name.id, CONTAINER_ID "@1000");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(has_an_id_at_first),
	cmocka_unit_test_setup_teardown(learns_names, contained_setup, world_teardown),
};

UNIT_GROUP(tests);
