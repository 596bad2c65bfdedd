/* SPDX-License-Identifier: MIT */
/* LogRecords in protobuf, byte for byte. */
#include <string.h>

#include "formatted.h"
#include "sinsp/format/match.h"
#include "unit.h"

static int setup(void **state)
{
	struct drive *world;

	world_setup(state);
	world = *state;
	world_begin(world, EVENT_close, 100);
	frame_put_i64(&world->frame, close__res, 0);
	frame_put_i64(&world->frame, close__fd, 5);
	world_end(world);
	world->event.num = 7;
	return 0;
}

static void expect(struct buf *out, const char *bytes, size_t len)
{
	assert_int_equal(out->len, len);
	assert_memory_equal(out->data, bytes, len);
	buf_clear(out);
}

#define EXPECT(out, bytes) expect(out, bytes, sizeof(bytes) - 1)

#define TIME "\x09\x15\xd7\xe3\x1a\x55\x0c\xea\x18\x62\x0clanner.close"
#define INFO "\x10\x09\x1a\x04INFO"
#define BODY                                                                                       \
	"\x2a\x12\x0a\x10"                                                                         \
	"close res=0 fd=5"
#define PID "\x32\x11\x0a\x0bprocess.pid\x12\x02\x18\x64"

static struct formatter *create(const char *format)
{
	return formatted_create(&format_otlp_proto, format, &(const struct text_style){0});
}

static void test_event(void **state)
{
	struct formatter *formatter = create("%proc.pid %evt.time");
	struct drive *world = *state;
	struct buf out = {0};

	assert_true(formatter_append(formatter, &world->event, &out));
	EXPECT(&out, TIME INFO BODY PID);
	/* In a request the tag of log_records goes before it. */
	assert_true(formatter_write(formatter, &world->event, &out));
	EXPECT(&out, "\x46" TIME INFO BODY PID);
	formatter_destroy(formatter);
	buf_finish(&out);
}

static void test_id(void **state)
{
	struct formatter *formatter = create("%proc.pid");
	struct drive *world = *state;
	struct buf out = {0};

	assert_int_equal(formatter_set_id(formatter, "f00"), 0);
	assert_true(formatter_append(formatter, &world->event, &out));
	EXPECT(&out, TIME INFO BODY "\x32\x19\x0a\x0elog.record.uid\x12\x07\x0a\x05"
				    "f00-7" PID);
	formatter_destroy(formatter);
	buf_finish(&out);
}

static void test_match(void **state)
{
	static const char *const tags[] = {"t"};
	const struct format_rule rule = {.name = "R",
					 .priority = "Warning",
					 .tags = tags,
					 .tags_count = 1,
					 .output = "%proc.pid"};
	const struct text_style style = {0};
	struct formatter *fields = create("%proc.pid");
	struct drive *world = *state;
	struct match_line *line;
	struct buf out = {0};

	assert_int_equal(match_line_create(&format_otlp_proto, &rule, &style, &line, NULL), 0);
	match_line_append(line, &world->event, fields, &out);
	EXPECT(&out, "\x6c" TIME PID "\x10\x0d\x1a\x04WARN"
		     "\x32\x19\x0a\x12security_rule.name\x12\x03\x0a\x01R"
		     "\x32\x16\x0a\x0blanner.tags\x12\x07\x2a\x05\x0a\x03\x0a\x01t"
		     "\x2a\x05\x0a\x03"
		     "100");
	match_line_destroy(line);
	formatter_destroy(fields);
	buf_finish(&out);
}

static void test_end(void **state)
{
	const struct format_end end = {.ts_ns = 1, .reason = "x"};
	struct buf out = {0};

	format_otlp_proto.records.append_end(&end, &out);
	assert_non_null(memmem(out.data, out.len, "\x62\x0alanner.end\x2a\x03\x0a\x01x", 17));
	assert_non_null(memmem(out.data, out.len, "lanner.end_reason\x12\x03\x0a\x01x", 22));
	buf_finish(&out);
}

static void test_drop(void **state)
{
	const struct format_drop drop = {.count = 3, .cause = "x", .last_ns = 1};
	struct buf out = {0};

	format_otlp_proto.records.append_drop(&drop, &out);
	assert_int_equal((uint8_t)out.data[0] & 0x7f, (out.len - 2) & 0x7f);
	assert_memory_equal(out.data + 2,
			    "\x09\x01\0\0\0\0\0\0\0\x10\x0d\x1a\x04WARN\x62\x0blanner.drop"
			    "\x2a\x03\x0a\x01x\x32\x18\x0a\x11lanner.drop_cause\x12\x03\x0a\x01x",
			    61);
	buf_finish(&out);
}

static void test_mark(void **state)
{
	struct buf out = {0};

	format_otlp_proto.records.mark_redelivered(NULL,
						   "\x02"
						   "ab",
						   3, &out);
	EXPECT(&out, "\x20"
		     "ab\x32\x1c\x0a\x16lanner.evt_redelivered\x12\x02\x10\x01");
	buf_finish(&out);
}

static void test_no_memory(void **state)
{
	struct drive *world = *state;
	struct formatter *formatter = create("%proc.pid %evt.args");
	char memory[80];

	for (size_t size = 0; size < sizeof(memory); size++) {
		struct buf out = buf_fixed(memory, size);

		formatter_write(formatter, &world->event, &out);
		assert_true(out.failed);
		assert_int_equal(out.len, 0);
	}
	formatter_destroy(formatter);
}

static void see(void *context, char *text, size_t len)
{
	buf_append(context, text, len);
	buf_append_char(context, '\n');
}

/* All texts are found, each in one piece: they may be secrets. This one looks like a message. */
static void test_texts(void **state)
{
	static const char args[] = "-x\0apassword=hunt";
	struct formatter *formatter = create("%evt.args");
	struct drive *world = *state;
	struct buf out = {0}, seen = {0};

	world_begin(world, EVENT_execve, 100);
	frame_put_bytes(&world->frame, execve__args, args, sizeof(args));
	world_end(world);
	assert_true(formatter_write(formatter, &world->event, &out));
	format_otlp_proto.records.visit_texts(out.data, out.len, see, &seen);
	buf_append_char(&seen, '\0');
	assert_non_null(strstr(seen.data, "\n\n-x\napassword=hunt\n"));
	formatter_destroy(formatter);
	buf_finish(&seen);
	buf_finish(&out);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_event),	  cmocka_unit_test(test_id),
	cmocka_unit_test(test_match),	  cmocka_unit_test(test_drop),
	cmocka_unit_test(test_end),	  cmocka_unit_test(test_mark),
	cmocka_unit_test(test_no_memory), cmocka_unit_test(test_texts),
};

UNIT_GROUP(tests, .setup = setup, .teardown = world_teardown);
