/* SPDX-License-Identifier: MIT */
/* Records in JSON, of all schemas, and what is none. */
#include "agent/commands/verify.h"

#include <errno.h>
#include <string.h>

#include "sinsp/sinsp.h"
#include "unit.h"

static struct line_reader *reader;

static struct verify_record read_line(const char *line)
{
	struct verify_record record;
	struct error err = {""};

	if (verify_line_reader_read(reader, line, strlen(line), &record, &err))
		fail_msg("%s: %s", line, err.text);
	return record;
}

static void test_event(void **state)
{
	struct verify_record record =
		read_line("{\"evt.id\":\"ab-7\",\"evt.num\":7,\"evt.redelivered\":true}");

	assert_int_equal(record.number, 7);
	assert_int_equal(record.stream_len, 2);
	assert_memory_equal(record.id, "ab", 2);
	assert_true(record.redelivered);
	assert_false(record.is_drop);
	record = read_line("{\"evt.num\":\"18014398509481984\"}");
	assert_int_equal(record.number, 18014398509481984);
	assert_null(record.id);
}

/* The drop record of each schema, as the format writes it. */
static void test_drops(void **state)
{
	const struct schema *schema;

	for (unsigned int i = 0; (schema = schema_get(i)); i++) {
		const struct format_drop drop = {.schema = schema,
						 .id = "ab-d1",
						 .from = 5,
						 .to = 9,
						 .count = 4,
						 .cause = "the queue was full"};
		struct verify_record record;
		struct buf line = {0};

		format_json.records.append_drop(&drop, &line);
		line.data[line.len - 1] = '\0';
		record = read_line(line.data);
		assert_true(record.is_drop);
		assert_true(record.from == 5 && record.to == 9 && record.count == 4);
		assert_string_equal(record.cause, "the queue was full");
		assert_string_equal(record.id, "ab-d1");
		buf_finish(&line);
	}
}

/* Without a count, but with the number of the record before. */
static void test_unknown_count(void **state)
{
	const struct schema *schema;

	for (unsigned int i = 0; (schema = schema_get(i)); i++) {
		const struct format_drop drop = {
			.schema = schema, .id = "ab-d1", .after = 9, .cause = "killed"};
		struct verify_record record;
		struct buf line = {0};

		format_json.records.append_drop(&drop, &line);
		line.data[line.len - 1] = '\0';
		record = read_line(line.data);
		assert_true(record.is_drop && record.after == 9 && !record.count && !record.from);
		buf_finish(&line);
	}
}

/* The end record of each schema. */
static void test_ends(void **state)
{
	const struct schema *schema;

	for (unsigned int i = 0; (schema = schema_get(i)); i++) {
		const struct format_end end = {
			.schema = schema, .id = "ab-e1", .last = 9, .reason = "the run ended"};
		struct verify_record record;
		struct buf line = {0};

		format_json.records.append_end(&end, &line);
		line.data[line.len - 1] = '\0';
		record = read_line(line.data);
		assert_true(record.is_end && !record.is_drop && record.number == 9);
		assert_string_equal(record.cause, "the run ended");
		buf_finish(&line);
	}
}

static void test_wrong(void **state)
{
	static const char *const lines[] = {
		"",
		"x",
		"[1]",
		"{}",
		"{\"evt.num\":0}",
		"{\"evt.num\":-1}",
		"{\"evt.num\":\"x\"}",
		"{\"drop.cause\":\"x\"}",
		"{\"end.reason\":\"x\"}",
		"{\"drop.cause\":\"x\",\"drop.count\":\"x\",\"drop.after\":1}",
		"{\"drop.cause\":\"x\",\"drop.count\":1,\"drop.from\":5,\"drop.to\":4}",
		"{\"evt.num\":1} x",
	};

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct verify_record record;
		struct error err = {""};

		assert_int_equal(
			verify_line_reader_read(reader, lines[i], strlen(lines[i]), &record, &err),
			-EBADMSG);
		assert_true(err.text[0]);
	}
}

static int setup(void **state)
{
	return verify_line_reader_create(&reader);
}

static int teardown(void **state)
{
	verify_line_reader_destroy(reader);
	verify_line_reader_destroy(NULL);
	return 0;
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_event),	      cmocka_unit_test(test_drops),
	cmocka_unit_test(test_unknown_count), cmocka_unit_test(test_ends),
	cmocka_unit_test(test_wrong),
};

UNIT_GROUP(tests, .setup = setup, .teardown = teardown);
