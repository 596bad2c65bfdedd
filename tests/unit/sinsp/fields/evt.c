/* SPDX-License-Identifier: MIT */
/* The evt.* (but for times), syscall.*, fs.path.* and util.* fields: values, and events without. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sinsp/fields/field.h"
#include "world.h"

static struct drive *world_of(void **state)
{
	return *state;
}

static void begin_openat(struct drive *world, int64_t result, const char *name, uint32_t flags)
{
	world_begin(world, EVENT_openat, 100);
	frame_put_i64(&world->frame, openat__fd, result);
	frame_put_i64(&world->frame, openat__dirfd, -100);
	frame_put_string(&world->frame, openat__name, name);
	frame_put_i64(&world->frame, openat__flags, flags);
	frame_put_i64(&world->frame, openat__mode, 0755);
	world_end(world);
}

static void make_read(struct drive *world, int64_t result)
{
	world_begin(world, EVENT_read, 100);
	frame_put_i64(&world->frame, read__res, result);
	frame_put_bytes(&world->frame, read__data, "ab\0\xff", result > 0 ? 4 : 0);
	frame_put_i64(&world->frame, read__fd, 3);
	frame_put_i64(&world->frame, read__size, 4096);
	world_end(world);
}

static void make_write(struct drive *world)
{
	world_begin(world, EVENT_write, 100);
	frame_put_i64(&world->frame, write__res, 5);
	frame_put_bytes(&world->frame, write__data, "hello", 5);
	frame_put_i64(&world->frame, write__fd, 3);
	world_end(world);
}

static void make_generic(struct drive *world, int64_t code, int64_t native)
{
	world_begin(world, EVENT_syscall, 100);
	frame_put_i64(&world->frame, syscall__ID, code);
	frame_put_i64(&world->frame, syscall__nativeID, native);
	world_end(world);
}

static void make_exit(struct drive *world)
{
	world_begin(world, EVENT_procexit, 100);
	frame_put_i64(&world->frame, procexit__status, 9);
	frame_put_i64(&world->frame, procexit__sig, 9);
	world_end(world);
}

static void test_event_itself(void **state)
{
	struct drive *world = world_of(state);

	world->event.num = 41;
	begin_openat(world, 3, "/etc/hostname", 1);
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
	struct drive *world = world_of(state);

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
static void test_events_of_our_own(void **state)
{
	struct drive *world = world_of(state);
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
	struct drive *world = world_of(state);

	make_exit(world);
	world_expect(world, "evt.type", "procexit");
	world_expect_none(world, "syscall.type");
	world_expect_none(world, "evt.res");
	world_expect_none(world, "evt.count.exit");
	world_expect(world, "evt.dir", ">");
}

static void test_results(void **state)
{
	struct drive *world = world_of(state);

	make_read(world, 4);
	world_expect(world, "evt.res", "SUCCESS");
	world_expect(world, "evt.rawres", "4");
	world_expect(world, "evt.failed", "false");
	world_expect(world, "evt.count.error", "0");
	make_read(world, -EBADF);
	world_expect(world, "evt.res", "EBADF");
	world_expect(world, "evt.rawres", "-9");
	world_expect(world, "evt.failed", "true");
	world_expect(world, "evt.count.error", "1");
	make_read(world, -9999);
	world_expect(world, "evt.res", "-9999");
	world_begin(world, EVENT_read, 100);
	world_end(world);
	world_expect_none(world, "evt.res");
	world_expect_none(world, "evt.count.error");
}

static void test_category(void **state)
{
	struct drive *world = world_of(state);
	struct sinsp_fd *fd = world_fd(world->event.thread, 3, SCAP_FD_PIPE, "");

	begin_openat(world, 3, "/x", 1);
	world_expect(world, "evt.category", "file");
	make_read(world, 4);
	world_expect(world, "evt.category", "unknown");
	world_set_fd(world, 3, fd);
	world_expect(world, "evt.category", "ipc");
	fd->type = SCAP_FD_IPV6;
	world_expect(world, "evt.category", "net");
	fd->type = SCAP_FD_TIMER;
	world_expect(world, "evt.category", "unknown");
	make_exit(world);
	world_expect(world, "evt.category", "process");
}

static void test_arguments(void **state)
{
	struct drive *world = world_of(state);

	begin_openat(world, -ENOENT, "../a", 0x1001);
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
	struct drive *world = world_of(state);
	struct field_scratch *scratch = calloc(1, sizeof(*scratch));
	struct field_value value;
	struct field_ref ref;

	begin_openat(world, -ENOENT, "../a", 0x1001);
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
	struct drive *world = world_of(state);

	make_read(world, 4);
	world_expect(world, "evt.buffer", "ab..");
	world_expect_json(world, "evt.buffer", "{\"evt.buffer\":\"ab\\u0000\xef\xbf\xbd\"}");
	make_read(world, 0);
	world_expect(world, "evt.buffer", "");
	begin_openat(world, 3, "/x", 1);
	world_expect_none(world, "evt.buffer");
}

static void test_input_and_output(void **state)
{
	struct drive *world = world_of(state);

	make_read(world, 4);
	world_expect(world, "evt.is_io", "true");
	world_expect(world, "evt.is_io_read", "true");
	world_expect(world, "evt.is_io_write", "false");
	world_expect(world, "evt.io_dir", "read");
	world_expect(world, "evt.is_wait", "false");
	make_write(world);
	world_expect(world, "evt.is_io_write", "true");
	world_expect(world, "evt.io_dir", "write");
	begin_openat(world, 3, "/x", 1);
	world_expect(world, "evt.is_io", "false");
	world_expect_none(world, "evt.io_dir");
}

static void test_buffer_lengths(void **state)
{
	struct drive *world = world_of(state);
	struct sinsp_fd *fd = world_fd(world->event.thread, 3, SCAP_FD_FILE, "/x");

	make_read(world, 4);
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
	make_read(world, -EIO);
	world_set_fd(world, 3, fd);
	world_expect_none(world, "evt.buflen");
	world_expect_none(world, "evt.buflen.net.in");
}

static void test_errors_by_sort(void **state)
{
	struct drive *world = world_of(state);
	struct sinsp_fd *fd = world_fd(world->event.thread, 3, SCAP_FD_UNIX, "");

	begin_openat(world, -ENOENT, "/x", 1);
	world_expect(world, "evt.count.error.file", "1");
	world_expect_none(world, "evt.count.error.net");
	world_expect_none(world, "evt.count.error.memory");
	world_expect_none(world, "evt.count.error.other");
	make_read(world, 4);
	world_set_fd(world, 3, fd);
	world_expect(world, "evt.count.error.net", "0");
	world_expect_none(world, "evt.count.error.file");
	make_read(world, -EBADF);
	world_expect(world, "evt.count.error.other", "1");
	make_exit(world);
	world_expect_none(world, "evt.count.error.other");
}

static void test_syslog(void **state)
{
	struct drive *world = world_of(state);
	struct sinsp_fd *fd = world_fd(world->event.thread, 3, SCAP_FD_UNIX, "0->0 /dev/log");

	make_write(world);
	world_expect(world, "evt.is_syslog", "false");
	world_set_fd(world, 3, fd);
	world_expect(world, "evt.is_syslog", "true");
	make_read(world, 4);
	world_set_fd(world, 3, fd);
	world_expect(world, "evt.is_syslog", "false");
}

static void test_opens(void **state)
{
	struct drive *world = world_of(state);

	begin_openat(world, 3, "/x", 0x3 | 0x4 | 0x4000);
	world_expect(world, "evt.is_open_read", "true");
	world_expect(world, "evt.is_open_write", "true");
	world_expect(world, "evt.is_open_create", "true");
	world_expect(world, "evt.is_open_exec", "true");
	begin_openat(world, -EACCES, "/x", 0x2 | 0x2000);
	world_expect(world, "evt.is_open_read", "false");
	world_expect(world, "evt.is_open_write", "true");
	world_expect(world, "evt.is_open_create", "false");
	begin_openat(world, 3, "/x", 0x1);
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
	make_read(world, 4);
	world_expect(world, "evt.is_open_read", "false");
	world_expect(world, "evt.is_open_exec", "false");
}

static void test_filter_only_fields(void **state)
{
	struct drive *world = world_of(state);
	struct field_scratch *scratch = calloc(1, sizeof(*scratch));
	struct field_value value;
	struct field_ref ref;

	make_read(world, 4);
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

static void test_paths(void **state)
{
	struct drive *world = world_of(state);

	begin_openat(world, 3, "a//b/../c", 1);
	world_expect(world, "fs.path.name", "/home/user/a/c");
	world_expect(world, "fs.path.nameraw", "a//b/../c");
	world_expect(world, "evt.abspath", "/home/user/a/c");
	world_expect_none(world, "evt.abspath.src");
	world_expect_none(world, "evt.abspath.dst");
	world_expect_none(world, "fs.path.source");
	world_expect_none(world, "fs.path.targetraw");
	begin_openat(world, -ENOENT, "a", 1);
	world_expect_none(world, "fs.path.name");
	world_expect_none(world, "fs.path.nameraw");
	world_expect(world, "evt.abspath", "/home/user/a");
	make_read(world, 4);
	world_expect_none(world, "fs.path.name");
	world_expect_none(world, "evt.abspath");
}

/* A link's source is what it is made at; a call on a descriptor names what that is. */
static void test_links_and_descriptors(void **state)
{
	struct drive *world = world_of(state);

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
	struct drive *world = world_of(state);

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

static int setup(void **state)
{
	struct drive *world = calloc(1, sizeof(*world));
	struct world_process process = {.pid = 100, .ptid = 1, .comm = "cat", .cwd = "/home/user"};

	drive_create(world, NULL);
	world->event.thread = world_process(world, &process);
	*state = world;
	return 0;
}

static int teardown(void **state)
{
	drive_destroy(*state);
	free(*state);
	return 0;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_event_itself),
		TEST(test_generic_event_bears_its_call),
		TEST(test_events_of_our_own),
		TEST(test_tracepoint_has_no_call),
		TEST(test_results),
		TEST(test_category),
		TEST(test_arguments),
		TEST(test_raw_arguments),
		TEST(test_buffer),
		TEST(test_input_and_output),
		TEST(test_buffer_lengths),
		TEST(test_errors_by_sort),
		TEST(test_syslog),
		TEST(test_opens),
		TEST(test_filter_only_fields),
		TEST(test_paths),
		TEST(test_renames),
		TEST(test_links_and_descriptors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
