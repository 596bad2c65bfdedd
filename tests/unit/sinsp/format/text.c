/* SPDX-License-Identifier: MIT */
/* Lines of text: which fields, control characters, texts that are long. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sinsp/fields/field.h"
#include "sinsp/fields/param_text.h"
#include "sinsp/format/formatter.h"
#include "unit.h"
#include "world.h"

static int setup(void **state)
{
	setenv("TZ", "UTC", 1);
	tzset();
	return world_setup(state);
}

static void test_default_line(void **state)
{
	struct drive *world = *state;
	struct formatter *formatter;
	struct buf out = {0};

	assert_int_equal(formatter_create(&format_text, NULL, 0, &formatter, NULL), 0);
	world_begin(world, EVENT_close, 100);
	frame_put_i64(&world->frame, close__res, -EBADF);
	frame_put_i64(&world->frame, close__fd, 7);
	world_end(world);
	formatter_write(formatter, &world->event, &out);
	world_begin(world, EVENT_close, 555);
	frame_put_i64(&world->frame, close__fd, 7);
	world_end(world);
	formatter_write(formatter, &world->event, &out);
	buf_append_char(&out, '\0');
	assert_string_equal(out.data, "1 11:36:01.123456789 3 cat (100) close res=-9(EBADF) fd=7\n"
				      "2 11:36:01.123456789 3 <NA> (555) close res=<NA> fd=7\n");
	buf_finish(&out);
	formatter_destroy(formatter);
}

/* They end the usual line, and no other. */
static void test_marks(void **state)
{
	static const char *const field = "evt.type";
	struct drive *world = *state;
	struct formatter *usual, *chosen;
	struct buf out = {0};

	assert_int_equal(formatter_create(&format_text, NULL, 0, &usual, NULL), 0);
	assert_int_equal(formatter_create(&format_text, &field, 1, &chosen, NULL), 0);
	world_begin(world, EVENT_rename, 100);
	frame_put_i64(&world->frame, rename__res, 0);
	frame_put_string(&world->frame, rename__oldpath, "/a");
	frame_put_string(&world->frame, rename__newpath, "/b");
	world->frame.marks = (struct frame_marks){.contested = 1 << rename__oldpath,
						  .truncated = 1 << rename__newpath};
	world_end(world);
	formatter_write(usual, &world->event, &out);
	formatter_write(chosen, &world->event, &out);
	buf_append_char(&out, '\0');
	assert_string_equal(out.data,
			    "1 11:36:01.123456789 3 cat (100) rename res=0 oldpath=/a newpath=/b "
			    "marks=(contested oldpath,truncated newpath)\n"
			    "rename\n");
	buf_finish(&out);
	formatter_destroy(chosen);
	formatter_destroy(usual);
}

/* How an event came ends the usual line too, before the marks. */
static void test_via(void **state)
{
	struct drive *world = *state;
	struct formatter *formatter;
	struct buf out = {0};

	assert_int_equal(formatter_create(&format_text, NULL, 0, &formatter, NULL), 0);
	world_begin(world, EVENT_close, 100);
	frame_put_i64(&world->frame, close__res, 0);
	frame_put_i64(&world->frame, close__fd, slot_fd_of(1, 7));
	world->frame.uring.ring = 1;
	world->frame.marks.contested = 1;
	world_end(world);
	formatter_write(formatter, &world->event, &out);
	buf_append_char(&out, '\0');
	assert_string_equal(out.data, "1 11:36:01.123456789 3 cat (100) close res=0 fd=uring[7] "
				      "via=io_uring marks=(contested res)\n");
	buf_finish(&out);
	formatter_destroy(formatter);
}

/* What filters see. */
static void expect_raw(struct drive *world, const char *field, const char *text)
{
	struct field_scratch *scratch = calloc(1, sizeof(*scratch));
	struct field_value value;
	struct field_ref ref;

	assert_int_equal(field_ref_init(&ref, field, strlen(field), NULL), 0);
	assert_int_equal(field_get(&ref, &world->event, scratch, &value), 1);
	assert_int_equal(value.bytes.len, strlen(text));
	assert_memory_equal(value.bytes.data, text, strlen(text));
	field_ref_finish(&ref);
	free(scratch);
}

/* Names must not steer a terminal, nor forge lines. */
static void test_control_characters(void **state)
{
	static const char name[] = "/tmp/\x1b]0;x\a\n9 forged\x7f\xc2\x9b"
				   "2J\xc2\xa9\xc3\xa9\r\xff\xc2";
	struct drive *world = *state;
	struct world_process process = {.pid = 200, .comm = "a\tb\x1b[1m"};
	struct formatter *formatter;
	struct buf out = {0};

	assert_int_equal(formatter_create_format(&format_text,
						 "*%evt.arg.name (%proc.name) %evt.args",
						 &formatter, NULL),
			 0);
	world_process(world, &process);
	world_begin(world, EVENT_open, 200);
	frame_put_string(&world->frame, open__name, name);
	world_end(world);
	expect_raw(world, "evt.arg.name", name);
	expect_raw(world, "proc.name", process.comm);
	formatter_write(formatter, &world->event, &out);
	buf_append_char(&out, '\0');
	assert_string_equal(out.data, "/tmp/.]0;x..9 forged...2J\xc2\xa9\xc3\xa9... (a.b.[1m) "
				      "fd=<NA> name=/tmp/.]0;x..9 forged...2J\xc2\xa9\xc3\xa9... "
				      "flags=<NA> mode=<NA> dev=<NA> ino=<NA>\n");
	buf_finish(&out);
	formatter_destroy(formatter);
}

