/* SPDX-License-Identifier: MIT */
/* Colours of values on a terminal. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sinsp/fields/field.h"
#include "sinsp/format/format.h"
#include "world.h"

#define DATA "a\n\x1b[1mb"

static void put_write(struct drive *world, int64_t result, const char *data, size_t len)
{
	world_begin(world, EVENT_write, 100);
	frame_put_i64(&world->frame, write__res, result);
	frame_put_bytes(&world->frame, write__data, data, len);
	frame_put_i64(&world->frame, write__fd, 5);
	world_end(world);
}

static int setup(void **state)
{
	struct drive *world = calloc(1, sizeof(*world));
	struct world_process process = {.pid = 100, .ptid = 1, .comm = "c\x1b[1mt", .cwd = "/"};
	struct sinsp_thread *thread;

	setenv("TZ", "UTC", 1);
	tzset();
	drive_create(world, NULL);
	thread = world_process(world, &process);
	world_fd(thread, 5, SCAP_FD_FILE, "/tmp/\n\x1b[1m");
	put_write(world, 6, DATA, sizeof(DATA) - 1);
	*state = world;
	return 0;
}

static int teardown(void **state)
{
	drive_destroy(*state);
	free(*state);
	return 0;
}

static struct formatter *make(enum formatter_kind kind, const char *format,
			      const struct text_style *style)
{
	struct formatter *formatter;

	assert_int_equal(formatter_create_format(kind, format, &formatter, NULL), 0);
	formatter_set_style(formatter, style);
	return formatter;
}

static void expect_line(struct drive *world, struct formatter *formatter, const char *wanted)
{
	struct buf out = {0};

	assert_true(formatter_append(formatter, &world->event, &out));
	buf_append_char(&out, '\0');
	assert_string_equal(out.data, wanted);
	buf_finish(&out);
}

static void expect(struct drive *world, struct text_style style, const char *format,
		   const char *wanted)
{
	struct formatter *formatter = make(FORMATTER_TEXT, format, &style);

	expect_line(world, formatter, wanted);
	formatter_destroy(formatter);
}

static void test_colours(void **state)
{
	static const struct text_style coloured = {.coloured = true};
	struct drive *world = *state;

	/* The escapes of the name are dots, ours are not. */
	expect(world, coloured, FORMAT_DEFAULT_LINE,
	       "\x1b[2m1\x1b[0m \x1b[2m11:36:01.123456789\x1b[0m \x1b[2m3\x1b[0m "
	       "\x1b[32mc.[1mt\x1b[0m (\x1b[2m100\x1b[0m) \x1b[36mwrite\x1b[0m "
	       "res=6 data=a..[1mb fd=5(<f>/tmp/..[1m) size=<NA>");
	put_write(world, -EBADF, "", 0);
	expect(world, coloured, "%evt.type %evt.args",
	       "\x1b[31mwrite\x1b[0m \x1b[31mres=-9(EBADF)\x1b[0m data=NULL "
	       "fd=5(<f>/tmp/..[1m) size=<NA>");
	expect(world, coloured, "%evt.res %evt.rawres %evt.failed",
	       "\x1b[31mEBADF\x1b[0m \x1b[31m-9\x1b[0m true");
	expect(world, coloured, "%evt.arg.res.", "EBADF.");
}

/* Widths are those of what is seen; a line that is dropped leaves no colour. */
static void test_colours_and_widths(void **state)
{
	static const struct text_style coloured = {.coloured = true};
	struct formatter *formatter = make(FORMATTER_TEXT, "%proc.name %thread.vtid", &coloured);
	struct drive *world = *state;
	struct buf out = {0};

	expect(world, coloured, "%8proc.name|%2proc.name|",
	       "\x1b[32mc.[1mt  \x1b[0m|\x1b[32mc.\x1b[0m|");
	expect(world, coloured, "*%evt.num %user.loginname|",
	       "\x1b[2m1\x1b[0m \x1b[33m<NA>\x1b[0m|");
	world_begin(world, EVENT_write, 555);
	world_end(world);
	assert_false(formatter_append(formatter, &world->event, &out));
	assert_int_equal(out.len, 0);
	buf_finish(&out);
	formatter_destroy(formatter);
}

static void test_no_colours_in_json(void **state)
{
	static const struct text_style coloured = {.coloured = true};
	struct formatter *formatter = make(FORMATTER_JSON, "%evt.num", &coloured);

	expect_line(*state, formatter, "{\"evt.num\":1}");
	formatter_destroy(formatter);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_colours),
		TEST(test_colours_and_widths),
		TEST(test_no_colours_in_json),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
