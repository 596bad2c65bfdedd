/* SPDX-License-Identifier: MIT */
/* Lines of JSON, and parameters as JSON values: every type, present and absent. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sinsp/fields/field.h"
#include "sinsp/format/format.h"
#include "world.h"

static const char cat_args[] = "-n\0/etc/host\"name\0";

static int setup(void **state)
{
	static const struct world_process cat = {
		.pid = 100,
		.ptid = 80,
		.comm = "cat",
		.exe = "cat",
		.exepath = "/usr/bin/cat",
		.args = cat_args,
		.args_len = sizeof(cat_args) - 1,
		.cwd = "/home/user",
	};

	/* JSON shows UTC whatever the zone. */
	setenv("TZ", "XYZ-2", 1);
	return world_setup_process(state, &cat, NULL);
}

static void put_openat(struct drive *world, int64_t result, const char *name, uint32_t flags)
{
	world_begin(world, EVENT_openat, 100);
	frame_put_i64(&world->frame, openat__fd, result);
	frame_put_i64(&world->frame, openat__dirfd, -100);
	frame_put_string(&world->frame, openat__name, name);
	frame_put_i64(&world->frame, openat__flags, flags);
	frame_put_i64(&world->frame, openat__mode, 0);
	frame_put_i64(&world->frame, openat__dev, 0xfd01);
	frame_put_i64(&world->frame, openat__ino, 1 << 20);
	world_end(world);
}

static void test_default_line(void **state)
{
	struct drive *world = *state;
	struct formatter *formatter;
	struct buf out = {0};

	assert_int_equal(formatter_create(&format_json, NULL, 0, &formatter, NULL), 0);
	put_openat(world, 3, "x", 0x1001);
	world_set_fd(world, 3, world_fd(world->event.thread, 3, SCAP_FD_FILE, "/home/user/x"));
	formatter_write(formatter, &world->event, &out);
	buf_append_char(&out, '\0');
	assert_string_equal(
		out.data,
		"{\"evt.num\":1,\"evt.time\":\"2026-11-21T11:36:01.123456789Z\",\"evt.type\":"
		"\"openat\","
		"\"evt.cpu\":3,\"evt.res\":\"SUCCESS\",\"evt.args\":{\"fd\":3,\"dirfd\":-100,"
		"\"name\":\"x\",\"flags\":[\"O_RDONLY\",\"O_CLOEXEC\"],\"mode\":\"0\",\"dev\":"
		"\"0xfd01\","
		"\"ino\":1048576},\"proc.name\":\"cat\",\"proc.pid\":100,\"proc.ppid\":80,"
		"\"proc.exepath\":\"/usr/bin/cat\",\"proc.cmdline\":\"cat -n /etc/host\\\"name\","
		"\"thread.tid\":100,\"user.uid\":0,\"fd.num\":3,\"fd.name\":\"/home/user/x\"}\n");
	buf_finish(&out);
	formatter_destroy(formatter);
}

/* What has no value is left out, also at the beginning; lines are appended. */
static void test_missing_values(void **state)
{
	static const char *const fields[] = {"fd.name", "evt.res", "proc.name", "evt.num",
					     "fd.num"};
	struct drive *world = *state;
	struct formatter *formatter;
	struct buf out = {0};

	assert_int_equal(formatter_create(&format_json, fields, 5, &formatter, NULL), 0);
	world_begin(world, EVENT_procexit, 555);
	world_end(world);
	formatter_write(formatter, &world->event, &out);
	world_begin(world, EVENT_mkdir, 100);
	world_end(world);
	formatter_write(formatter, &world->event, &out);
	buf_append_char(&out, '\0');
	assert_string_equal(out.data, "{\"evt.num\":1}\n{\"proc.name\":\"cat\",\"evt.num\":2}\n");
	buf_finish(&out);
	formatter_destroy(formatter);
	world_expect_json(world, "fd.name", "{}");
}

