/* SPDX-License-Identifier: MIT */
/* Messages of protobuf beside plain events: ids, drop records, marks, rules. */
#include <string.h>

#include "formatted.h"
#include "sinsp/format/match.h"
#include "unit.h"

static void expect(struct buf *out, const char *bytes, size_t len)
{
	assert_int_equal(out->len, len);
	assert_memory_equal(out->data, bytes, len);
	buf_clear(out);
}

#define EXPECT(out, bytes) expect(out, bytes, sizeof(bytes) - 1)

static void test_drop(void **state)
{
	static const struct format_drop_type type = {"close", 3};
	const struct format_drop drop = {
		.id = "f-1d",
		.count = 3,
		.from = 2,
		.to = 4,
		.first_ns = 1,
		.last_ns = 2,
		.cause = "x",
		.types = &type,
		.types_count = 1,
	};
	const struct format_drop unknown = {.after = 7, .cause = "x"};
	struct buf out = {0};

	format_protobuf.records.append_drop(&drop, &out);
	EXPECT(&out, "\x3f\x0a\x04"
		     "f-1d"
		     "\x9a\x01\x04"
		     "drop"
		     "\xc9\x03\x02\0\0\0\0\0\0\0"
		     "\x1a\x26\x0a\x01x\x10\x03\x18\x02\x20\x04\x29\x01\0\0\0\0\0\0\0\x31\x02\0\0\0"
		     "\0\0\0\0"
		     "\x3a\x09\x0a\x05"
		     "close\x10\x03");
	format_protobuf.records.append_drop(&unknown, &out);
	EXPECT(&out, "\x0e\x9a\x01\x04"
		     "drop"
		     "\x1a\x05\x0a\x01x\x40\x07");
	buf_finish(&out);
}

static void test_end(void **state)
{
	const struct format_end end = {
		.id = "f-e1", .last = 3, .records = 2, .dropped = 1, .reason = "x"};
	struct buf out = {0};

	format_protobuf.records.append_end(&end, &out);
	EXPECT(&out, "\x17\x0a\x04"
		     "f-e1"
		     "\x9a\x01\x03"
		     "end"
		     "\x32\x09\x0a\x01x\x10\x03\x18\x02\x20\x01");
	buf_finish(&out);
}

static void test_mark(void **state)
{
	char record[203] = "\xc8\x01"; /* 200 bytes */
	struct buf out = {0};

	format_protobuf.records.mark_redelivered(NULL,
						 "\x02"
						 "ab",
						 3, &out);
	EXPECT(&out, "\x04\x10\x01"
		     "ab");
	format_protobuf.records.mark_redelivered(NULL, record, 202, &out);
	assert_int_equal(out.len, 204);
	assert_memory_equal(out.data, "\xca\x01\x10\x01\0", 5);
	buf_clear(&out);
	format_protobuf.records.mark_redelivered(NULL, "\0", 1, &out);
	EXPECT(&out, "\x02\x10\x01");
	buf_finish(&out);
}

static void test_no_memory(void **state)
{
	char memory[16];
	struct buf out = buf_fixed(memory, sizeof(memory));
	const struct format_drop drop = {.cause = "a cause of many bytes", .count = 1};

	BUF_LITERAL(&out, "before");
	format_protobuf.records.append_drop(&drop, &out);
	assert_true(out.failed);
	assert_int_equal(out.len, 6);
	buf_clear(&out);
	BUF_LITERAL(&out, "before");
	format_protobuf.records.mark_redelivered(NULL,
						 "\x09"
						 "012345678",
						 10, &out);
	assert_true(out.failed);
	assert_int_equal(out.len, 6);
}

static void test_id(void **state)
{
	struct drive *world = *state;
	struct formatter *formatter =
		formatted_create(&format_protobuf, "%evt.num", &(const struct text_style){0});
	struct buf out = {0};

	assert_int_equal(formatter_set_id(formatter, "f00"), 0);
	world->event.num = 42;
	assert_true(formatter_append(formatter, &world->event, &out));
	EXPECT(&out, "\x0a\x06"
		     "f00-42"
		     "\x80\x01\x2a");
	formatter_destroy(formatter);
	buf_finish(&out);
}

static void test_match(void **state)
{
	static const char *const tags[] = {"t"};
	const struct format_rule rule = {
		.name = "R", .priority = "P", .tags = tags, .tags_count = 1, .output = "%proc.pid"};
	const struct text_style style = {0};
	struct formatter *fields = formatted_create(&format_protobuf, "%evt.type", &style);
	struct drive *world = *state;
	struct match_line *line;
	struct buf out = {0};

	assert_int_equal(match_line_create(&format_protobuf, &rule, &style, &line, NULL), 0);
	match_line_append(line, &world->event, fields, &out);
	EXPECT(&out, "\x17\x22\x0e\x0a\x01R\x12\x01P\x1a\x01t\x22\x03"
		     "100"
		     "\x9a\x01\x04open");
	match_line_destroy(line);
	formatter_destroy(fields);
	buf_finish(&out);
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
	struct formatter *formatter =
		formatted_create(&format_protobuf, "%evt.args", &(const struct text_style){0});
	struct drive *world = *state;
	struct buf out = {0}, seen = {0};

	world_begin(world, EVENT_execve, 100);
	frame_put_bytes(&world->frame, execve__args, args, sizeof(args));
	world_end(world);
	assert_true(formatter_write(formatter, &world->event, &out));
	format_protobuf.records.visit_texts(out.data, out.len, see, &seen);
	buf_append_char(&seen, '\0');
	assert_non_null(strstr(seen.data, "\n\n-x\napassword=hunt\n"));
	formatter_destroy(formatter);
	buf_finish(&seen);
	buf_finish(&out);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_drop),	  cmocka_unit_test(test_end), cmocka_unit_test(test_mark),
	cmocka_unit_test(test_no_memory), cmocka_unit_test(test_id),  cmocka_unit_test(test_match),
	cmocka_unit_test(test_texts),
};

UNIT_GROUP(tests, .setup = formatted_setup, .teardown = world_teardown);
