/* SPDX-License-Identifier: MIT */
/* Formats: how they are read, what is printed for them, and what is wrong with wrong ones. */
#include <errno.h>
#include <string.h>

#include "formatted.h"
#include "sinsp/fields/field.h"
#include "unit.h"

static void test_width(void **state)
{
	formatted_expect_text(*state, "%5proc.name|", "cat  |");
	formatted_expect_text(*state, "%2proc.name|", "ca|");
	formatted_expect_text(*state, "%3proc.name|%0proc.name|%007proc.name|", "cat|cat|cat    |");
	formatted_expect_text(*state, "*%6fd.num|%2fd.num|", "<NA>  |<N|");
	formatted_expect_text(*state, "%5evt.num%2toupper(proc.name)", "1    CA");
}

/* Bytes are counted, but no character is cut in two. */
static void test_width_of_characters(void **state)
{
	struct drive *world = *state;
	struct world_process process = {.pid = 200, .comm = "a\xc3\xa9z"};

	world_process(world, &process);
	world_begin(world, EVENT_open, 200);
	world_end(world);
	formatted_expect_text(world, "%2proc.name|", "a |");
	formatted_expect_text(world, "%3proc.name|", "a\xc3\xa9|");
	formatted_expect_text(world, "%5proc.name|", "a\xc3\xa9z |");
	strcpy(world_self(world)->comm, "\xa0\xa1\xa2\xa3\xa4\xa5\xa6");
	formatted_expect_text(world, "%6proc.name|", "......|");
}

static void test_missing(void **state)
{
	struct drive *world = *state;

	formatted_expect_nothing(world, &format_text, "%evt.num %fd.num");
	formatted_expect_nothing(world, &format_text, "%toupper(fd.type)");
	formatted_expect_nothing(world, &format_json, "%evt.num %fd.num");
	formatted_expect_text(world, "*%evt.num %fd.num %tolower(fd.type)", "1 <NA> <NA>");
	formatted_expect_json(world, "*%evt.num %fd.num %proc.name",
			      "{\"evt.num\":1,\"fd.num\":null,\"proc.name\":\"cat\"}");
	/* Empty is not missing. */
	formatted_expect_text(world, "%proc.env[NONE]|", "|");
}

/* A line that is dropped leaves those before it alone. */
static void test_lines(void **state)
{
	struct drive *world = *state;
	struct formatter *formatter;
	struct buf out = {0};

	assert_int_equal(
		formatter_create_format(&format_text, "%evt.num:%evt.arg.fd", &formatter, NULL), 0);
	assert_true(formatter_write(formatter, &world->event, &out));
	world_begin(world, EVENT_getuid, 100);
	world_end(world);
	assert_false(formatter_write(formatter, &world->event, &out));
	assert_int_equal(out.len, strlen("1:ENOENT\n"));
	assert_memory_equal(out.data, "1:ENOENT\n", out.len);
	formatter_destroy(formatter);
	buf_finish(&out);
}

static void test_transformers(void **state)
{
	struct drive *world = *state;

	formatted_expect_text(world, "%toupper(proc.name)", "CAT");
	formatted_expect_text(world, "%basename( evt.arg.name )x", "ax");
	formatted_expect_text(world, "%len(proc.name)", "3");
	formatted_expect_text(world, "%len(basename(proc.exe)) %concat(proc.name,\"(\", evt.type)",
			      "3 cat(open");
	formatted_expect_text(world, "%join(\",\",(proc.name,evt.num, \"b)\"))%evt.num",
			      "cat,1,b)1");
	formatted_expect_text(world, "%getopt((\"-x\",\"y\",\"-v\"),\"x:v\")[x]", "y");
	formatted_expect_text(world, "%getopt((\"-x\",\"y\",\"-v\"),\"x:v\")", "(x,y,v)");
	/* Others take no brackets. */
	formatted_expect_text(world, "%toupper(proc.name)[0]", "CAT[0]");
}

/* Fields and transformers are the keys, once each. */
static void test_json(void **state)
{
	formatted_expect_json(*state, "a %5proc.name b %evt.num, %proc.name%evt.arg.fd",
			      "{\"proc.name\":\"cat\",\"evt.num\":1,\"evt.arg.fd\":-2}");
	formatted_expect_json(*state, "%toupper(proc.name)%len(proc.name)",
			      "{\"toupper(proc.name)\":\"CAT\",\"len(proc.name)\":3}");
	formatted_expect_json(*state, "%concat(proc.name,\"x\")",
			      "{\"concat(proc.name,\\\"x\\\")\":\"catx\"}");
	formatted_expect_json(*state, "nothing", "{}");
}

static void test_needs(void **state)
{
	struct formatter *formatter;

	assert_int_equal(formatter_create_format(&format_text, "%evt.num", &formatter, NULL), 0);
	assert_int_equal(formatter_needs(formatter), NEEDS_NOTHING);
	formatter_destroy(formatter);
	assert_int_equal(
		formatter_create_format(&format_text, "%toupper(fd.name)", &formatter, NULL), 0);
	assert_int_equal(formatter_needs(formatter),
			 NEEDS_THREADS | NEEDS_EVENT_FD | NEEDS_EVENT_PATHS);
	formatter_destroy(formatter);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, formatted_setup, world_teardown)

static const struct CMUnitTest tests[] = {
	TEST(test_width), TEST(test_width_of_characters), TEST(test_missing),
	TEST(test_lines), TEST(test_transformers),	  TEST(test_json),
	TEST(test_needs),
};

UNIT_GROUP(tests);