static void test_needs(void **state)
{
	static const char *const args[] = {"evt.args", "evt.time", "evt.num"};
	struct formatter *formatter;

	assert_int_equal(formatter_create(&format_json, args, 3, &formatter, NULL), 0);
	assert_int_equal(formatter_needs(formatter), NEEDS_NOTHING);
	formatter_destroy(formatter);
	assert_int_equal(formatter_create(&format_json, NULL, 0, &formatter, NULL), 0);
	assert_true(formatter_needs(formatter) & NEEDS_THREADS);
	formatter_destroy(formatter);
}

static void test_wrong_fields(void **state)
{
	static const char *const fields[] = {"evt.num", "(evt.num)"};
	struct formatter *formatter = NULL;
	struct error err = {""};

	assert_int_equal(formatter_create(&format_json, fields, 2, &formatter, &err), -EINVAL);
	assert_non_null(strstr(err.text, "(evt.num)"));
	assert_null(formatter);
}

/* A line is written whole or not at all. */
static void test_no_memory(void **state)
{
	struct drive *world = *state;
	struct formatter *formatter;
	char memory[64];
	struct buf out = buf_fixed(memory, sizeof(memory));

	assert_int_equal(formatter_create(&format_json, NULL, 0, &formatter, NULL), 0);
	put_openat(world, 3, "x", 0x1001);
	BUF_LITERAL(&out, "before");
	formatter_write(formatter, &world->event, &out);
	assert_int_equal(out.len, 6);
	assert_true(out.failed);
	formatter_destroy(formatter);
}

static void expect_flags(struct drive *world, uint32_t flags, const char *json)
{
	put_openat(world, 3, "x", flags);
	world_expect_json(world, "evt.arg.flags", json);
}

static void test_open_flags_as_the_kernel_knows_them(void **state)
{
	struct drive *world = *state;

	expect_flags(world, 0x1, "{\"evt.arg.flags\":[\"O_RDONLY\"]}");
	expect_flags(world, 0x3 | 0x4 | 0x4000,
		     "{\"evt.arg.flags\":[\"O_CREAT\",\"O_RDWR\",\"O_F_CREATED\"]}");
	/* O_DIRECTORY sets O_TMPFILE's bit; only with write access is it that. */
	expect_flags(world, 0x1 | 0x400 | 0x2000,
		     "{\"evt.arg.flags\":[\"O_DIRECTORY\",\"O_RDONLY\"]}");
	expect_flags(world, 0x2 | 0x400 | 0x2000,
		     "{\"evt.arg.flags\":[\"O_WRONLY\",\"O_TMPFILE\"]}");
	expect_flags(world, 0x2 | 0x10 | 0x80, "{\"evt.arg.flags\":[\"O_DSYNC\",\"O_WRONLY\"]}");
	expect_flags(world, 0x2 | 0x80, "{\"evt.arg.flags\":[\"O_SYNC\",\"O_WRONLY\"]}");
	expect_flags(world, 0x40000001, "{\"evt.arg.flags\":[\"O_RDONLY\",\"0x40000000\"]}");
	expect_flags(world, 0x80000000, "{\"evt.arg.flags\":[\"0x80000000\"]}");
	expect_flags(world, 0, "{\"evt.arg.flags\":[]}");
}

static void test_flags_and_enumerations(void **state)
{
	struct drive *world = *state;

	world_begin(world, EVENT_socket, 100);
	frame_put_i64(&world->frame, socket__domain, 1);
	frame_put_i64(&world->frame, socket__type, 0x80801);
	frame_put_i64(&world->frame, socket__flags, 0);
	world_end(world);
	world_expect_json(world, "evt.args",
			  "{\"evt.args\":{\"fd\":null,\"domain\":\"AF_UNIX\",\"type\":526337,"
			  "\"proto\":null,\"flags\":[]}}");
	world_begin(world, EVENT_fcntl, 100);
	frame_put_i64(&world->frame, fcntl__cmd, 200);
	frame_put_i64(&world->frame, fcntl__arg, 0xabc);
	world_end(world);
	world_expect_json(world, "evt.args",
			  "{\"evt.args\":{\"res\":null,\"fd\":null,\"cmd\":200,"
			  "\"arg\":\"0xabc\"}}");
	world_begin(world, EVENT_clone, 100);
	frame_put_i64(&world->frame, clone__flags, 25165824);
	world_end(world);
	world_expect_json(world, "evt.arg.flags",
			  "{\"evt.arg.flags\":[\"CLONE_CHILD_CLEARTID\",\"CLONE_CHILD_SETTID\"]}");
}

