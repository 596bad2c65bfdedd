/* SPDX-License-Identifier: MIT */
/* The evt.* (but for times), syscall.*, fs.path.* and util.* fields: values, and events without. */
#include <errno.h>
#include <stdlib.h>

#include "sinsp/fields/field.h"
#include "unit.h"
#include "world.h"

static void make_generic(struct drive *world, int64_t code, int64_t native)
{
	world_begin(world, EVENT_syscall, 100);
	frame_put_i64(&world->frame, syscall__ID, code);
	frame_put_i64(&world->frame, syscall__nativeID, native);
	world_end(world);
}

static void test_event_itself(void **state)
{
	struct drive *world = *state;

	world->event.num = 41;
	world_openat(world, 3, "/etc/hostname", 1);
	world_expect(world, "evt.num", "42");
	world_expect(world, "evt.type", "openat");
	world_expect(world, "syscall.type", "openat");
	world_expect(world, "evt.cpu", "3");
	world_expect(world, "evt.dir", "<");
	world_expect(world, "evt.source", "syscall");
	world_expect(world, "evt.is_async", "false");
	world_expect(world, "evt.type.is.openat", "1");
	world_expect(world, "evt.type.is.open", "0");
	world_expect(world, "evt.count", "1");
	world_expect(world, "evt.count.exit", "1");
}

static void test_generic_event_bears_its_call(void **state)
{
	struct drive *world = *state;

	make_generic(world, SC_getppid, 110);
	world_expect(world, "evt.type", "getppid");
	world_expect(world, "evt.args", "");
	world_expect_none(world, "evt.res");
	world_expect_none(world, "evt.rawres");
	world_expect_none(world, "evt.failed");
	make_generic(world, SC_unknown, syscall_native_number(SC_getppid));
	world_expect(world, "evt.type", "getppid");
	/* A number that no table knows. */
	make_generic(world, SC_unknown, 500);
	world_expect(world, "evt.type", "unknown");
	world_expect(world, "syscall.type", "unknown");
	world_expect(world, "evt.args", "ID=0(unknown) nativeID=500");
	make_generic(world, 65535, 9);
	world_expect_none(world, "evt.type");
}

/* Events of our own are at the end of calls, whether their ids are odd or not. */
static void test_extension_events(void **state)
{
	struct drive *world = *state;
	static const uint16_t ids[] = {EVENT_getppid, EVENT_getpid};

	assert_int_not_equal(EVENT_getppid % 2, EVENT_getpid % 2);
	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
		world_begin(world, ids[i], 100);
		frame_put_i64(&world->frame, 0, 77);
		world_end(world);
		world_expect(world, "evt.type", event_desc_get(ids[i])->name);
		world_expect(world, "evt.dir", "<");
		world_expect(world, "evt.count.exit", "1");
		world_expect(world, "evt.rawres", "77");
	}
}

static void test_tracepoint_has_no_call(void **state)
{
	struct drive *world = *state;

	world_exit(world);
	world_expect(world, "evt.type", "procexit");
	world_expect_none(world, "syscall.type");
	world_expect_none(world, "evt.res");
	world_expect_none(world, "evt.count.exit");
	world_expect(world, "evt.dir", ">");
}

static void test_results(void **state)
{
	struct drive *world = *state;

	world_read(world, 4);
	world_expect(world, "evt.res", "SUCCESS");
	world_expect(world, "evt.rawres", "4");
	world_expect(world, "evt.failed", "false");
	world_expect(world, "evt.count.error", "0");
	world_read(world, -EBADF);
	world_expect(world, "evt.res", "EBADF");
	world_expect(world, "evt.rawres", "-9");
	world_expect(world, "evt.failed", "true");
	world_expect(world, "evt.count.error", "1");
	world_read(world, -9999);
	world_expect(world, "evt.res", "-9999");
	world_begin(world, EVENT_read, 100);
	world_end(world);
	world_expect_none(world, "evt.res");
	world_expect_none(world, "evt.count.error");
}

static void test_category(void **state)
{
	struct drive *world = *state;
	struct state_fd *fd = world_fd(world->event.thread, 3, SCAP_FD_PIPE, "");

	world_openat(world, 3, "/x", 1);
	world_expect(world, "evt.category", "file");
	world_read(world, 4);
	world_expect(world, "evt.category", "unknown");
	world_set_fd(world, 3, fd);
	world_expect(world, "evt.category", "ipc");
	fd->type = SCAP_FD_IPV6;
	world_expect(world, "evt.category", "net");
	fd->type = SCAP_FD_TIMER;
	world_expect(world, "evt.category", "unknown");
	world_exit(world);
	world_expect(world, "evt.category", "process");
}

