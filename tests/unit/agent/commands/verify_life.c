/* SPDX-License-Identifier: MIT */
/* Holes, with and without drop records that say them. */
#include "agent/commands/verify.h"
#include "unit.h"

static void add(struct lives *lives, uint64_t number, bool redelivered)
{
	const struct verify_record record = {
		.id = "abc-1", .stream_len = 3, .number = number, .redelivered = redelivered};

	assert_int_equal(lives_add(lives, &record), 0);
}

static void drop(struct lives *lives, const char *id, uint64_t from, uint64_t to, uint64_t count)
{
	const struct verify_record record = {.id = id,
					     .stream_len = 3,
					     .is_drop = true,
					     .from = from,
					     .to = to,
					     .count = count,
					     .cause = "full"};

	assert_int_equal(lives_add(lives, &record), 0);
}

static void expect(struct lives *lives, bool right, const char *wanted)
{
	struct buf text = {0};

	assert_int_equal(life_append_report(lives->first, &text), right);
	buf_append_char(&text, '\0');
	assert_string_equal(text.data, wanted);
	buf_finish(&text);
	lives_finish(lives);
}

static void test_complete(void **state)
{
	struct lives lives = {0};

	for (uint64_t i = 1; i <= 5; i++)
		add(&lives, i, false);
	expect(&lives, true, "abc: records 5, numbers 1 to 5, missing 0, sent again 0\n");
}

static void test_said(void **state)
{
	struct lives lives = {0};

	add(&lives, 1, false);
	drop(&lives, "abc-d1", 2, 4, 3);
	drop(&lives, "abc-d1", 2, 4, 3); /* sent again: it counts once */
	add(&lives, 5, false);
	drop(&lives, "abc-d2", 0, 0, 9);
	expect(&lives, true,
	       "abc: records 2, numbers 1 to 5, missing 3, sent again 0\n"
	       "  dropped 3: full\n"
	       "  lost before they had a number 9: full\n");
}

/* What nobody could count is said, too. */
static void test_unknown_count(void **state)
{
	const struct verify_record unknown = {
		.id = "abc-d7", .stream_len = 3, .is_drop = true, .after = 1, .cause = "killed"};
	struct lives lives = {0};

	add(&lives, 1, false);
	assert_int_equal(lives_add(&lives, &unknown), 0);
	assert_int_equal(lives_add(&lives, &unknown), 0);
	add(&lives, 2, false);
	expect(&lives, true,
	       "abc: records 2, numbers 1 to 2, missing 0, sent again 0\n"
	       "  lost, and nobody knows how many, 1 time: killed\n");
}

static void test_not_said(void **state)
{
	struct lives lives = {0};

	add(&lives, 1, false);
	drop(&lives, "abc-d1", 2, 3, 2);
	add(&lives, 6, false);
	expect(&lives, false,
	       "abc: records 2, numbers 1 to 6, missing 4, sent again 0\n"
	       "  dropped 2: full\n"
	       "  missing, and not said: 4 to 5\n");
}

/* A drop record about some of a range does not explain more than that. */
static void test_fewer_said(void **state)
{
	struct lives lives = {0};

	add(&lives, 1, false);
	add(&lives, 3, false);
	add(&lives, 6, false);
	drop(&lives, "abc-d1", 2, 5, 2);
	expect(&lives, false,
	       "abc: records 3, numbers 1 to 6, missing 3, sent again 0\n"
	       "  dropped 2: full\n"
	       "  missing 3, of which drop records say 2\n");
}

static void test_repeated(void **state)
{
	struct lives lives = {0};

	add(&lives, 2, false);
	add(&lives, 1, true); /* in another order, as retries of parts are */
	add(&lives, 2, true);
	expect(&lives, true, "abc: records 3, numbers 1 to 2, missing 0, sent again 2\n");
	add(&lives, 1, false);
	add(&lives, 1, false);
	expect(&lives, false,
	       "abc: records 2, numbers 1 to 1, missing 0, sent again 0\n"
	       "  repeated without a mark: 1\n");
}

static void test_several(void **state)
{
	const struct verify_record other = {.id = "x-1", .stream_len = 1, .number = 1};
	const struct verify_record nobody = {.number = 1};
	struct lives lives = {0};
	struct buf text = {0};

	add(&lives, 1, false);
	assert_int_equal(lives_add(&lives, &other), 0);
	assert_int_equal(lives_add(&lives, &nobody), 0);
	add(&lives, 2, false);
	for (const struct life *life = lives.first; life; life = life->next)
		assert_true(life_append_report(life, &text));
	buf_append_char(&text, '\0');
	assert_string_equal(text.data,
			    "abc: records 2, numbers 1 to 2, missing 0, sent again 0\n"
			    "x: records 1, numbers 1 to 1, missing 0, sent again 0\n"
			    "without ids: records 1, numbers 1 to 1, missing 0, sent again 0\n");
	buf_finish(&text);
	lives_finish(&lives);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_complete),      cmocka_unit_test(test_said),
	cmocka_unit_test(test_unknown_count), cmocka_unit_test(test_not_said),
	cmocka_unit_test(test_fewer_said),    cmocka_unit_test(test_repeated),
	cmocka_unit_test(test_several),
};

UNIT_GROUP(tests);
