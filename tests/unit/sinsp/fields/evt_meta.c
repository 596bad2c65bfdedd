/* SPDX-License-Identifier: MIT */
/* evt.*: events that no call made. */
#include "unit.h"
#include "world.h"

static void infra(struct drive *world, const char *description)
{
	world_begin(world, EVENT_infra, 100);
	frame_put_string(&world->frame, infra__source, "docker");
	frame_put_string(&world->frame, infra__description, description);
	world_end(world);
}

static void test_events_that_no_call_made(void **state)
{
	struct drive *world = *state;

	world_expect(world, "evt.hostname", "box");
	world_expect(world, "evt.is_async", "false");
	world_expect_none(world, "evt.asynctype");
	world_expect_none(world, "evt.pluginname");
	world_expect_none(world, "evt.plugininfo");
	world_expect_none(world, "evt.infra.docker.name");
	infra(world, "Event:start; ID: 0123ab ;name:web:1;Image:nginx");
	world_expect(world, "evt.is_async", "true");
	world_expect(world, "evt.asynctype", "infra");
	world_expect(world, "evt.infra.docker.name", "start");
	world_expect(world, "evt.infra.docker.container.id", "0123ab");
	world_expect(world, "evt.infra.docker.container.name", "web:1");
	world_expect(world, "evt.infra.docker.container.image", "nginx");
	infra(world, ";;ID;IDs:5;name:");
	world_expect_none(world, "evt.infra.docker.name");
	world_expect_none(world, "evt.infra.docker.container.id");
	world_expect_json(world, "evt.infra.docker.container.name",
			  "{\"evt.infra.docker.container.name\":\"\"}");
	infra(world, NULL);
	world_expect_none(world, "evt.infra.docker.container.id");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_events_that_no_call_made, world_setup, world_teardown),
};

UNIT_GROUP(tests);
