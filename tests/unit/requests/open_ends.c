/* SPDX-License-Identifier: MIT */
/* Responses of which the end was not captured: they last until the client asks again. */
#include <string.h>

#include "talked.h"
#include "unit.h"

static int setup(void **state)
{
	static struct talked talked;

	talked_begin(&talked, NULL);
	talked_accept(&talked);
	*state = &talked;
	return 0;
}

static int teardown(void **state)
{
	talked_finish(*state);
	return 0;
}

#define ASK(talked, bytes)                                                                         \
	talked_piece(talked, DIRECTION_IN, bytes, sizeof(bytes) - 1, sizeof(bytes) - 1)
#define ANSWER(talked, bytes)                                                                      \
	talked_piece(talked, DIRECTION_OUT, bytes, sizeof(bytes) - 1, sizeof(bytes) - 1)
#define assert_line(talked, line) assert_string_equal(talked_line(talked), line)

#define QUERY "\x09\0\0\0\3SELECT a"
#define OK "\7\0\0\1\0\0\0\2\0\0\0"
#define ROWS "\1\0\0\1\1\5\0\0\2\3defx\5\0\0\3\xfe\0\0\2\0\2\0\0\4\1x\2\0\0\5\1y"

enum { ROWS_BYTES = sizeof(ROWS) - 1, BEFORE_ROWS = 23 /* bytes, and a header */ };

/* Whatever was captured of a response behind its first row, and then not. */
static void ends_when_the_client_asks_again(void **state)
{
	struct talked *talked = *state;

	for (size_t captured = BEFORE_ROWS + 6; captured <= ROWS_BYTES; captured++) {
		const struct event *event;
		uint64_t last_ns;

		ASK(talked, QUERY);
		talked_piece(talked, DIRECTION_OUT, ROWS, 5000, captured);
		assert_line(talked, "none");
		last_ns = talked->drive.ts_ns;
		talked_piece(talked, DIRECTION_OUT, NULL, 3000, 0);
		assert_line(talked, "none");
		talked->drive.ts_ns += 1000000;
		ASK(talked, QUERY);
		event = talked_next(talked);
		assert_non_null(event);
		assert_int_equal(event_param_i64(event, request__response_size), 8000);
		assert_int_equal(event->ts_ns, last_ns);
		assert_false(event_param_present(event, request__error));
		ANSWER(talked, OK);
		assert_line(talked, "SELECT SELECT a - -");
	}
	assert_int_equal(talked_account(talked, request_protocols__mysql).lost, 0);
}

/* Nothing is known of what was not there to the first row. */
static void is_lost_before_its_rows(void **state)
{
	struct talked *talked = *state;

	ASK(talked, QUERY);
	talked_piece(talked, DIRECTION_OUT, ROWS, 5000, 20);
	ASK(talked, QUERY);
	ANSWER(talked, OK);
	assert_int_equal(talked_account(talked, request_protocols__mysql).lost, 1);
}

/* A client that does not wait for its responses may have asked before the end. */
static void is_lost_if_requests_overlap(void **state)
{
	struct talked *talked = *state;

	ASK(talked, QUERY QUERY);
	talked_piece(talked, DIRECTION_OUT, ROWS, 5000, ROWS_BYTES);
	assert_int_equal(talked_account(talked, request_protocols__mysql).lost, 2);
}

static void ends_with_the_connection(void **state)
{
	struct talked *talked = *state;

	ASK(talked, QUERY);
	talked_piece(talked, DIRECTION_OUT, ROWS, 5000, ROWS_BYTES);
	talked_close(talked);
	assert_line(talked, "SELECT SELECT a - -");
	talked_accept(talked);
	ASK(talked, QUERY);
	talked_piece(talked, DIRECTION_OUT, ROWS, 5000, ROWS_BYTES);
	requests_step(talked->requests, talked->drive.ts_ns + REQUESTS_TIMEOUT_NS);
	assert_line(talked, "SELECT SELECT a - -");
	ASK(talked, QUERY);
	ANSWER(talked, OK);
	assert_line(talked, "SELECT SELECT a - -");
	assert_int_equal(talked_account(talked, request_protocols__mysql).lost, 0);
}

/* A file behind a request, or its end, is no request. */
static void a_file_lasts_until_it_is_answered(void **state)
{
	static const char file[] = "\x58\x1b\0\2a\nb\n";
	struct talked *talked = *state;

	for (size_t captured = 4; captured < sizeof(file); captured++) {
		ASK(talked, "\7\0\0\0\3LOAD x");
		ANSWER(talked, "\2\0\0\1\xfb/");
		talked_piece(talked, DIRECTION_IN, file, 7000 + 4 + 5, captured);
		talked_piece(talked, DIRECTION_IN, NULL, 20, 0);
		ANSWER(talked, "\7\0\0\4\0\0\0\2\0\0\0");
		assert_line(talked, "LOAD LOAD x - -");
		ASK(talked, QUERY);
		ANSWER(talked, OK);
		assert_line(talked, "SELECT SELECT a - -");
	}
	assert_int_equal(talked_account(talked, request_protocols__mysql).lost, 0);
	assert_int_equal(talked_account(talked, request_protocols__mysql).unknown, 0);
}

static const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	TEST(ends_when_the_client_asks_again),	 TEST(is_lost_before_its_rows),
	TEST(is_lost_if_requests_overlap),	 TEST(ends_with_the_connection),
	TEST(a_file_lasts_until_it_is_answered),
};

UNIT_GROUP(tests);
