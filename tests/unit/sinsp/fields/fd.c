/* SPDX-License-Identifier: MIT */
/* The fd.* fields: known descriptors, unknown ones, sockets of every role. */
#include <errno.h>
#include <string.h>

#include "sinsp/fields/field.h"
#include "sinsp/state/fds.h"
#include "unit.h"
#include "world.h"

static void make_openat(struct drive *world, int64_t result, const char *name)
{
	world_begin(world, EVENT_openat, 100);
	frame_put_i64(&world->frame, openat__fd, result);
	frame_put_i64(&world->frame, openat__dirfd, -100);
	frame_put_string(&world->frame, openat__name, name);
	world_end(world);
	world_set_fd(world, result, NULL);
}

static int setup(void **state)
{
	world_setup(state);
	world_read_from(*state, NULL);
	return 0;
}

static struct state_fd *open_fd(struct drive *world, enum scap_fd_type type, const char *name)
{
	return world_fd(world->event.thread, 3, type, name);
}

static void test_file(void **state)
{
	struct drive *world = *state;
	struct state_fd *fd = open_fd(world, SCAP_FD_FILE, "/lib/x/libc.so.6");

	fd->dev = 0xfd01 | 0x12300000;
	state_fd_set_ino(fd, 99);
	fd->flags = file_flags__FD_UPPER_LAYER;
	world_read_from(world, fd);
	world->event.fd_named = true;
	world_expect(world, "fd.num", "3");
	world_expect(world, "fd.type", "file");
	world_expect(world, "fd.typechar", "f");
	world_expect(world, "fd.name", "/lib/x/libc.so.6");
	world_expect(world, "fd.nameraw", "/lib/x/libc.so.6");
	world_expect(world, "fd.directory", "/lib/x");
	world_expect(world, "fd.filename", "libc.so.6");
	world_expect(world, "fd.uid", "1003");
	world_expect(world, "fd.dev", "1230FD01");
	world_expect_json(world, "fd.dev", "{\"fd.dev\":\"0x1230fd01\"}");
	world_expect(world, "fd.dev.major", "253");
	world_expect(world, "fd.dev.minor", "74497");
	world_expect(world, "fd.ino", "99");
	world_expect(world, "fd.is_upper_layer", "true");
	world_expect(world, "fd.is_lower_layer", "false");
	world_expect(world, "fd.name_changed", "true");
	world_expect(world, "fd.connected", "false");
	world_expect(world, "fd.is_server", "false");
	world_expect(world, "fd.l4proto", "<NA>");
	world_expect_none(world, "fd.sockfamily");
}

static void expect_parts(struct drive *world, enum scap_fd_type type, const char *name,
			 const char *directory, const char *filename)
{
	world_read_from(world, open_fd(world, type, name));
	world_expect(world, "fd.directory", directory);
	if (filename)
		world_expect(world, "fd.filename", filename);
	else
		world_expect_none(world, "fd.filename");
}

static void test_parts_of_names(void **state)
{
	struct drive *world = *state;

	expect_parts(world, SCAP_FD_FILE, "/x", "/", "x");
	expect_parts(world, SCAP_FD_FILE, "x", "/", "/");
	expect_parts(world, SCAP_FD_FILE, "/a/", "/a/", "/a/");
	expect_parts(world, SCAP_FD_FILE, "", "/", "/");
	expect_parts(world, SCAP_FD_DIRECTORY, "/srv/a", "/srv/a", NULL);
	world_read_from(world, open_fd(world, SCAP_FD_PIPE, "pipe:[1]"));
	world_expect_none(world, "fd.directory");
	world_expect_none(world, "fd.filename");
}

