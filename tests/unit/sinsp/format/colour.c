/* SPDX-License-Identifier: MIT */
/* Colours of values on a terminal. */
#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "formatted.h"
#include "sinsp/fields/field.h"
#include "unit.h"

static void test_colours(void **state)
{
	static const struct text_style coloured = {.coloured = true};
	struct drive *world = *state;

	/* The escapes of the name are dots, ours are not. */
	formatted_expect_style(world, coloured, FORMAT_DEFAULT_LINE,
			       "\x1b[2m1\x1b[0m \x1b[2m11:36:01.123456789\x1b[0m \x1b[2m3\x1b[0m "
			       "\x1b[32mc.[1mt\x1b[0m (\x1b[2m100\x1b[0m) \x1b[36mwrite\x1b[0m "
			       "res=6 data=a..[1mb fd=5(<f>/tmp/..[1m) size=<NA>");
	formatted_write(world, -EBADF, "", 0);
	formatted_expect_style(world, coloured, "%evt.type %evt.args",
			       "\x1b[31mwrite\x1b[0m \x1b[31mres=-9(EBADF)\x1b[0m data=NULL "
			       "fd=5(<f>/tmp/..[1m) size=<NA>");
	formatted_expect_style(world, coloured, "%evt.res %evt.rawres %evt.failed",
			       "\x1b[31mEBADF\x1b[0m \x1b[31m-9\x1b[0m true");
	formatted_expect_style(world, coloured, "%evt.arg.res.", "EBADF.");
}

static void expect_request(struct drive *world, int32_t status, const char *error,
			   const char *expected)
{
	static const struct text_style coloured = {.coloured = true};

	world_begin(world, EVENT_request, 100);
	if (status)
		frame_put_i64(&world->frame, request__status, status);
	if (error)
		frame_put_string(&world->frame, request__error, error);
	world_end(world);
	formatted_expect_style(world, coloured, "*%request.status %request.error", expected);
}

/* The status by its class; what has none by its error. */
static void test_colours_of_requests(void **state)
{
	expect_request(*state, 204, NULL, "\x1b[32m204\x1b[0m <NA>");
	expect_request(*state, 301, NULL, "\x1b[36m301\x1b[0m <NA>");
	expect_request(*state, 404, "404", "\x1b[33m404\x1b[0m \x1b[33m404\x1b[0m");
	expect_request(*state, 503, "503", "\x1b[31m503\x1b[0m \x1b[31m503\x1b[0m");
	expect_request(*state, 3, "NXDOMAIN", "\x1b[31m3\x1b[0m \x1b[31mNXDOMAIN\x1b[0m");
	expect_request(*state, 700, NULL, "700 <NA>");
	expect_request(*state, 0, "timeout", "\x1b[31m<NA>\x1b[0m \x1b[31mtimeout\x1b[0m");
}

/* Widths are those of what is seen; a line that is dropped leaves no colour. */
static void test_colours_and_widths(void **state)
{
	static const struct text_style coloured = {.coloured = true};
	struct formatter *formatter =
		formatted_create(&format_text, "%proc.name %thread.vtid", &coloured);
	struct drive *world = *state;
	struct buf out = {0};

	formatted_expect_style(world, coloured, "%8proc.name|%2proc.name|",
			       "\x1b[32mc.[1mt  \x1b[0m|\x1b[32mc.\x1b[0m|");
	formatted_expect_style(world, coloured, "*%evt.num %user.loginname|",
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
	struct formatter *formatter = formatted_create(&format_json, "%evt.num", &coloured);

	formatted_expect_line(*state, formatter, "{\"evt.num\":1}");
	formatter_destroy(formatter);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, formatted_setup_write, world_teardown)

static const struct CMUnitTest tests[] = {
	TEST(test_colours),
	TEST(test_colours_of_requests),
	TEST(test_colours_and_widths),
	TEST(test_no_colours_in_json),
};

UNIT_GROUP(tests);