static void expect_own_flags(struct drive *world, uint16_t event, unsigned int param,
			     uint32_t flags, const char *field, const char *json)
{
	world_begin(world, event, 100);
	frame_put_i64(&world->frame, param, flags);
	world_end(world);
	world_expect_json(world, field, json);
}

/* What the .scap world calls otherwise. */
static void test_flags_by_the_names_of_the_kernel(void **state)
{
	struct drive *world = *state;

	expect_own_flags(world, EVENT_userfaultfd, userfaultfd__flags, 02000001, "evt.arg.flags",
			 "{\"evt.arg.flags\":[\"UFFD_USER_MODE_ONLY\",\"O_CLOEXEC\"]}");
	expect_own_flags(world, EVENT_userfaultfd, userfaultfd__flags, 04010, "evt.arg.flags",
			 "{\"evt.arg.flags\":[\"O_NONBLOCK\",\"0x8\"]}");
	expect_own_flags(world, EVENT_fchownat, fchownat__flags, 0x1400, "evt.arg.flags",
			 "{\"evt.arg.flags\":[\"AT_SYMLINK_FOLLOW\",\"AT_EMPTY_PATH\"]}");
	expect_own_flags(world, EVENT_quotactl, quotactl__dqi_flags, 1, "evt.arg.dqi_flags",
			 "{\"evt.arg.dqi_flags\":[\"DQF_ROOT_SQUASH\"]}");
	expect_own_flags(world, EVENT_mknod, mknod__mode, 0060640, "evt.arg.mode",
			 "{\"evt.arg.mode\":\"060640\"}");
}

static void test_numbers(void **state)
{
	struct drive *world = *state;

	world_begin(world, EVENT_pwrite, 100);
	frame_put_i64(&world->frame, pwrite__res, -EBADF);
	frame_put_i64(&world->frame, pwrite__size, UINT32_MAX);
	frame_put_i64(&world->frame, pwrite__pos, INT64_C(1) << 53);
	world_end(world);
	world_expect_json(world, "evt.args",
			  "{\"evt.args\":{\"res\":-9,\"data\":null,\"fd\":null,\"size\":4294967295,"
			  "\"pos\":9007199254740992}}");
	world_begin(world, EVENT_pwrite, 100);
	frame_put_i64(&world->frame, pwrite__pos, -1);
	world_end(world);
	world_expect_json(world, "evt.arg.pos", "{\"evt.arg.pos\":\"0xffffffffffffffff\"}");
	world_expect_json(world, "evt.rawarg.pos", "{\"evt.rawarg.pos\":\"0xffffffffffffffff\"}");
	world_expect_json(world, "evt.arg.data", "{\"evt.arg.data\":null}");
	world_begin(world, EVENT_accept4, 100);
	frame_put_i64(&world->frame, accept4__flags, -1);
	world_end(world);
	world_expect_json(world, "evt.arg.flags", "{\"evt.arg.flags\":\"0xffffffff\"}");
	world_begin(world, EVENT_creat, 100);
	frame_put_i64(&world->frame, creat__mode, 0644);
	world_end(world);
	world_expect_json(world, "evt.arg[2]", "{\"evt.arg[2]\":\"0644\"}");
	world_begin(world, EVENT_mmap, 100);
	frame_put_i64(&world->frame, mmap__res, -EINVAL);
	frame_put_i64(&world->frame, mmap__addr, 4096);
	world_end(world);
	world_expect_json(world, "evt.arg.res", "{\"evt.arg.res\":-22}");
	world_expect_json(world, "evt.arg.addr", "{\"evt.arg.addr\":\"0x1000\"}");
}

