/* SPDX-License-Identifier: MIT */
/* Text of outputs: drop records, marks. */
#include "sinsp/format/formatter.h"
#include "unit.h"

static void expect_drop(const struct format_drop *drop, const char *line)
{
	struct buf out = {0};

	format_text.records.append_drop(drop, &out);
	buf_append_char(&out, '\0');
	assert_string_equal(out.data, line);
	buf_finish(&out);
}

static void test_drop(void **state)
{
	static const struct format_drop_type types[] = {{"openat", 3}, {"close", 2}};
	const struct format_drop all_known = {
		.id = "f00-119d",
		.from = 120,
		.to = 124,
		.count = 5,
		.first_ns = UINT64_C(1795294236000000001),
		.last_ns = UINT64_C(1795294237000000002),
		.cause = "the queue was full",
		.types = types,
		.types_count = 2,
	};
	const struct format_drop unnumbered = {.count = 1, .cause = "x"};
	const struct format_drop unknown = {.after = 7, .cause = "x"};

	expect_drop(&all_known,
		    "drop: 5 records, 120 to 124, 2026-11-21T20:50:36.000000001Z to "
		    "2026-11-21T20:50:37.000000002Z: the queue was full (openat 3, close 2)\n");
	expect_drop(&unnumbered, "drop: 1 record: x\n");
	expect_drop(&unknown, "drop: an unknown number of records, after 7: x\n");
}

static void test_end(void **state)
{
	const struct format_end run = {
		.last = 9, .records = 8, .dropped = 2, .knows_dropped = true, .reason = "x"};
	const struct format_end file = {.last = 1, .records = 1, .reason = "y"};
	struct buf out = {0};

	format_text.records.append_end(&run, &out);
	format_text.records.append_end(&file, &out);
	buf_append_char(&out, '\0');
	assert_string_equal(out.data, "end: 8 records, the last is 9, 2 dropped: x\n"
				      "end: 1 record, the last is 1: y\n");
	buf_finish(&out);
}

static void test_mark(void **state)
{
	struct buf out = {0};

	format_text.records.mark_redelivered(NULL, "1 open\n", 7, &out);
	buf_append_char(&out, '\0');
	assert_string_equal(out.data, "redelivered: 1 open\n");
	buf_finish(&out);
}

static void test_no_memory(void **state)
{
	char memory[16];
	struct buf out = buf_fixed(memory, sizeof(memory));

	format_text.records.mark_redelivered(NULL, "1 open\n", 7, &out);
	assert_true(out.failed);
	assert_int_equal(out.len, 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_drop),
	cmocka_unit_test(test_end),
	cmocka_unit_test(test_mark),
	cmocka_unit_test(test_no_memory),
};

UNIT_GROUP(tests);
