/* SPDX-License-Identifier: MIT */
/* Messages of events, byte for byte; tests/cli/test_protobuf decodes many of them. */
#include <string.h>

#include "contained.h"
#include "formatted.h"
#include "unit.h"

static void expect(struct drive *world, const char *format, const char *bytes, size_t len)
{
	struct formatter *formatter =
		formatted_create(&format_protobuf, format, &(const struct text_style){0});
	struct buf out = {0};

	buf_append_char(&out, 'x');
	assert_true(formatter_append(formatter, &world->event, &out));
	assert_int_equal(out.len - 1, len);
	assert_memory_equal(out.data + 1, bytes, len);
	/* The same with its length before it. */
	buf_clear(&out);
	assert_true(formatter_write(formatter, &world->event, &out));
	assert_int_equal(out.len, len + 1);
	assert_int_equal(out.data[0], len);
	assert_memory_equal(out.data + 1, bytes, len);
	buf_finish(&out);
	formatter_destroy(formatter);
}

#define EXPECT(world, format, bytes) expect(world, format, bytes, sizeof(bytes) - 1)

static void test_fields(void **state)
{
	struct drive *world = *state;

	world_openat(world, 3, "x", 0x1001);
	world->event.num = 7;
	EXPECT(world, "%evt.num", "\x80\x01\x07");
	EXPECT(world, "%evt.type", "\x9a\x01\x06openat");
	EXPECT(world, "%evt.cpu", "\xb8\x01\x06");
	EXPECT(world, "%evt.failed", "\xe8\x01\0");
	EXPECT(world, "%evt.time", "\xc9\x03\x15\xd7\xe3\x1a\x55\x0c\xea\x18");
	/* Not there, or there and empty. */
	EXPECT(world, "*%fd.sip", "");
	EXPECT(world, "*%fd.types", "");
	EXPECT(world, "%fd.types", "");
}

static void test_others(void **state)
{
	struct drive *world = *state;

	world_openat(world, 3, "x", 0x1001);
	EXPECT(world, "%evt.arg.name", "\x2a\x13\x0a\x0c"
				       "evt.arg.name\x12\x03\x0a\x01x");
	EXPECT(world, "%toupper(evt.type)", "\x2a\x1d\x0a\x11"
					    "toupper(evt.type)\x12\x08\x0a\x06OPENAT");
}

static void test_arguments(void **state)
{
	struct drive *world = *state;

	world_begin(world, EVENT_close, 100);
	frame_put_i64(&world->frame, close__res, 0);
	frame_put_i64(&world->frame, close__fd, 5);
	world_end(world);
	EXPECT(world, "%evt.args",
	       "\xc2\x01\x09\x0a\x03res\x12\x02\x18\0"
	       "\xc2\x01\x08\x0a\x02"
	       "fd\x12\x02\x18\x05");
}

static void test_needs(void **state)
{
	struct formatter *formatter = formatted_create(&format_protobuf, "%evt.args %evt.num",
						       &(const struct text_style){0});

	assert_int_equal(formatter_needs(formatter),
			 NEEDS_ARGUMENTS | NEEDS_EVENT_ENVIRONMENT);
	formatter_destroy(formatter);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_fields),
	cmocka_unit_test(test_others),
	cmocka_unit_test(test_arguments),
	cmocka_unit_test(test_needs),
};

UNIT_GROUP(tests, .setup = contained_setup, .teardown = world_teardown);