/* The field's type is that of the first event that has the parameter: there it is a number. */
static void test_text_of_a_number(void **state)
{
	struct drive *world = *state;

	world_begin(world, EVENT_mount, 100);
	frame_put_string(&world->frame, mount__dev, "a\n\x1b[1m");
	world_end(world);
	world_expect(world, "evt.rawarg.dev", "a..[1m");
}

/* Wherever in the line the character stands, and every one of them. */
static void test_every_control_character(void **state)
{
	static const char *const field = "evt.arg.name";
	struct drive *world = *state;
	struct formatter *formatter;
	struct buf out = {0};

	assert_int_equal(formatter_create(&format_text, &field, 1, &formatter, NULL), 0);
	for (unsigned int c = 1; c < 256; c++) {
		bool hidden = c < 0x20 || c >= 0x7f; /* above ASCII it is no character */
		char name[20] = "/abcdefghijklmnop";

		name[1 + c % 16] = (char)c;
		world_begin(world, EVENT_open, 100);
		frame_put_string(&world->frame, open__name, name);
		world_end(world);
		buf_clear(&out);
		formatter_write(formatter, &world->event, &out);
		if (hidden)
			name[1 + c % 16] = '.';
		assert_int_equal(out.len, strlen(name) + 1);
		assert_memory_equal(out.data, name, strlen(name));
		assert_int_equal(out.data[out.len - 1], '\n');
	}
	buf_finish(&out);
	formatter_destroy(formatter);
}

static void expect_error(const char *field, const char *part)
{
	struct formatter *formatter = NULL;
	struct error err = {""};

	assert_true(formatter_create(&format_text, &field, 1, &formatter, &err) < 0);
	assert_non_null(strstr(err.text, part));
	assert_null(formatter);
}

static void test_wrong_fields(void **state)
{
	expect_error("evt.nosuch", "evt.nosuch");
	expect_error("evt.arg", "argument");
	expect_error("fd.ip", "filters only");
	expect_error("fd.cnet", "filters only");
	expect_error("(evt.num", "unknown");
	expect_error("()", "unknown");
	expect_error("", "unknown");
}

static void test_needs(void **state)
{
	const char *const nothing[] = {"evt.num", "thread.tid"};
	const char *const all[] = {"evt.num", "fd.name"};
	struct formatter *formatter;

	assert_int_equal(formatter_create(&format_text, nothing, 2, &formatter, NULL), 0);
	assert_int_equal(formatter_needs(formatter), NEEDS_NOTHING);
	formatter_destroy(formatter);
	assert_int_equal(formatter_create(&format_text, all, 2, &formatter, NULL), 0);
	assert_int_equal(formatter_needs(formatter),
			 NEEDS_THREADS | NEEDS_EVENT_FD | NEEDS_EVENT_PATHS);
	formatter_destroy(formatter);
}

/* What is too long for the memory of a field is cut, and nothing is written after it. */
static void test_long_text(void **state)
{
	struct drive *world = *state;
	struct field_scratch *scratch = calloc(1, sizeof(*scratch));
	struct field_value value;
	struct field_ref ref;
	static char data[60000];

	memset(data, 'x', sizeof(data));
	world_begin(world, EVENT_write, 100);
	frame_put_bytes(&world->frame, write__data, data, sizeof(data));
	world_end(world);
	assert_int_equal(field_ref_init(&ref, "evt.args", 8, NULL), 0);
	assert_int_equal(field_get(&ref, &world->event, scratch, &value), 1);
	assert_int_equal(value.bytes.len,
			 strlen("res=<NA> data= fd=<NA> size=<NA>") + sizeof(data));
	assert_int_equal(value.bytes.data[value.bytes.len], '\0');
	for (int i = 0; i < 4; i++)
		field_get(&ref, &world->event, scratch, &value);
	assert_true(value.bytes.len < sizeof(data));
	assert_true(scratch->used <= sizeof(scratch->bytes));
	assert_int_equal(value.bytes.data[value.bytes.len], '\0');
	free(scratch);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, world_teardown)

static const struct CMUnitTest tests[] = {
	TEST(test_default_line),
	TEST(test_marks),
	TEST(test_via),
	TEST(test_control_characters),
	TEST(test_text_of_a_number),
	TEST(test_every_control_character),
	TEST(test_wrong_fields),
	TEST(test_needs),
	TEST(test_long_text),
};

UNIT_GROUP(tests);
