/* SPDX-License-Identifier: MIT */
/* Lines of JSON: which fields, what is left out, texts that are not UTF-8. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "contained.h"
#include "sinsp/fields/field.h"
#include "sinsp/format/formatter.h"
#include "unit.h"
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

static void test_default_line(void **state)
{
	struct drive *world = *state;
	struct formatter *formatter;
	struct buf out = {0};

	assert_int_equal(formatter_create(&format_json, NULL, 0, &formatter, NULL), 0);
	world_openat(world, 3, "x", 0x1001);
	world_set_fd(world, 3, world_fd(world->event.thread, 3, SCAP_FD_FILE, "/home/user/x"));
	formatter_write(formatter, &world->event, &out);
	buf_append_char(&out, '\0');
	assert_string_equal(
		out.data,
		"{\"evt.num\":1,\"evt.time\":\"2026-11-21T11:36:01.123456789Z\",\"evt.type\":"
		"\"openat\","
		"\"evt.cpu\":3,\"evt.res\":\"SUCCESS\",\"evt.args\":{\"fd\":3,\"dirfd\":-100,"
		"\"name\":\"x\",\"flags\":[\"O_RDONLY\",\"O_CLOEXEC\"],\"mode\":\"0755\",\"dev\":"
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

/* An event of a thread of which nothing but the id is known. */
static void make_unknown(struct drive *world, struct state_thread *unknown)
{
	world_openat(world, 3, "x", 0x1001);
	*unknown = *world->event.thread;
	unknown->pid = unknown->ptid = unknown->sid = -1;
	world->event.thread = unknown;
	world->event.ev.tid = 7;
}

static void print(struct drive *world, const struct output_format *format, const char *fields,
		  struct buf *out)
{
	struct formatter *formatter;

	buf_clear(out);
	assert_int_equal(formatter_create_fields(format, fields, &formatter, NULL), 0);
	formatter_write(formatter, &world->event, out);
	buf_append_char(out, '\0');
	formatter_destroy(formatter);
}

/* Of a process of which nothing is known programs get nothing; text has what Falco's has. */
static void test_unknown_process(void **state)
{
	struct drive *world = *state;
	struct state_thread unknown;
	struct buf out = {0};

	world_openat(world, 3, "x", 0x1001);
	print(world, &format_json, "all", &out);
	assert_non_null(strstr(out.data, "\"proc."));
	make_unknown(world, &unknown);
	print(world, &format_json, "all", &out);
	assert_non_null(strstr(out.data, "\"thread.tid\":7"));
	assert_null(strstr(out.data, "\"proc."));
	print(world, &format_json, "proc.args[0],proc.aname[1],proc.env[PATH],thread.tid", &out);
	assert_string_equal(out.data, "{\"thread.tid\":7}\n");
	print(world, &format_text, "proc.sid,proc.ppid", &out);
	assert_string_equal(out.data, "-1 -1\n");
	buf_finish(&out);
}

/* The parent of a process that is known, and its executable, may be unknown. */
static void test_unknown_parts(void **state)
{
	struct drive *world = *state;
	struct state_program program;
	struct state_thread thread;
	struct buf out = {0};

	world_openat(world, 3, "x", 0x1001);
	thread = *world->event.thread;
	thread.ptid = -1;
	program = *thread.program;
	program.exepath = (char[]){""};
	thread.program = &program;
	world->event.thread = &thread;
	print(world, &format_json, "proc.ppid,proc.exepath,proc.pid", &out);
	assert_string_equal(out.data, "{\"proc.pid\":100}\n");
	buf_finish(&out);
}