static void test_data(void **state)
{
	struct drive *world = *state;

	world_begin(world, EVENT_write, 100);
	frame_put_bytes(&world->frame, write__data, "a\n\0\"caf\xc3\xa9 \xff\xc3", 12);
	world_end(world);
	world_expect_json(
		world, "evt.arg.data",
		"{\"evt.arg.data\":\"a\\n\\u0000\\\"caf\xc3\xa9 \xef\xbf\xbd\xef\xbf\xbd\"}");
}

static void test_names_from_users(void **state)
{
	struct drive *world = *state;

	put_openat(world, -ENOENT, "a\"\\\n\x1b[31m\xff", 0x1);
	world_expect_json(world, "evt.arg.name",
			  "{\"evt.arg.name\":\"a\\\"\\\\\\n\\u001b[31m\xef\xbf\xbd\"}");
	put_openat(world, -ENOENT, "", 0x1);
	world_expect_json(world, "evt.arg.name", "{\"evt.arg.name\":\"\"}");
	put_openat(world, -EFAULT, NULL, 0x1);
	world_expect_json(world, "evt.arg.name", "{\"evt.arg.name\":null}");
}

static void expect_line(struct drive *world, const char *fields, bool base64, const char *json)
{
	struct formatter *formatter;
	struct filter_error err = {0};
	struct buf out = {0};

	if (formatter_create_fields(&format_json, fields, &formatter, &err))
		fail_msg("%s: %s", fields, err.text);
	if (base64)
		formatter_add_base64(formatter);
	assert_true(formatter_append(formatter, &world->event, &out));
	buf_append_char(&out, '\0');
	assert_string_equal(out.data, json);
	buf_finish(&out);
	formatter_destroy(formatter);
}

#define BAD "\xef\xbf\xbd" /* U+FFFD */

/* Text that had to be changed has its bytes beside it; on request, and no other one. */
static void test_bytes_beside_text(void **state)
{
	struct drive *world = *state;

	put_openat(world, -ENOENT, "/a\xff", 0x1);
	expect_line(world, "evt.arg.name,evt.num", false,
		    "{\"evt.arg.name\":\"/a" BAD "\",\"evt.num\":1}");
	expect_line(world, "evt.arg.name,evt.num", true,
		    "{\"evt.arg.name\":\"/a" BAD "\",\"evt.arg.name_b64\":\"L2H/\",\"evt.num\":1}");
	expect_line(world, "fd.name", true, "{\"fd.name\":\"/a" BAD "\",\"fd.name_b64\":\"L2H/\"}");
	expect_line(world, "evt.args", true,
		    "{\"evt.args\":{\"fd\":-2,\"dirfd\":-100,\"name\":\"/a" BAD
		    "\",\"name_b64\":\"L2H/\",\"flags\":[\"O_RDONLY\"],\"mode\":\"0\",\"dev\":"
		    "\"0xfd01\",\"ino\":1048576}}");
	put_openat(world, -ENOENT, "/a\xc3\xa9", 0x1);
	expect_line(world, "evt.arg.name", true, "{\"evt.arg.name\":\"/a\xc3\xa9\"}");
	world_begin(world, EVENT_execve, 100);
	frame_put_bytes(&world->frame, execve__args, "-6\0\0\xff\0", 6);
	world_end(world);
	expect_line(world, "evt.arg.args", true,
		    "{\"evt.arg.args\":[\"-6\",\"\",\"" BAD "\"],\"evt.arg.args_b64\":[\"LTY=\","
		    "\"\",\"/w==\"]}");
	world_begin(world, EVENT_getsockopt, 100);
	frame_put_bytes(&world->frame, getsockopt__val, "\0\xfe", 2);
	world_end(world);
	expect_line(world, "evt.arg.val", true,
		    "{\"evt.arg.val\":\"" BAD "\",\"evt.arg.val_b64\":\"/g==\"}");
	world_begin(world, EVENT_bind, 100);
	frame_put_unix(&world->frame, bind__addr, "/\xfe");
	world_end(world);
	expect_line(world, "evt.arg.addr", true,
		    "{\"evt.arg.addr\":\"/" BAD "\",\"evt.arg.addr_b64\":\"L/4=\"}");
}

