/* SPDX-License-Identifier: MIT */
/* What users choose about text: the form of times and buffers, and colours. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "formatted.h"
#include "sinsp/fields/field.h"
#include "unit.h"

static void test_times(void **state)
{
	static const char format[] = "%evt.outputtime";

	formatted_expect_style(*state, (struct text_style){.time = TEXT_TIME_OF_DAY}, format,
			       "11:36:01.123456789");
	formatted_expect_style(*state, (struct text_style){.time = TEXT_TIME_EPOCH}, format,
			       "1795260961.123456789");
	formatted_expect_style(*state, (struct text_style){.time = TEXT_TIME_RELATIVE}, format,
			       "5.000000007");
	formatted_expect_style(*state, (struct text_style){.time = TEXT_TIME_DELTA}, format,
			       "0.000000000");
}

/* How long a call took is known where its beginning is noted, which an output has to ask for. */
static void test_latency(void **state)
{
	static const struct text_style day = {0}, latency = {.time = TEXT_TIME_LATENCY};
	struct formatter *formatter = formatted_create(&format_text, "*%evt.outputtime", &day);
	struct drive *world = *state;

	assert_int_equal(formatter_needs(formatter), NEEDS_NOTHING);
	formatter_set_style(formatter, &latency);
	assert_int_equal(formatter_needs(formatter), NEEDS_ENTER_TIME);
	formatted_expect_line(world, formatter, "<NA>");
	world->event.ev.latency_ns = 1000000005;
	formatted_expect_line(world, formatter, "1.000000005");
	world->event.ev.latency_ns = LATENCY_UNKNOWN;
	formatter_destroy(formatter);
}

/* Nanoseconds have all their digits; the time since the last line is counted from line to line. */
static void test_time_between_lines(void **state)
{
	static const struct text_style delta = {.time = TEXT_TIME_DELTA};
	static const struct text_style epoch = {.time = TEXT_TIME_EPOCH};
	struct formatter *formatter = formatted_create(&format_text, "%evt.outputtime", &delta);
	struct drive *world = *state;

	formatted_expect_line(world, formatter, "0.000000000");
	world->event.num++;
	world->event.ev.ts_ns += 2000000050;
	formatted_expect_line(world, formatter, "2.000000050");
	world->event.num++;
	formatted_expect_line(world, formatter, "0.000000000");
	formatter_destroy(formatter);
	world->event.ev.ts_ns = 1000000005;
	formatted_expect_style(world, epoch, "%evt.outputtime", "1.000000005");
}

/* In JSON the time of day is a point in time; others are as in text. */
static void test_times_in_json(void **state)
{
	static const struct text_style day = {0}, relative = {.time = TEXT_TIME_RELATIVE};
	struct formatter *formatter = formatted_create(&format_json, "%evt.outputtime", &day);

	formatted_expect_line(*state, formatter,
			      "{\"evt.outputtime\":\"2026-11-21T11:36:01.123456789Z\"}");
	formatter_set_style(formatter, &relative);
	formatted_expect_line(*state, formatter, "{\"evt.outputtime\":\"5.000000007\"}");
	formatter_destroy(formatter);
}

/* Buffers may have several lines; names in the same text may not. */
static void test_buffers(void **state)
{
	static const struct text_style ascii = {.bytes = TEXT_BYTES_ASCII};
	static const struct text_style base64 = {.bytes = TEXT_BYTES_BASE64};
	static const struct text_style hex = {.bytes = TEXT_BYTES_HEX};
	static const struct text_style both = {.bytes = TEXT_BYTES_HEX_ASCII};
	struct drive *world = *state;

	formatted_expect_style(world, ascii, "%evt.arg.data", "\na\n[1mb");
	formatted_expect_style(world, ascii, "%evt.arg[1]", "\na\n[1mb");
	formatted_expect_style(world, ascii, "%evt.buffer", "\na\n[1mb");
	formatted_expect_style(world, ascii, "%evt.rawarg.data", "\na\n[1mb");
	formatted_expect_style(world, ascii, "%evt.args %proc.name",
			       "res=6 data=\na\n[1mb fd=5(<f>/tmp/..[1m) size=<NA> c.[1mt");
	formatted_expect_style(world, base64, "%evt.buffer %evt.arg.data",
			       "YQobWzFtYg== YQobWzFtYg==");
	formatted_expect_style(world, hex, "%evt.arg.data", "\n\t0x0000: 610a 1b5b 316d 62\n");
	formatted_expect_style(world, both, "%evt.buffer",
			       "\n\t0x0000: 610a 1b5b 316d 62                        a..[1mb\n");
	formatted_expect_style(world, (struct text_style){0}, "%evt.buffer %evt.arg.data",
			       "a..[1mb a..[1mb");
	/* A transformer makes another text of it. */
	formatted_expect_style(world, ascii, "%toupper(evt.arg.data)", ".A.[1MB");
}

