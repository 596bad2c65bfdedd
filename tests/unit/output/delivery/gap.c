/* SPDX-License-Identifier: MIT */
/* Gaps that grow and merge, and what formats get of them. */
#include "output/delivery/gap.h"

#include <string.h>

#include "sinsp/format/drop.h"
#include "unit.h"

static const struct output_record records[] = {
	{.number = 7, .ts_ns = 100, .event = EVENT_open},
	{.number = 8, .ts_ns = 90, .event = EVENT_close},
	{.number = 9, .ts_ns = 300, .event = EVENT_open},
};

static void test_one_gap(void **state)
{
	struct format_drop_type types[EVENT_ID_MAX];
	struct gaps gaps = {0};
	struct format_drop drop;

	assert_true(gaps_are_empty(&gaps));
	for (size_t i = 0; i < 3; i++)
		gaps_add(&gaps, GAP_QUEUE_FULL, &records[i]);
	assert_false(gaps_are_empty(&gaps));
	gap_describe(gaps.by_cause[GAP_QUEUE_FULL], GAP_QUEUE_FULL, 6, types, &drop);
	assert_int_equal(drop.from, 7);
	assert_int_equal(drop.to, 9);
	assert_int_equal(drop.count, 3);
	assert_int_equal(drop.after, 0);
	assert_int_equal(drop.first_ns, 90);
	assert_int_equal(drop.last_ns, 300);
	assert_string_equal(drop.cause, "the queue was full");
	assert_int_equal(drop.types_count, 2);
	for (size_t i = 0; i < 2; i++)
		assert_int_equal(types[i].count,
				 types[i].name == event_desc_get(EVENT_open)->name ? 2 : 1);
	gaps_clear(&gaps);
	assert_true(gaps_are_empty(&gaps));
}

/* Causes stay apart, the same ones become one. */
static void test_move(void **state)
{
	struct gaps gaps = {0}, others = {0};

	gaps_add(&gaps, GAP_QUEUE_FULL, &records[2]);
	gaps_add(&others, GAP_QUEUE_FULL, &records[0]);
	gaps_add(&others, GAP_REJECTED, &records[1]);
	gaps_move(&gaps, &others);
	assert_true(gaps_are_empty(&others));
	assert_int_equal(gaps.by_cause[GAP_QUEUE_FULL]->from, 7);
	assert_int_equal(gaps.by_cause[GAP_QUEUE_FULL]->to, 9);
	assert_int_equal(gaps.by_cause[GAP_QUEUE_FULL]->count, 2);
	assert_int_equal(gaps.by_cause[GAP_QUEUE_FULL]->types[EVENT_open], 2);
	assert_int_equal(gaps.by_cause[GAP_QUEUE_FULL]->first_ns, 100);
	assert_int_equal(gaps.by_cause[GAP_REJECTED]->count, 1);
	gaps_clear(&gaps);
}

/* Of an unknown number it is said what was before. */
static void test_unknown_count(void **state)
{
	const struct gap unknown = {.first_ns = 5, .last_ns = 9};
	struct format_drop_type types[EVENT_ID_MAX];
	struct gaps gaps = {0};
	struct format_drop drop;

	gaps_add_gap(&gaps, GAP_INTERRUPTED, &unknown);
	gap_describe(gaps.by_cause[GAP_INTERRUPTED], GAP_INTERRUPTED, 6, types, &drop);
	assert_int_equal(drop.count, 0);
	assert_int_equal(drop.after, 6);
	assert_int_equal(drop.from, 0);
	assert_int_equal(drop.to, 0);
	assert_int_equal(drop.first_ns, 5);
	assert_int_equal(drop.last_ns, 9);
	assert_false(gap_cause_is_counted(GAP_INTERRUPTED));
	assert_true(gap_cause_is_counted(GAP_SPOOL_POWER));
	gaps_clear(&gaps);
}

static void test_whole_gap(void **state)
{
	const struct gap more = {.from = 3, .to = 5, .count = 2, .types[EVENT_open] = 2};
	struct gaps gaps = {0};

	gaps_add_gap(&gaps, GAP_SPOOL_LIMIT, &more);
	gaps_add(&gaps, GAP_SPOOL_LIMIT, &records[0]);
	assert_int_equal(gaps.by_cause[GAP_SPOOL_LIMIT]->from, 3);
	assert_int_equal(gaps.by_cause[GAP_SPOOL_LIMIT]->to, 7);
	assert_int_equal(gaps.by_cause[GAP_SPOOL_LIMIT]->types[EVENT_open], 3);
	gaps_clear(&gaps);
}

static void test_names(void **state)
{
	for (unsigned int i = 0; i < GAP_CAUSES; i++) {
		const char *name = gap_cause_name((enum gap_cause)i);

		assert_non_null(name);
		assert_int_equal(strspn(name, "abcdefghijklmnopqrstuvwxyz_"), strlen(name));
		assert_non_null(gap_cause_text((enum gap_cause)i));
	}
#define EXPECT_TEXT(name, text)                                                                    \
	assert_string_equal(gap_cause_text(GAP_KERNEL_##name), "lost in the kernel: " text);
	LOSS_CAUSES(EXPECT_TEXT)
#undef EXPECT_TEXT
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_one_gap),	      cmocka_unit_test(test_move),
	cmocka_unit_test(test_unknown_count), cmocka_unit_test(test_whole_gap),
	cmocka_unit_test(test_names),
};

UNIT_GROUP(tests);
