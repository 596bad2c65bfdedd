/* SPDX-License-Identifier: MIT */
/* fdlist.*: the descriptors that poll waits for. */
#include "unit.h"
#include "world.h"

static void poll_for(struct drive *world, const struct fdlist_entry *entries, uint16_t count)
{
	world_begin(world, EVENT_poll, 100);
	frame_put_fdlist(&world->frame, poll__fds, entries, count);
	world_end(world);
}

static void test_polled_descriptors(void **state)
{
	struct drive *world = *state;
	static const struct fdlist_entry all[] = {{4, 1}, {3, 1}, {5, 4}, {6, 1}, {9, 1}};
	struct state_fd *server;

	poll_for(world, all, 5);
	world_connection(world, "10.0.0.1", "10.0.0.5");
	world_fd(world->event.thread, 4, SCAP_FD_PIPE, "pipe:[1]");
	world_fd(world->event.thread, 5, SCAP_FD_EVENT, "");
	server = world_fd(world->event.thread, 6, SCAP_FD_IPV4, "0.0.0.0:80");
	server->listening = true;
	world_ends(world, server)->dest.port = 80;
	world_expect(world, "fdlist.nums", "4,3,5,6,9");
	world_expect(world, "fdlist.names", "pipe:[1],a->b,<NA>,0.0.0.0:80,<NA>");
	world_expect(world, "fdlist.cips", "10.0.0.1");
	world_expect(world, "fdlist.sips", "10.0.0.5,0.0.0.0");
	world_expect(world, "fdlist.cports", "40000");
	world_expect(world, "fdlist.sports", "443");
	poll_for(world, all, 1);
	world_expect(world, "fdlist.nums", "4");
	world_expect_none(world, "fdlist.cips");
	world_expect_none(world, "fdlist.sports");
	poll_for(world, all, 0);
	world_expect_none(world, "fdlist.nums");
	world_begin(world, EVENT_select, 100);
	world_end(world);
	world_expect_none(world, "fdlist.nums");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_polled_descriptors, world_setup, world_teardown),
};

UNIT_GROUP(tests);