static void test_failed_open(void **state)
{
	struct drive *world = *state;

	make_openat(world, -ENOENT, "a/../b");
	world_expect(world, "fd.num", "-2");
	world_expect(world, "fd.name", "/home/user/b");
	world_expect(world, "fd.nameraw", "a/../b");
	world_expect(world, "fd.directory", "/home/user");
	world_expect(world, "fd.typechar", "f");
	world_expect_none(world, "fd.type");
	world_expect_none(world, "fd.filename");
	world_expect_none(world, "fd.ino");
	world_expect_none(world, "fd.l4proto");
	make_openat(world, -ENOENT, "//a///b/");
	world_expect(world, "fd.nameraw", "/a/b/");
	make_openat(world, -EFAULT, NULL);
	world_expect_none(world, "fd.name");
	world_expect_none(world, "fd.nameraw");
	world_begin(world, EVENT_open, 100);
	frame_put_i64(&world->frame, open__fd, -ENOENT);
	frame_put_string(&world->frame, open__name, "x");
	world_end(world);
	world_expect(world, "fd.name", "/home/user/x");
	world_expect(world, "fd.nameraw", "x");
	world_expect(world, "fd.typechar", "o");
	world_expect_none(world, "fd.num");
	world_expect_none(world, "fd.uid");
}

/* Whatever the event, and wherever the path leads. */
static void test_name_as_given(void **state)
{
	struct drive *world = *state;
	struct state_fds *fds = world->event.thread->fds;
	struct state_fd *fd = state_fds_open_given(fds, 3, "/real/b", 7, "a/../b", 6);

	assert_non_null(fd);
	fd->type = SCAP_FD_FILE;
	world_read_from(world, fd);
	world_expect(world, "fd.name", "/real/b");
	world_expect(world, "fd.nameraw", "a/../b");
	world_expect(world, "fd.filename", "b");
}

static void test_unknown_descriptors(void **state)
{
	struct drive *world = *state;

	world_read_from(world, NULL);
	world_expect(world, "fd.num", "3");
	world_expect(world, "fd.name", "");
	world_expect(world, "fd.directory", "/");
	world_expect(world, "fd.typechar", "o");
	world_expect_none(world, "fd.type");
	world_expect_none(world, "fd.connected");
	world_expect_none(world, "fd.is_server");
	world_begin(world, EVENT_connect, 100);
	frame_put_unix_tuple(&world->frame, connect__tuple, 0, 0xffff, "/run/x");
	world_end(world);
	world_expect(world, "fd.name", "0->ffff /run/x");
	world_begin(world, EVENT_accept, 100);
	world_end(world);
	world_expect(world, "fd.name", "NULL");
	world_expect(world, "fd.typechar", "4");
	world_begin(world, EVENT_pipe2, 100);
	world_end(world);
	world_expect(world, "fd.typechar", "p");
	world_expect(world, "fd.name", "");
}

/* Events about no descriptor have none of the fields. */
static void test_events_without_descriptor(void **state)
{
	struct drive *world = *state;

	world_begin(world, EVENT_mkdir, 100);
	world_end(world);
	for (const struct field_desc *const *table = field_tables; *table; table++)
		for (const struct field_desc *desc = *table; desc->name; desc++)
			if (strncmp(desc->name, "fd.", 3) == 0 && strcmp(desc->name, "fd.types") &&
			    !(desc->flags & FIELD_FILTER_ONLY))
				world_expect_none(world, desc->name);
}

static void test_kinds_of_all_descriptors(void **state)
{
	struct drive *world = *state;
	const struct state_thread *thread = world->event.thread;

	world_expect(world, "fd.types", "()");
	world_fd(thread, 0, SCAP_FD_PIPE, "");
	world_fd(thread, 5, SCAP_FD_FILE, "/a");
	world_fd(thread, 70, SCAP_FD_FILE, "/b");
	world_fd(thread, 3000, SCAP_FD_IPV6, "");
	world_expect(world, "fd.types", "(pipe,file,ipv6)");
	world_expect_json(world, "fd.types", "{\"fd.types\":[\"pipe\",\"file\",\"ipv6\"]}");
	world_expect(world, "fd.types[70]", "file");
	world_expect_json(world, "fd.types[70]", "{\"fd.types[70]\":\"file\"}");
	world_expect_none(world, "fd.types[1]");
	world_expect_none(world, "fd.types[-1]");
	world->event.thread = NULL;
	world_expect_none(world, "fd.types");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, world_teardown)

static const struct CMUnitTest tests[] = {
	TEST(test_file),
	TEST(test_parts_of_names),
	TEST(test_failed_open),
	TEST(test_name_as_given),
	TEST(test_unknown_descriptors),
	TEST(test_events_without_descriptor),
	TEST(test_kinds_of_all_descriptors),
};

UNIT_GROUP(tests);
