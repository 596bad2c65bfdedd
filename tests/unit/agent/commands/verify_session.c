/* SPDX-License-Identifier: MIT */
/* Holes, with and without drop records that say them. */
#include "agent/commands/verify.h"
#include "unit.h"

static void add(struct verify_sessions *sessions, uint64_t number, bool redelivered)
{
	const struct verify_record record = {
		.id = "abc-1", .stream_len = 3, .number = number, .redelivered = redelivered};

	assert_int_equal(verify_sessions_add(sessions, &record), 0);
}

static void drop(struct verify_sessions *sessions, const char *id, uint64_t from, uint64_t to,
		 uint64_t count)
{
	const struct verify_record record = {.id = id,
					     .stream_len = 3,
					     .is_drop = true,
					     .from = from,
					     .to = to,
					     .count = count,
					     .cause = "full"};

	assert_int_equal(verify_sessions_add(sessions, &record), 0);
}

static void end(struct verify_sessions *sessions, uint64_t last)
{
	const struct verify_record record = {
		.id = "abc-e1", .stream_len = 3, .is_end = true, .number = last, .cause = "done"};

	assert_int_equal(verify_sessions_add(sessions, &record), 0);
}

static void expect(struct verify_sessions *sessions, bool right, const char *wanted)
{
	struct buf text = {0};

	assert_int_equal(verify_session_append_report(sessions->first, &text), right);
	buf_append_char(&text, '\0');
	assert_string_equal(text.data, wanted);
	buf_finish(&text);
	verify_sessions_finish(sessions);
}

static void test_complete(void **state)
{
	struct verify_sessions sessions = {0};

	for (uint64_t i = 1; i <= 5; i++)
		add(&sessions, i, false);
	end(&sessions, 5);
	expect(&sessions, true,
	       "abc: records 5, numbers 1 to 5, missing 0, sent again 0\n  ended: done\n");
}

static void test_said(void **state)
{
	struct verify_sessions sessions = {0};

	add(&sessions, 1, false);
	drop(&sessions, "abc-d1", 2, 4, 3);
	drop(&sessions, "abc-d1", 2, 4, 3); /* sent again: it counts once */
	add(&sessions, 5, false);
	drop(&sessions, "abc-d2", 0, 0, 9);
	end(&sessions, 5);
	expect(&sessions, true,
	       "abc: records 2, numbers 1 to 5, missing 3, sent again 0\n"
	       "  dropped 3: full\n"
	       "  lost before they had a number 9: full\n"
	       "  ended: done\n");
}

/* What nobody could count is said, too. */
static void test_unknown_count(void **state)
{
	const struct verify_record unknown = {
		.id = "abc-d7", .stream_len = 3, .is_drop = true, .after = 1, .cause = "killed"};
	struct verify_sessions sessions = {0};

	add(&sessions, 1, false);
	assert_int_equal(verify_sessions_add(&sessions, &unknown), 0);
	assert_int_equal(verify_sessions_add(&sessions, &unknown), 0);
	add(&sessions, 2, false);
	end(&sessions, 2);
	expect(&sessions, true,
	       "abc: records 2, numbers 1 to 2, missing 0, sent again 0\n"
	       "  lost, and nobody knows how many, 1 time: killed\n"
	       "  ended: done\n");
}

static void test_not_said(void **state)
{
	struct verify_sessions sessions = {0};

	add(&sessions, 1, false);
	drop(&sessions, "abc-d1", 2, 3, 2);
	add(&sessions, 6, false);
	expect(&sessions, false,
	       "abc: records 2, numbers 1 to 6, missing 4, sent again 0\n"
	       "  dropped 2: full\n"
	       "  missing, and not said: 4 to 5\n"
	       "  the end is missing: nothing says that 6 is the last number\n");
}

/* A drop record about some of a range does not explain more than that. */
static void test_fewer_said(void **state)
{
	struct verify_sessions sessions = {0};

	add(&sessions, 1, false);
	add(&sessions, 3, false);
	add(&sessions, 6, false);
	drop(&sessions, "abc-d1", 2, 5, 2);
	expect(&sessions, false,
	       "abc: records 3, numbers 1 to 6, missing 3, sent again 0\n"
	       "  dropped 2: full\n"
	       "  missing 3, of which drop records say 2\n"
	       "  the end is missing: nothing says that 6 is the last number\n");
}

static void test_repeated(void **state)
{
	struct verify_sessions sessions = {0};

	add(&sessions, 2, false);
	add(&sessions, 1, true); /* in another order, as retries of parts are */
	add(&sessions, 2, true);
	end(&sessions, 2);
	expect(&sessions, true,
	       "abc: records 3, numbers 1 to 2, missing 0, sent again 2\n  ended: done\n");
	add(&sessions, 1, false);
	add(&sessions, 1, false);
	expect(&sessions, false,
	       "abc: records 2, numbers 1 to 1, missing 0, sent again 0\n"
	       "  repeated without a mark: 1\n"
	       "  the end is missing: nothing says that 1 is the last number\n");
}