/* Times since 1970 are strings, whatever the value; others are numbers. */
static void test_times(void **state)
{
	struct drive *world = *state;

	put_openat(world, 3, "x", 0x1);
	expect_line(world, "evt.rawtime,evt.rawtime.s,evt.rawtime.ns,evt.reltime", false,
		    "{\"evt.rawtime\":\"1795260961123456789\",\"evt.rawtime.s\":1795260961,"
		    "\"evt.rawtime.ns\":123456789,\"evt.reltime\":5000000007}");
	for (const struct field_desc *const *table = field_tables; *table; table++) {
		for (const struct field_desc *desc = *table; desc->name; desc++) {
			if (desc->moment != (strstr(desc->help, "ns since 1970") != NULL))
				fail_msg("%s: %s", desc->name, desc->help);
		}
	}
}

static void test_exec(void **state)
{
	struct drive *world = *state;

	world_begin(world, EVENT_execve, 100);
	frame_put_i64(&world->frame, execve__res, 0);
	frame_put_bytes(&world->frame, execve__args, "-6\0\0x y\0", 8);
	frame_put_bytes(&world->frame, execve__env, "A=1\0B", 5);
	frame_put_string(&world->frame, execve__comm, "cat");
	frame_put_i64(&world->frame, execve__uid, 1000);
	frame_put_i64(&world->frame, execve__loginuid, -1);
	frame_put_i64(&world->frame, execve__cap_permitted, 0x1fffeffffff);
	frame_put_i64(&world->frame, execve__exe_ino_ctime, (int64_t)WORLD_TIME_NS);
	frame_put_i64(&world->frame, execve__flags, 0x1);
	world_end(world);
	world_expect_json(world, "evt.arg.args", "{\"evt.arg.args\":[\"-6\",\"\",\"x y\"]}");
	world_expect_json(world, "evt.arg.env", "{\"evt.arg.env\":[\"A=1\",\"B\"]}");
	world_expect_json(world, "evt.arg.cgroups", "{\"evt.arg.cgroups\":null}");
	world_expect_json(world, "evt.arg.uid", "{\"evt.arg.uid\":1000}");
	world_expect_json(world, "evt.arg.loginuid", "{\"evt.arg.loginuid\":4294967295}");
	world_expect_json(world, "evt.arg.cap_permitted",
			  "{\"evt.arg.cap_permitted\":\"0x1fffeffffff\"}");
	world_expect_json(world, "evt.arg.exe_ino_ctime",
			  "{\"evt.arg.exe_ino_ctime\":\"2026-11-21T11:36:01.123456789Z\"}");
	world_expect_json(world, "evt.arg.flags", "{\"evt.arg.flags\":[\"EXE_WRITABLE\"]}");
}

static void test_lists_and_sets(void **state)
{
	struct drive *world = *state;
	const uint32_t groups[] = {0, 27, UINT32_MAX};
	const uint64_t cpus[] = {0xf, 1}, mounts[] = {0x100000025, UINT64_MAX};

	world_begin(world, EVENT_setgroups, 100);
	frame_put_bytes(&world->frame, setgroups__list, groups, sizeof(groups));
	world_end(world);
	world_expect_json(world, "evt.arg.list", "{\"evt.arg.list\":[0,27,4294967295]}");
	world_begin(world, EVENT_sched_setaffinity, 100);
	frame_put_bytes(&world->frame, sched_setaffinity__mask, cpus, sizeof(cpus));
	world_end(world);
	world_expect_json(world, "evt.arg.mask", "{\"evt.arg.mask\":\"0-3,64\"}");
	world_begin(world, EVENT_listmount, 100);
	frame_put_bytes(&world->frame, listmount__mnt_ids, mounts, sizeof(mounts));
	world_end(world);
	world_expect_json(world, "evt.arg.mnt_ids",
			  "{\"evt.arg.mnt_ids\":[4294967333,\"0xffffffffffffffff\"]}");
	world_begin(world, EVENT_fanotify_mark, 100);
	frame_put_i64(&world->frame, fanotify_mark__mask,
		      fanotify_events__FAN_OPEN | fanotify_events__FAN_ONDIR | INT64_C(1) << 40);
	world_end(world);
	world_expect_json(world, "evt.arg.mask",
			  "{\"evt.arg.mask\":[\"FAN_OPEN\",\"FAN_ONDIR\",\"0x10000000000\"]}");
}