static void test_needs(void **state)
{
	static const char *const args[] = {"evt.args", "evt.time", "evt.num"};
	struct formatter *formatter;

	assert_int_equal(formatter_create(&format_json, args, 3, &formatter, NULL), 0);
	assert_int_equal(formatter_needs(formatter),
			 NEEDS_ARGUMENTS | NEEDS_EVENT_ENVIRONMENT);
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
	world_openat(world, 3, "x", 0x1001);
	BUF_LITERAL(&out, "before");
	formatter_write(formatter, &world->event, &out);
	assert_int_equal(out.len, 6);
	assert_true(out.failed);
	formatter_destroy(formatter);
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

	world_openat(world, -ENOENT, "/a\xff", 0x1);
	expect_line(world, "evt.arg.name,evt.num", false,
		    "{\"evt.arg.name\":\"/a" BAD "\",\"evt.num\":1}");
	expect_line(world, "evt.arg.name,evt.num", true,
		    "{\"evt.arg.name\":\"/a" BAD "\",\"evt.arg.name_b64\":\"L2H/\",\"evt.num\":1}");
	expect_line(world, "fd.name", true, "{\"fd.name\":\"/a" BAD "\",\"fd.name_b64\":\"L2H/\"}");
	expect_line(world, "evt.args", true,
		    "{\"evt.args\":{\"fd\":-2,\"dirfd\":-100,\"name\":\"/a" BAD
		    "\",\"name_b64\":\"L2H/"
		    "\",\"flags\":[\"O_RDONLY\"],\"mode\":\"0755\",\"dev\":null,\"ino\":null}}");
	world_openat(world, -ENOENT, "/a\xc3\xa9", 0x1);
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

	world_openat(world, 3, "x", 0x1);
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

static void expect_end(struct drive *world, const char *fields, const char *end)
{
	struct formatter *formatter;
	struct buf out = {0};

	assert_int_equal(formatter_create_fields(&format_json, fields, &formatter, NULL), 0);
	assert_true(formatter_append(formatter, &world->event, &out));
	buf_append_char(&out, '\0');
	assert_true(out.len > strlen(end));
	assert_string_equal(out.data + out.len - 1 - strlen(end), end);
	/* The end has all that there is about containers. */
	out.data[out.len - 1 - strlen(end)] = '\0';
	assert_null(strstr(out.data, "container."));
	assert_null(strstr(out.data, "k8s."));
	buf_finish(&out);
	formatter_destroy(formatter);
}

/* Of events of containers the default has more; of the host only what was asked for. */
static void test_containers(void **state)
{
	struct drive *world = *state;
	struct state_containers *containers = &world->state->containers;

	expect_end(world, "default",
		   ",\"container.id\":\"0123456789ab\",\"container.name\":\"web\","
		   "\"container.image\":\"docker.io/library/nginx:1.25\",\"k8s.ns.name\":\"shop\","
		   "\"k8s.pod.name\":\"web-5c4f\"}");
	state_container_set_info(containers, world_self(world)->cgroups->container,
				 STATE_META_PENDING, NULL);
	expect_end(world, "default", ",\"container.id\":\"0123456789ab\"}");
	expect_end(world, "default,container.id,proc.cwd",
		   ",\"container.id\":\"0123456789ab\",\"proc.cwd\":\"/home/user/\"}");
	contained_set_group(world, "/user.slice");
	expect_end(world, "default,proc.cwd", ",\"proc.cwd\":\"/home/user/\"}");
	expect_end(world, "default,container.id", ",\"container.id\":\"host\"}");
	/* Nor of a thread that is not known. */
	world_begin(world, EVENT_procexit, 555);
	world_end(world);
	expect_end(world, "default,evt.num", "\"thread.tid\":555}");
}

/* After the first line nothing is allocated. */
static void test_warm_buffer_stays(void **state)
{
	struct drive *world = *state;
	struct formatter *formatter;
	struct buf out = {0};
	size_t capacity;

	assert_int_equal(formatter_create(&format_json, NULL, 0, &formatter, NULL), 0);
	world_openat(world, 3, "x", 0x1001);
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

static const struct CMUnitTest tests[] = {
	TEST(test_default_line),
	TEST(test_missing_values),
	TEST(test_unknown_process),
	TEST(test_unknown_parts),
	TEST(test_needs),
	TEST(test_wrong_fields),
	TEST(test_no_memory),
	TEST(test_bytes_beside_text),
	TEST(test_times),
	TEST(test_warm_buffer_stays),
	cmocka_unit_test_setup_teardown(test_containers, contained_setup, world_teardown),
};

UNIT_GROUP(tests);