/* What was cut off is missing; what follows an end needs another one. */
static void test_ends(void **state)
{
	struct verify_sessions sessions = {0};

	add(&sessions, 1, false);
	end(&sessions, 4);
	end(&sessions, 3);
	expect(&sessions, false,
	       "abc: records 1, numbers 1 to 4, missing 3, sent again 0\n"
	       "  missing, and not said: 2 to 4\n"
	       "  ended: done\n");
	add(&sessions, 1, false);
	end(&sessions, 1);
	add(&sessions, 2, false);
	expect(&sessions, false,
	       "abc: records 2, numbers 1 to 2, missing 0, sent again 0\n"
	       "  the end is missing: nothing says that 2 is the last number\n");
	add(&sessions, 1, false);
	sessions.first->is_live = true;
	expect(&sessions, true,
	       "abc: records 1, numbers 1 to 1, missing 0, sent again 0\n"
	       "  live: an agent has the file open, and goes on\n");
	/* A file that begins behind the last record. */
	end(&sessions, 7);
	expect(&sessions, true, "abc: records 0, missing 0, sent again 0\n  ended: done\n");
}

static void end_of(struct verify_sessions *sessions, bool is_of_run, uint64_t last,
		   uint64_t records)
{
	const struct verify_record record = {.id = "abc-e1",
					     .stream_len = 3,
					     .is_end = true,
					     .is_of_run = is_of_run,
					     .number = last,
					     .records = records,
					     .cause = "done"};

	assert_int_equal(verify_sessions_add(sessions, &record), 0);
}

/* Of what begins later its first end says whether it is whole. */
static void test_beginnings(void **state)
{
	struct verify_sessions sessions = {0};

	/* The second run with a spool, with a record that had no number; a file of a rotation. */
	add(&sessions, 3, false);
	drop(&sessions, "abc-d2", 0, 0, 1);
	end_of(&sessions, true, 3, 2);
	expect(&sessions, true,
	       "abc: records 1, numbers 3 to 3, missing 0, sent again 0\n"
	       "  lost before they had a number 1: full\n"
	       "  begins with 3: what was before is not here\n"
	       "  ended: done\n");
	add(&sessions, 3, false);
	end_of(&sessions, false, 3, 1);
	add(&sessions, 4, false);
	end_of(&sessions, true, 4, 4);
	expect(&sessions, true,
	       "abc: records 2, numbers 3 to 4, missing 0, sent again 0\n"
	       "  begins with 3: what was before is not here\n"
	       "  ended: done\n");
	/* Both without their first record. */
	add(&sessions, 3, false);
	end_of(&sessions, true, 3, 2);
	expect(&sessions, false,
	       "abc: records 1, numbers 3 to 3, missing 0, sent again 0\n"
	       "  the beginning is missing: there were 2 records, and those before 3 are not "
	       "here\n"
	       "  ended: done\n");
	add(&sessions, 3, false);
	end_of(&sessions, false, 3, 2);
	expect(&sessions, false,
	       "abc: records 1, numbers 3 to 3, missing 0, sent again 0\n"
	       "  the beginning is missing: there were 2 records, and those before 3 are not "
	       "here\n"
	       "  ended: done\n");
}

static void test_several(void **state)
{
	const struct verify_record other = {.id = "x-1", .stream_len = 1, .number = 1};
	const struct verify_record nobody = {.number = 1};
	struct verify_sessions sessions = {0};
	struct buf text = {0};

	add(&sessions, 1, false);
	assert_int_equal(verify_sessions_add(&sessions, &other), 0);
	assert_int_equal(verify_sessions_add(&sessions, &nobody), 0);
	add(&sessions, 2, false);
	for (const struct verify_session *session = sessions.first; session;
	     session = session->next)
		assert_false(verify_session_append_report(session, &text));
	buf_append_char(&text, '\0');
	assert_string_equal(text.data,
			    "abc: records 2, numbers 1 to 2, missing 0, sent again 0\n"
			    "  the end is missing: nothing says that 2 is the last number\n"
			    "x: records 1, numbers 1 to 1, missing 0, sent again 0\n"
			    "  the end is missing: nothing says that 1 is the last number\n"
			    "without ids: records 1, numbers 1 to 1, missing 0, sent again 0\n"
			    "  the end is missing: nothing says that 1 is the last number\n");
	buf_finish(&text);
	verify_sessions_finish(&sessions);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_complete),      cmocka_unit_test(test_said),
	cmocka_unit_test(test_unknown_count), cmocka_unit_test(test_not_said),
	cmocka_unit_test(test_fewer_said),    cmocka_unit_test(test_repeated),
	cmocka_unit_test(test_ends),	      cmocka_unit_test(test_beginnings),
	cmocka_unit_test(test_several),
};

UNIT_GROUP(tests);