static void test_buffers_in_json(void **state)
{
	static const struct text_style ascii = {.bytes = TEXT_BYTES_ASCII};
	static const struct text_style base64 = {.bytes = TEXT_BYTES_BASE64};
	static const struct text_style plain = {0};
	struct formatter *formatter =
		formatted_create(&format_json, "%evt.buffer %evt.arg.data %evt.args", &ascii);
	struct drive *world = *state;

	formatted_write(world, 4, "\"\n\xff\x1b", 4);
	formatted_expect_line(
		world, formatter,
		"{\"evt.buffer\":\"\\n\\\"\\n\",\"evt.arg.data\":\"\\n\\\"\\n\","
		"\"evt.args\":{\"res\":4,\"data\":\"\\n\\\"\\n\",\"fd\":5,\"size\":null}}");
	formatter_set_style(formatter, &base64);
	formatter_add_base64(formatter);
	formatted_expect_line(
		world, formatter,
		"{\"evt.buffer\":\"Igr/Gw==\",\"evt.arg.data\":\"Igr/Gw==\","
		"\"evt.args\":{\"res\":4,\"data\":\"Igr/Gw==\",\"fd\":5,\"size\":null}}");
	formatter_destroy(formatter);
	formatter = formatted_create(&format_json, "%evt.buffer", &plain);
	formatted_expect_line(world, formatter, "{\"evt.buffer\":\"\\\"\\n\xef\xbf\xbd\\u001b\"}");
	formatter_destroy(formatter);
}

/* The program's arguments are a buffer too. */
static void test_arguments(void **state)
{
	static const struct text_style hex = {.bytes = TEXT_BYTES_HEX};
	struct drive *world = *state;

	world_begin(world, EVENT_execve, 100);
	frame_put_bytes(&world->frame, execve__args, "-n\0x\0", 5);
	frame_put_string(&world->frame, execve__exe, "c\nat");
	world_end(world);
	formatted_expect_style(world, hex, "%evt.arg.args%evt.arg.exe",
			       "\n\t0x0000: 2d6e 0078 00\nc.at");
}

/* What follows a buffer is there, however long its text becomes. */
static void test_large_buffers(void **state)
{
	static const struct text_style style = {.bytes = TEXT_BYTES_HEX_ASCII};
	static const char end[] = "\n fd=5(<f>/tmp/..[1m) size=<NA>";
	struct formatter *formatter =
		formatted_create(&format_text, "%evt.args|%evt.arg.data|%evt.args", &style);
	struct drive *world = *state;
	struct buf out = {0};
	static char data[65000];

	formatted_write(world, sizeof(data), data, sizeof(data));
	assert_true(formatter_append(formatter, &world->event, &out));
	assert_in_range(out.len, 3 * sizeof(data) * 4, 3 * sizeof(data) * 5);
	assert_memory_equal(out.data + out.len - strlen(end), end, strlen(end));
	assert_non_null(memmem(out.data, out.len, "size=<NA>|\n\t0x0000:", 19));
	buf_finish(&out);
	formatter_destroy(formatter);
}

static void test_cut_buffers(void **state)
{
	static const struct text_style cut = {.bytes_max = 8};
	static const struct text_style base64 = {.bytes_max = 8, .bytes = TEXT_BYTES_BASE64};
	struct drive *world = *state;

	formatted_write(world, 8, "01234567", 8);
	formatted_expect_style(world, cut, "%evt.arg.data", "01234567");
	formatted_write(world, 9, "012345678", 9);
	formatted_expect_style(world, cut, "%evt.arg.data %evt.buffer", "01234... 01234...");
	formatted_expect_style(world, cut, "%evt.args",
			       "res=9 data=01234... fd=5(<f>/tmp/..[1m) size=<NA>");
	formatted_expect_style(world, base64, "%evt.arg.data", "MDEyMzQ1Njc4");
	formatted_expect_style(world, (struct text_style){0}, "%evt.arg.data", "012345678");
}

/* Whatever the memory: a line is there whole, or not at all. */
static void test_no_memory(void **state)
{
	static const struct text_style style = {.coloured = true, .bytes = TEXT_BYTES_HEX};
	struct formatter *formatter = formatted_create(&format_text, FORMAT_DEFAULT_LINE, &style);
	struct drive *world = *state;
	struct buf whole = {0};

	assert_true(formatter_append(formatter, &world->event, &whole));
	/* A bracket that is taken back takes a byte more. */
	for (size_t n = 0; n <= whole.len + 1; n++) {
		char *memory = malloc(n + 1);
		struct buf out = buf_fixed(memory, n);

		assert_true(formatter_append(formatter, &world->event, &out));
		if (n != whole.len)
			assert_int_equal(out.failed, n < whole.len);
		assert_int_equal(out.len, out.failed ? 0 : whole.len);
		free(memory);
	}
	buf_finish(&whole);
	formatter_destroy(formatter);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, formatted_setup_write, world_teardown)

static const struct CMUnitTest tests[] = {
	TEST(test_times),	  TEST(test_latency),	  TEST(test_time_between_lines),
	TEST(test_times_in_json), TEST(test_buffers),	  TEST(test_buffers_in_json),
	TEST(test_arguments),	  TEST(test_cut_buffers), TEST(test_large_buffers),
	TEST(test_no_memory),
};

UNIT_GROUP(tests);
