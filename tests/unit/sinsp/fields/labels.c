/* SPDX-License-Identifier: MIT */
/* Labels, one and all of them. */
#include "contained.h"
#include "unit.h"

static void test_one(void **state)
{
	world_expect(*state, "container.label[app]", "web");
	world_expect(*state, "container.label.app", "web");
	world_expect(*state, "container.label[a.b/c]", "with, comma");
	world_expect(*state, "container.label[io.kubernetes.pod.name]", "web-5c4f");
	world_expect_none(*state, "container.label[ap]");
}

/* Those of Kubernetes and annotations are left out. */
static void test_all(void **state)
{
	world_expect(*state, "container.labels", "app:web, a.b/c:with, comma");
}

static void test_only_hidden(void **state)
{
	struct drive *world = *state;
	static const struct state_label hidden = {"io.kubernetes.pod.name", "web"};
	struct state_container_info *info = contained_info();

	info->labels = (struct state_labels){&hidden, 1};
	state_container_set_info(&world->state->containers, world_self(world)->cgroups->container,
				 STATE_META_OK, info);
	world_expect_none(world, "container.labels");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_one, contained_setup, world_teardown),
	cmocka_unit_test_setup_teardown(test_all, contained_setup, world_teardown),
	cmocka_unit_test_setup_teardown(test_only_hidden, contained_setup, world_teardown),
};

UNIT_GROUP(tests);