static void test_arguments(void **state)
{
	struct drive *world = *state;

	world_openat(world, -ENOENT, "../a", 0x1001);
	world_expect(world, "evt.arg.fd", "ENOENT");
	world_expect(world, "evt.arg[0]", "ENOENT");
	world_expect(world, "evt.arg.dirfd", "AT_FDCWD");
	world_expect(world, "evt.arg.name", "/home/a");
	world_expect(world, "evt.arg.mode", "0755");
	world_expect(world, "evt.arg.dev", "<NA>");
	world_expect_json(world, "evt.arg.dev", "{\"evt.arg.dev\":null}");
	world_expect_none(world, "evt.arg.path");
	world_expect_none(world, "evt.arg.data");
	world_expect_none(world, "evt.arg[7]");
	world_expect_none(world, "evt.arg[-1]");
	world_expect(world, "evt.args",
		     "fd=-2(ENOENT) dirfd=-100(AT_FDCWD) name=../a(/home/a) "
		     "flags=4097(O_RDONLY|O_CLOEXEC) "
		     "mode=0755 dev=<NA> ino=<NA>");
	world_expect(world, "evt.info",
		     "fd=-2(ENOENT) dirfd=-100(AT_FDCWD) name=../a(/home/a) "
		     "flags=4097(O_RDONLY|O_CLOEXEC) "
		     "mode=0755 dev=<NA> ino=<NA>");
}

static void test_raw_arguments(void **state)
{
	struct drive *world = *state;
	struct field_scratch *scratch = calloc(1, sizeof(*scratch));
	struct field_value value;
	struct field_ref ref;

	world_openat(world, -ENOENT, "../a", 0x1001);
	world_expect(world, "evt.rawarg.fd", "-2");
	world_expect(world, "evt.rawarg.flags", "1001");
	world_expect(world, "evt.rawarg.mode", "755");
	world_expect(world, "evt.rawarg.name", "../a");
	world_expect(world, "evt.rawarg.ino", "<NA>");
	world_expect_json(world, "evt.rawarg.ino", "{\"evt.rawarg.ino\":null}");
	world_expect_none(world, "evt.rawarg.data");

	/* accept4's flags are a signed number where others have flags: the filter sees a number. */
	assert_int_equal(field_ref_init(&ref, "evt.rawarg.flags", 16, NULL), 0);
	assert_int_equal(ref.type, PT_FLAGS32);
	assert_int_equal(field_get(&ref, &world->event, scratch, &value), 1);
	assert_true(value.u64 == 0x1001);
	world_begin(world, EVENT_accept4, 100);
	frame_put_i64(&world->frame, accept4__flags, 0x40);
	world_end(world);
	assert_int_equal(field_get(&ref, &world->event, scratch, &value), 1);
	assert_int_equal(value.i64, 0x40);
	field_ref_finish(&ref);
	free(scratch);
}

static void test_buffer(void **state)
{
	struct drive *world = *state;

	world_read(world, 4);
	world_expect(world, "evt.buffer", "ab..");
	world_expect_json(world, "evt.buffer", "{\"evt.buffer\":\"ab\\u0000\xef\xbf\xbd\"}");
	world_read(world, 0);
	world_expect(world, "evt.buffer", "");
	world_openat(world, 3, "/x", 1);
	world_expect_none(world, "evt.buffer");
}

static void test_filter_only_fields(void **state)
{
	struct drive *world = *state;
	struct field_scratch *scratch = calloc(1, sizeof(*scratch));
	struct field_value value;
	struct field_ref ref;

	world_read(world, 4);
	assert_int_equal(field_ref_init(&ref, "evt.around[1795260961123456780]", 31, NULL), 0);
	assert_int_equal(field_get(&ref, &world->event, scratch, &value), 1);
	assert_int_equal(value.u64, 9);
	assert_int_equal(field_ref_init(&ref, "evt.around[1795260961123456799]", 31, NULL), 0);
	field_get(&ref, &world->event, scratch, &value);
	assert_int_equal(value.u64, 10);
	world->event.clock_step_ns = 4;
	field_get(&ref, &world->event, scratch, &value);
	assert_int_equal(value.u64, 6);
	assert_int_equal(field_ref_init(&ref, "util.cnt", 8, NULL), 0);
	for (uint64_t i = 1; i <= 3; i++) {
		field_get(&ref, &world->event, scratch, &value);
		assert_int_equal(value.u64, i);
	}
	free(scratch);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, world_setup, world_teardown)

static const struct CMUnitTest tests[] = {
	TEST(test_event_itself),     TEST(test_generic_event_bears_its_call),
	TEST(test_extension_events), TEST(test_tracepoint_has_no_call),
	TEST(test_results),	     TEST(test_category),
	TEST(test_arguments),	     TEST(test_raw_arguments),
	TEST(test_buffer),	     TEST(test_filter_only_fields),
};

UNIT_GROUP(tests);
