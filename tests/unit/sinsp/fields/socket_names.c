/* SPDX-License-Identifier: MIT */
/* fd.*.name: names of addresses. */
#include "etc_files.h"
#include "filtered.h"
#include "unit.h"
#include "world.h"

static struct etc_files etc;

static int setup(void **state)
{
	static const struct world_process cat = {.pid = 100, .comm = "cat", .cwd = "/"};

	return world_setup_process(state, &cat, etc.path);
}

static void test_names_of_addresses(void **state)
{
	struct drive *world = *state;
	struct state_fd *fd;

	/* Filters look at descriptors only where events can have one. */
	world_begin(world, EVENT_shutdown, 100);
	world_end(world);
	fd = world_connection(world, "10.0.0.1", "10.0.0.5");
	world_expect(world, "fd.sip.name", "db.example");
	world_expect(world, "fd.rip.name", "db.example");
	world_expect_none(world, "fd.cip.name");
	world_expect_none(world, "fd.lip.name");
	assert_true(filtered(&world->event, "fd.sip.name=db.example"));
	assert_true(filtered(&world->event, "fd.sip.name in (web, db.example)"));
	assert_false(filtered(&world->event, "fd.sip.name!=db.example"));
	/* There is no name, so nothing can be said of it. */
	assert_false(filtered(&world->event, "fd.cip.name!=db.example"));
	assert_false(filtered(&world->event, "fd.cip.name exists"));
	fd->role = STATE_ROLE_SERVER;
	world_expect(world, "fd.lip.name", "db.example");
	world_expect_none(world, "fd.rip.name");
	fd->role = STATE_ROLE_NONE;
	world_expect_none(world, "fd.sip.name");
}

static int make_etc(void **state)
{
	etc_create(&etc);
	etc_write(&etc, "hosts", "10.0.0.5 db.example db\n");
	return 0;
}

static int remove_etc(void **state)
{
	etc_destroy(&etc);
	return 0;
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_names_of_addresses, setup, world_teardown),
};

UNIT_GROUP(tests, .setup = make_etc, .teardown = remove_etc);
