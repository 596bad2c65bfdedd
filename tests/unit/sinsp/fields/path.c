/* SPDX-License-Identifier: MIT */
/* fs.path.*: the paths that a call is about. */
#include <errno.h>

#include "sinsp/fields/field.h"
#include "unit.h"
#include "world.h"

static void test_paths(void **state)
{
	struct drive *world = *state;

	world_openat(world, 3, "a//b/../c", 1);
	world_expect(world, "fs.path.name", "/home/user/a/c");
	world_expect(world, "fs.path.nameraw", "a//b/../c");
	world_expect(world, "evt.abspath", "/home/user/a/c");
	world_expect_none(world, "evt.abspath.src");
	world_expect_none(world, "evt.abspath.dst");
	world_expect_none(world, "fs.path.source");
	world_expect_none(world, "fs.path.targetraw");
	world_openat(world, -ENOENT, "a", 1);
	world_expect_none(world, "fs.path.name");
	world_expect_none(world, "fs.path.nameraw");
	world_expect(world, "evt.abspath", "/home/user/a");
	world_read(world, 4);
	world_expect_none(world, "fs.path.name");
	world_expect_none(world, "evt.abspath");
}

/* A link's source is what it is made at; a call on a descriptor names what that is. */
static void test_links_and_descriptors(void **state)
{
	struct drive *world = *state;

	world_begin(world, EVENT_symlinkat, 100);
	frame_put_i64(&world->frame, symlinkat__res, 0);
	frame_put_string(&world->frame, symlinkat__target, "/usr/x");
	frame_put_i64(&world->frame, symlinkat__linkdirfd, 5);
	frame_put_string(&world->frame, symlinkat__linkpath, "made");
	world_fd(world_end(world)->thread, 5, SCAP_FD_DIRECTORY, "/srv");
	world_expect(world, "fs.path.source", "/srv/made");
	world_expect(world, "fs.path.target", "/usr/x");
	world_expect(world, "evt.abspath", "/srv/made");
	world_begin(world, EVENT_fchmod, 100);
	frame_put_i64(&world->frame, fchmod__res, 0);
	world_end(world);
	world_expect_none(world, "fs.path.name");
	world_set_fd(world, 6, world_fd(world->event.thread, 6, SCAP_FD_FILE, "/etc/shadow"));
	world_expect(world, "fs.path.name", "/etc/shadow");
	world_expect_none(world, "fs.path.nameraw");
}

static void test_renames(void **state)
{
	struct drive *world = *state;

	world_fd(world->event.thread, 5, SCAP_FD_DIRECTORY, "/srv");
	world_begin(world, EVENT_renameat2, 100);
	frame_put_i64(&world->frame, renameat2__res, 0);
	frame_put_i64(&world->frame, renameat2__olddirfd, 5);
	frame_put_string(&world->frame, renameat2__oldpath, "old");
	frame_put_i64(&world->frame, renameat2__newdirfd, -100);
	frame_put_string(&world->frame, renameat2__newpath, "new");
	world_end(world);
	world_expect(world, "fs.path.source", "/srv/old");
	world_expect(world, "fs.path.sourceraw", "old");
	world_expect(world, "fs.path.target", "/home/user/new");
	world_expect(world, "fs.path.targetraw", "new");
	world_expect(world, "evt.abspath", "/srv/old");
	world_expect(world, "evt.abspath.src", "/srv/old");
	world_expect(world, "evt.abspath.dst", "/home/user/new");
	world_expect_none(world, "fs.path.name");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, world_setup, world_teardown)

static const struct CMUnitTest tests[] = {
	TEST(test_paths),
	TEST(test_links_and_descriptors),
	TEST(test_renames),
};

UNIT_GROUP(tests);
