/* SPDX-License-Identifier: MIT */
/* Responses of which the end was not captured: they last until the client asks again. */
#include <string.h>

#include "talked.h"
#include "unit.h"

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

/* A client that does not wait for its responses may have asked before the end of the first one. */
static void ends_at_once_if_requests_overlap(void **state)
{
	struct talked *talked = *state;

	ASK(talked, QUERY QUERY);
	talked_piece(talked, DIRECTION_OUT, ROWS, 5000, ROWS_BYTES);
	assert_line(talked, "SELECT SELECT a - -");
	assert_line(talked, "none");
	assert_int_equal(talked_account(talked, request_protocols__mysql).lost, 1);
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

#define GET "GET / HTTP/1.1\r\n\r\n"
#define CHUNKED "HTTP/1.1 503 No\r\nTransfer-Encoding: chunked\r\n\r\n"
#define HEAD_BYTES (sizeof(CHUNKED) - 1)

/* Chunks whose length is not known, wherever the bytes end. */
static void a_body_in_chunks_lasts_until_the_client_asks_again(void **state)
{
	static const char response[] = CHUNKED "5\r\nHTTP/\r\n10;x=y\r\n0123456789abcdef\r\n3";
	struct talked *talked = *state;
	const struct event *event;

	for (size_t captured = HEAD_BYTES; captured < sizeof(response); captured++) {
		ASK(talked, GET);
		talked_piece(talked, DIRECTION_OUT, response, 9000, captured);
		talked_piece(talked, DIRECTION_OUT, "5\r\nabcde\r\n0\r\n\r\n", 15, 15);
		assert_line(talked, "none");
		ASK(talked, GET);
		event = talked_next(talked);
		assert_non_null(event);
		assert_int_equal(event_param_i64(event, request__response_size), 9015);
		assert_int_equal(event_param_i64(event, request__status), 503);
		ANSWER(talked, "HTTP/1.1 204 No\r\n\r\n");
		assert_line(talked, "GET / 204 -");
	}
	assert_int_equal(talked_account(talked, request_protocols__http).lost, 0);
	/* The length of a chunk whose bytes are missing leads to the next one. */
	ASK(talked, GET);
	talked_piece(talked, DIRECTION_OUT, CHUNKED "1000\r\nx", HEAD_BYTES + 6 + 0x1000 + 2,
		     HEAD_BYTES + 7);
	assert_line(talked, "none");
	ANSWER(talked, "0\r\n\r\n");
	assert_line(talked, "GET / 503 503");
}

static void a_request_in_chunks_lasts_until_it_is_answered(void **state)
{
	static const char request[] =
		"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nHTTP/\r\n7";
	struct talked *talked = *state;
	const struct event *event;

	for (size_t captured = sizeof(request) - 12; captured < sizeof(request); captured++) {
		talked_piece(talked, DIRECTION_IN, request, 9000, captured);
		ANSWER(talked, "HTTP/1.1 100 Continue\r\n\r\n");
		talked_piece(talked, DIRECTION_IN, "0\r\n\r\n", 5, 5);
		assert_line(talked, "none");
		ANSWER(talked, "HTTP/1.1 204 No\r\n\r\n");
		event = talked_next(talked);
		assert_non_null(event);
		assert_int_equal(event_param_i64(event, request__request_size), 9005);
		ASK(talked, GET);
		ANSWER(talked, "HTTP/1.1 204 No\r\n\r\n");
		assert_line(talked, "GET / 204 -");
	}
	assert_int_equal(talked_account(talked, request_protocols__http).lost, 0);
}

/* Calls that nobody saw may have had other requests and responses. */
static void is_lost_with_calls_that_nobody_saw(void **state)
{
	struct talked *talked = *state;

	ASK(talked, QUERY);
	ANSWER(talked, ROWS);
	talked_miss(talked, DIRECTION_OUT, 1000);
	talked_piece(talked, DIRECTION_OUT, "xxxx", 4, 4);
	ASK(talked, QUERY);
	assert_line(talked, "none");
	assert_int_equal(talked_account(talked, request_protocols__mysql).lost, 1);
}

static const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, talked_setup, talked_teardown)
	TEST(ends_when_the_client_asks_again),
	TEST(is_lost_before_its_rows),
	TEST(ends_at_once_if_requests_overlap),
	TEST(ends_with_the_connection),
	TEST(a_file_lasts_until_it_is_answered),
	TEST(a_body_in_chunks_lasts_until_the_client_asks_again),
	TEST(a_request_in_chunks_lasts_until_it_is_answered),
	TEST(is_lost_with_calls_that_nobody_saw),
};

UNIT_GROUP(tests);