static void test_exit_and_generic(void **state)
{
	struct drive *world = *state;

	world_begin(world, EVENT_procexit, 100);
	frame_put_i64(&world->frame, procexit__status, 9);
	frame_put_i64(&world->frame, procexit__ret, 0);
	frame_put_i64(&world->frame, procexit__sig, 9);
	frame_put_i64(&world->frame, procexit__core, 0);
	frame_put_i64(&world->frame, procexit__reaper_tid, 1);
	world_end(world);
	world_expect_json(world, "evt.args",
			  "{\"evt.args\":{\"status\":9,\"ret\":0,\"sig\":\"SIGKILL\",\"core\":0,"
			  "\"reaper_tid\":1}}");
	world_begin(world, EVENT_procexit, 100);
	frame_put_i64(&world->frame, procexit__sig, 0);
	world_end(world);
	world_expect_json(world, "evt.arg.sig", "{\"evt.arg.sig\":0}");
	world_begin(world, EVENT_syscall, 100);
	frame_put_i64(&world->frame, syscall__ID, SC_getppid);
	frame_put_i64(&world->frame, syscall__nativeID, 110);
	world_end(world);
	world_expect_json(world, "evt.args",
			  "{\"evt.args\":{\"ID\":\"getppid\",\"nativeID\":110}}");
	world_begin(world, EVENT_syscall, 100);
	frame_put_i64(&world->frame, syscall__ID, 60000);
	world_end(world);
	world_expect_json(world, "evt.args", "{\"evt.args\":{\"ID\":60000,\"nativeID\":null}}");
}

static void test_addresses(void **state)
{
	struct drive *world = *state;
	struct frame_tuple tuple = {"10.0.0.1", "10.0.0.2", 1234, 80};

	world_begin(world, EVENT_connect, 100);
	frame_put_tuple(&world->frame, connect__tuple, &tuple);
	frame_put_ip(&world->frame, connect__addr, "::1", 80);
	world_end(world);
	world_expect_json(world, "evt.args",
			  "{\"evt.args\":{\"res\":null,\"tuple\":\"10.0.0.1:1234->10.0.0.2:80\","
			  "\"fd\":null,\"addr\":\"::1:80\"}}");
	world_begin(world, EVENT_bind, 100);
	frame_put_unix(&world->frame, bind__addr, "/run/\"x\"");
	world_end(world);
	world_expect_json(world, "evt.arg.addr", "{\"evt.arg.addr\":\"/run/\\\"x\\\"\"}");
	world_begin(world, EVENT_bind, 100);
	world_end(world);
	world_expect_json(world, "evt.arg.addr", "{\"evt.arg.addr\":null}");
	world_expect_json(world, "evt.args",
			  "{\"evt.args\":{\"res\":null,\"addr\":null,\"fd\":null}}");
}

static void expect_option(struct drive *world, const void *bytes, size_t len, const char *json)
{
	world_begin(world, EVENT_getsockopt, 100);
	frame_put_bytes(&world->frame, getsockopt__val, bytes, len);
	world_end(world);
	world_expect_json(world, "evt.args", json);
}

