/* SPDX-License-Identifier: MIT */
/* Drop records and marks, in the format of an output. */
#include "output/delivery/batch.h"

#include <string.h>

#include "sinsp/format/formatter.h"
#include "unit.h"

static const struct output_record lost = {.number = 4, .ts_ns = 1, .event = EVENT_open};

static void test_records(void **state)
{
	const struct output_form form = {.format = &format_text, .stream = "abc"};
	struct batch batch = {0};
	struct gaps gaps = {0};

	gaps_add(&gaps, GAP_QUEUE_FULL, &lost);
	gaps_add(&gaps, GAP_REJECTED, &lost);
	batch_drops_add(&form, &gaps, 3, &batch);
	assert_int_equal(batch_count(&batch), 2);
	assert_int_equal(batch.records[0].number, 3);
	assert_int_equal(batch.records[0].flags, RECORD_IS_DROP);
	assert_non_null(strstr(batch.records[0].bytes, "drop: 1 record, 4 to 4, "));
	assert_non_null(strstr(batch.records[1].bytes, ": rejected by the target (open 1)\n"));
	assert_false(gaps_are_empty(&gaps));
	gaps_clear(&gaps);
	batch_finish(&batch);
}

/* The end stands behind what is missing. */
static void test_end(void **state)
{
	const struct output_form form = {.format = &format_json, .stream = "abc"};
	struct gaps from = {.end = {"it ended", 9, 8, 2, 1}}, gaps = {0};
	struct batch batch = {0};

	assert_false(gaps_are_empty(&from));
	gaps_move_end(&gaps, &from);
	assert_true(gaps_are_empty(&from));
	gaps_move_end(&gaps, &from); /* none: the other one stays */
	gaps_add(&gaps, GAP_QUEUE_FULL, &lost);
	batch_drops_add(&form, &gaps, 3, &batch);
	assert_int_equal(batch_count(&batch), 2);
	assert_int_equal(batch.records[1].flags, RECORD_IS_DROP | RECORD_IS_END);
	assert_int_equal(batch.records[1].number, 3);
	assert_memory_equal(batch.records[1].bytes, "{\"evt.id\":\"abc-e", 16);
	assert_non_null(strstr(batch.records[1].bytes,
			       "\"evt.type\":\"end\",\"end.reason\":\"it ended\","
			       "\"end.last\":9,\"end.records\":8,\"end.dropped\":2}\n"));
	gaps_clear(&gaps);
	assert_true(gaps_are_empty(&gaps));
	batch_finish(&batch);
}

/* No two drop records have the same id, whatever the run. */
static void test_ids(void **state)
{
	const struct output_form form = {.format = &format_json, .stream = "abc"};
	struct batch batch = {0};
	struct gaps gaps = {0};

	gaps_add(&gaps, GAP_QUEUE_FULL, &lost);
	batch_drops_add(&form, &gaps, 3, &batch);
	batch_drops_add(&form, &gaps, 3, &batch);
	assert_memory_equal(batch.records[0].bytes, "{\"evt.id\":\"abc-d", 16);
	assert_memory_not_equal(batch.records[0].bytes, batch.records[1].bytes, 40);
	gaps_clear(&gaps);
	batch_finish(&batch);
}

static void test_marks(void **state)
{
	const struct output_form form = {.format = &format_text, .stream = "abc"};
	const struct output_record record = {.bytes = "x\n", .len = 2};
	struct buf text = {0};

	batch_drops_mark(&form, &record, &text);
	assert_int_equal(text.len, strlen("redelivered: x\n"));
	assert_memory_equal(text.data, "redelivered: x\n", text.len);
	buf_finish(&text);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_records),
	cmocka_unit_test(test_end),
	cmocka_unit_test(test_ids),
	cmocka_unit_test(test_marks),
};

UNIT_GROUP(tests);
