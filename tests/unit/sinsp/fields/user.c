/* SPDX-License-Identifier: MIT */
/* user.* and group.*: what the files of the machine say. */
#include "etc_files.h"
#include "unit.h"
#include "world.h"

static struct etc_files etc;

static int setup(void **state)
{
	static const struct world_process cat = {.pid = 100, .comm = "cat", .cwd = "/"};

	return world_setup_process(state, &cat, etc.path);
}

static void test_users(void **state)
{
	struct drive *world = *state;

	world_self(world)->uid = 7;
	world_self(world)->gid = 8;
	world_expect(world, "user.name", "ann");
	world_expect(world, "user.homedir", "/home/ann");
	world_expect(world, "user.shell", "/bin/zsh");
	world_expect(world, "group.name", "staff");
	world_self(world)->uid = 9;
	world_self(world)->gid = 9;
	world_expect(world, "user.homedir", "<NA>");
	world_expect(world, "user.shell", "<NA>");
	world_expect(world, "group.name", "<NA>");
	/* root has a directory even in a file that does not name it. */
	world_self(world)->uid = 0;
	world_expect(world, "user.homedir", "/root");
	world_expect(world, "user.shell", "<NA>");
	world->event.thread = NULL;
	world_expect_none(world, "user.homedir");
	world_expect_none(world, "user.shell");
}

static int make_etc(void **state)
{
	etc_create(&etc);
	etc_write(&etc, "passwd", "ann:x:7:7::/home/ann:/bin/zsh\n");
	etc_write(&etc, "group", "staff:x:8:ann\n");
	return 0;
}

static int remove_etc(void **state)
{
	etc_destroy(&etc);
	return 0;
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_users, setup, world_teardown),
};

UNIT_GROUP(tests, .setup = make_etc, .teardown = remove_etc);