/* A value of several kinds is written as one of its kind. */
static void test_socket_options(void **state)
{
	struct drive *world = *state;

#define OPTION(value)                                                                              \
	"{\"evt.args\":{\"res\":null,\"fd\":null,\"level\":null,\"optname\":null,\"val\":" value   \
	",\"optlen\":null}}"
	expect_option(world, "\2\xff\xff\xff\xff", 5, OPTION("4294967295"));
	world_expect_json(world, "evt.rawarg.val", "{\"evt.rawarg.val\":4294967295}");
	world_expect_json(world, "evt.arg.val", "{\"evt.arg.val\":4294967295}");
	expect_option(world, "\1\xfe\xff\xff\xff\xff\xff\xff\xff", 9, OPTION("-2"));
	expect_option(world, "\4\x20\x6b\xa2\x3b\0\0\0\0", 9, OPTION("1000500000"));
	expect_option(world, "\0a\0b", 4, OPTION("\"a\\u0000b\""));
	expect_option(world, "\0", 1, OPTION("\"\""));
	expect_option(world, NULL, 0, OPTION("null"));
#undef OPTION
}

static void test_lists_of_descriptors(void **state)
{
	const struct fdlist_entry entries[] = {{3, 0x401}, {-1, 0}};
	struct drive *world = *state;

	world_begin(world, EVENT_poll, 100);
	frame_put_fdlist(&world->frame, poll__fds, entries, 2);
	world_end(world);
	world_expect_json(world, "evt.args",
			  "{\"evt.args\":{\"res\":null,\"fds\":["
			  "{\"fd\":3,\"events\":[\"POLLIN\",\"POLLWRBAND\"]},"
			  "{\"fd\":-1,\"events\":[]}],\"timeout\":null}}");
	world_expect_json(world, "evt.rawarg.fds",
			  "{\"evt.rawarg.fds\":[{\"fd\":3,\"events\":[\"POLLIN\",\"POLLWRBAND\"]},"
			  "{\"fd\":-1,\"events\":[]}]}");
	world_begin(world, EVENT_poll, 100);
	frame_put_fdlist(&world->frame, poll__fds, entries, 0);
	world_end(world);
	world_expect_json(world, "evt.args",
			  "{\"evt.args\":{\"res\":null,\"fds\":[],\"timeout\":null}}");
}

static void test_events_without_parameters(void **state)
{
	struct drive *world = *state;

	world_begin(world, EVENT_getpeername, 100);
	world_end(world);
	world_expect_json(world, "evt.args", "{\"evt.args\":{}}");
}

/* After the first line nothing is allocated. */
static void test_warm_buffer_stays(void **state)
{
	struct drive *world = *state;
	struct formatter *formatter;
	struct buf out = {0};
	size_t capacity;

	assert_int_equal(formatter_create(&format_json, NULL, 0, &formatter, NULL), 0);
	put_openat(world, 3, "x", 0x1001);
	formatter_write(formatter, &world->event, &out);
	capacity = out.capacity;
	for (int i = 0; i < 1000; i++) {
		buf_clear(&out);
		formatter_write(formatter, &world->event, &out);
	}
	assert_int_equal(out.capacity, capacity);
	buf_finish(&out);
	formatter_destroy(formatter);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, world_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_default_line),
		TEST(test_missing_values),
		TEST(test_needs),
		TEST(test_wrong_fields),
		TEST(test_no_memory),
		TEST(test_open_flags_as_the_kernel_knows_them),
		TEST(test_flags_and_enumerations),
		TEST(test_flags_by_the_names_of_the_kernel),
		TEST(test_numbers),
		TEST(test_data),
		TEST(test_names_from_users),
		TEST(test_bytes_beside_text),
		TEST(test_times),
		TEST(test_exec),
		TEST(test_lists_and_sets),
		TEST(test_exit_and_generic),
		TEST(test_addresses),
		TEST(test_socket_options),
		TEST(test_lists_of_descriptors),
		TEST(test_events_without_parameters),
		TEST(test_warm_buffer_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
