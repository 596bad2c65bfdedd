/* SPDX-License-Identifier: MIT */
/* Columns of protobuf: entries whose length is put in, ids, values that are left out. */
#include "formatted.h"
#include "sinsp/format/protobuf.h"
#include "unit.h"

static void expect(struct buf *out, const char *bytes, size_t len)
{
	assert_int_equal(out->len, len);
	assert_memory_equal(out->data, bytes, len);
	buf_clear(out);
}

#define EXPECT(out, bytes) expect(out, bytes, sizeof(bytes) - 1)

static bool write_ab(struct formatter *formatter, const struct format_column *column,
		     const struct state_event *event, struct buf *out)
{
	buf_append(out, "ab", 2);
	return true;
}

static bool write_none(struct formatter *formatter, const struct format_column *column,
		       const struct state_event *event, struct buf *out)
{
	return false;
}

static bool leave_out(struct formatter *formatter, const struct format_column *column,
		      const struct state_event *event, struct buf *out)
{
	formatter->left_out = true;
	return false;
}

static struct formatter *create(const char *format)
{
	return formatted_create(&format_protobuf, format, &(const struct text_style){0});
}

static void test_entry(void **state)
{
	struct formatter *formatter = create("*%evt.num");
	struct format_column *column = &formatter->columns[0];
	const struct format_span one = {formatter->columns, formatter->columns + 1};
	struct drive *world = *state;
	struct buf key = {0}, out = {0};

	BUF_LITERAL(&key, "k");
	assert_int_equal(protobuf_keep_entry(formatter, column, 6, &key, &column->before), 0);
	column->write = write_ab;
	assert_true(protobuf_append_columns(formatter, &one, &world->event, &out));
	EXPECT(&out, "\x32\x06\x0a\x01k\x12"
		     "ab");
	/* The tag may have two bytes. */
	assert_int_equal(protobuf_keep_entry(formatter, column, 16, &key, &column->before), 0);
	assert_true(protobuf_append_columns(formatter, &one, &world->event, &out));
	EXPECT(&out, "\x82\x01\x06\x0a\x01k\x12"
		     "ab");
	column->write = write_none;
	assert_true(protobuf_append_columns(formatter, &one, &world->event, &out));
	assert_int_equal(out.len, 0);
	buf_finish(&key);
	buf_finish(&out);
	formatter_destroy(formatter);
}

/* A format without '*' drops events that lack a value, but not those where it is left out. */
static void test_missing(void **state)
{
	struct formatter *formatter = create("%evt.num");
	const struct format_span one = {formatter->columns, formatter->columns + 1};
	struct drive *world = *state;
	struct buf out = {0};

	formatter->columns[0].write = write_none;
	assert_false(protobuf_append_columns(formatter, &one, &world->event, &out));
	formatter->columns[0].write = leave_out;
	assert_true(protobuf_append_columns(formatter, &one, &world->event, &out));
	assert_false(formatter->left_out);
	assert_int_equal(out.len, 0);
	formatter_destroy(formatter);
	buf_finish(&out);
}

static void test_id(void **state)
{
	struct formatter *formatter = create("%evt.num");
	struct drive *world = *state;
	struct format_column column = {0};
	const struct format_span one = {formatter->columns, formatter->columns + 1};
	struct buf out = {0};

	assert_int_equal(protobuf_id_init(formatter, &column, 1, "f00"), 0);
	formatter->columns[0] = column;
	world->event.num = 12;
	assert_true(protobuf_append_columns(formatter, &one, &world->event, &out));
	EXPECT(&out, "\x0a\x06"
		     "f00-12");
	buf_finish(&out);
	formatter_destroy(formatter);
}

static void test_values(void **state)
{
	struct buf out = {0};

	protobuf_append_text(&out, 1, "a");
	protobuf_append_number(&out, 2, 300);
	protobuf_append_number(&out, 2, 0);
	protobuf_append_fixed(&out, 3, 1);
	protobuf_append_fixed(&out, 3, 0);
	EXPECT(&out, "\x0a\x01"
		     "a\x10\xac\x02\x19\x01\0\0\0\0\0\0\0");
	buf_finish(&out);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_entry),
	cmocka_unit_test(test_missing),
	cmocka_unit_test(test_id),
	cmocka_unit_test(test_values),
};

UNIT_GROUP(tests, .setup = formatted_setup, .teardown = world_teardown);
