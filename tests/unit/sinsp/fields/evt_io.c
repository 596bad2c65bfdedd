/* SPDX-License-Identifier: MIT */
/* evt.*: what concerns input and output, and opens. */
#include <errno.h>

#include "sinsp/fields/field.h"
#include "unit.h"
#include "world.h"

static void make_write(struct drive *world)
{
	world_begin(world, EVENT_write, 100);
	frame_put_i64(&world->frame, write__res, 5);
	frame_put_bytes(&world->frame, write__data, "hello", 5);
	frame_put_i64(&world->frame, write__fd, 3);
	world_end(world);
}

static void test_input_and_output(void **state)
{
	struct drive *world = *state;

	world_read(world, 4);
	world_expect(world, "evt.is_io", "true");
	world_expect(world, "evt.is_io_read", "true");
	world_expect(world, "evt.is_io_write", "false");
	world_expect(world, "evt.io_dir", "read");
	world_expect(world, "evt.is_wait", "false");
	make_write(world);
	world_expect(world, "evt.is_io_write", "true");
	world_expect(world, "evt.io_dir", "write");
	world_openat(world, 3, "/x", 1);
	world_expect(world, "evt.is_io", "false");
	world_expect_none(world, "evt.io_dir");
}

static void test_buffer_lengths(void **state)
{
	struct drive *world = *state;
	struct state_fd *fd = world_fd(world->event.thread, 3, SCAP_FD_FILE, "/x");

	world_read(world, 4);
	world_expect_none(world, "evt.buflen");
	world_set_fd(world, 3, fd);
	world_expect(world, "evt.buflen", "4");
	world_expect(world, "evt.buflen.in", "4");
	world_expect_none(world, "evt.buflen.out");
	world_expect(world, "evt.buflen.file", "4");
	world_expect(world, "evt.buflen.file.in", "4");
	world_expect_none(world, "evt.buflen.file.out");
	world_expect_none(world, "evt.buflen.net");
	world_expect_none(world, "evt.buflen.net.in");
	world_expect_none(world, "evt.buflen.net.out");
	make_write(world);
	fd->type = SCAP_FD_IPV4;
	world_set_fd(world, 3, fd);
	world_expect(world, "evt.buflen.out", "5");
	world_expect(world, "evt.buflen.net", "5");
	world_expect(world, "evt.buflen.net.out", "5");
	world_expect_none(world, "evt.buflen.file.out");
	world_read(world, -EIO);
	world_set_fd(world, 3, fd);
	world_expect_none(world, "evt.buflen");
	world_expect_none(world, "evt.buflen.net.in");
}

static void test_errors_by_sort(void **state)
{
	struct drive *world = *state;
	struct state_fd *fd = world_fd(world->event.thread, 3, SCAP_FD_UNIX, "");

	world_openat(world, -ENOENT, "/x", 1);
	world_expect(world, "evt.count.error.file", "1");
	world_expect_none(world, "evt.count.error.net");
	world_expect_none(world, "evt.count.error.memory");
	world_expect_none(world, "evt.count.error.other");
	world_read(world, 4);
	world_set_fd(world, 3, fd);
	world_expect(world, "evt.count.error.net", "0");
	world_expect_none(world, "evt.count.error.file");
	world_read(world, -EBADF);
	world_expect(world, "evt.count.error.other", "1");
	world_exit(world);
	world_expect_none(world, "evt.count.error.other");
}

static void test_syslog(void **state)
{
	struct drive *world = *state;
	struct state_fd *fd = world_fd(world->event.thread, 3, SCAP_FD_UNIX, "0->0 /dev/log");

	make_write(world);
	world_expect(world, "evt.is_syslog", "false");
	world_set_fd(world, 3, fd);
	world_expect(world, "evt.is_syslog", "true");
	world_read(world, 4);
	world_set_fd(world, 3, fd);
	world_expect(world, "evt.is_syslog", "false");
}

static void test_opens(void **state)
{
	struct drive *world = *state;

	world_openat(world, 3, "/x", 0x3 | 0x4 | 0x4000);
	world_expect(world, "evt.is_open_read", "true");
	world_expect(world, "evt.is_open_write", "true");
	world_expect(world, "evt.is_open_create", "true");
	world_expect(world, "evt.is_open_exec", "true");
	world_openat(world, -EACCES, "/x", 0x2 | 0x2000);
	world_expect(world, "evt.is_open_read", "false");
	world_expect(world, "evt.is_open_write", "true");
	world_expect(world, "evt.is_open_create", "false");
	world_openat(world, 3, "/x", 0x1);
	world_expect(world, "evt.is_open_exec", "false");
	world_begin(world, EVENT_creat, 100);
	frame_put_i64(&world->frame, creat__mode, 0700);
	world_end(world);
	world_expect(world, "evt.is_open_exec", "true");
	world_expect(world, "evt.is_open_create", "false");
	/* It opens what is there: its result is no mode, whatever its bits. */
	world_begin(world, EVENT_open_by_handle_at, 100);
	frame_put_i64(&world->frame, open_by_handle_at__fd, 0111);
	frame_put_i64(&world->frame, open_by_handle_at__flags, 0x3 | 0x2000);
	world_end(world);
	world_expect(world, "evt.is_open_read", "true");
	world_expect(world, "evt.is_open_write", "true");
	world_expect(world, "evt.is_open_exec", "false");
	world_read(world, 4);
	world_expect(world, "evt.is_open_read", "false");
	world_expect(world, "evt.is_open_exec", "false");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, world_setup, world_teardown)

static const struct CMUnitTest tests[] = {
	TEST(test_input_and_output), TEST(test_buffer_lengths), TEST(test_errors_by_sort),
	TEST(test_syslog),	     TEST(test_opens),
};

UNIT_GROUP(tests);
