/* SPDX-License-Identifier: MIT */
/* Calls of which only the beginning is captured, where a message is longer than that. */
#include "talked.h"
#include "unit.h"
#include "util/buf.h"

#include <string.h>

enum { CAPTURED = REQUESTS_LIMIT_DEFAULT };

static void begin(struct talked *talked)
{
	*talked = (struct talked){0};
	talked_begin(talked, NULL);
	talked_accept(talked);
}

static void fill(struct buf *buf, size_t len)
{
	while (buf->len < len)
		buf_append_char(buf, 'c');
}

/* One call with all bytes, and what is captured of them. */
static void say_cut(struct talked *talked, enum recognition_direction direction,
		    const struct buf *bytes)
{
	assert_false(bytes->failed);
	assert_true(bytes->len > CAPTURED);
	talked_piece(talked, direction, bytes->data, bytes->len, CAPTURED);
}

static void expect_all_wanted(struct talked *talked)
{
	struct requests_limit limit;

	assert_true(requests_next_limit(talked->requests, &limit));
	assert_int_equal(limit.ino, talked->ino);
	assert_int_equal(limit.bytes, REQUESTS_LIMIT_ALL);
	assert_false(requests_next_limit(talked->requests, &limit));
}

static void append_request(struct buf *buf, size_t len)
{
	BUF_LITERAL(buf, "GET /a HTTP/1.1\r\nHost: h\r\nCookie: ");
	fill(buf, len - 4);
	BUF_LITERAL(buf, "\r\n\r\n");
}

static void append_response(struct buf *buf, size_t len)
{
	BUF_LITERAL(buf, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nSet-Cookie: ");
	fill(buf, len - 4);
	BUF_LITERAL(buf, "\r\n\r\n");
}

/* How many requests have ended; each of them is `line`. */
static unsigned int count_lines(struct talked *talked, const char *line)
{
	unsigned int count = 0;

	for (;; count++) {
		const char *one = talked_line(talked);

		if (strcmp(one, "none") == 0)
			return count;
		assert_string_equal(one, line);
	}
}

/* A head lasts until it is answered, a response until the client asks again. */
static void test_long_heads(void **state)
{
	enum { COUNT = 100 };
	struct requests_protocol_stats account;
	struct buf request = {0}, response = {0};
	struct talked talked;

	begin(&talked);
	append_request(&request, 3000);
	append_response(&response, 5000);
	for (int i = 0; i < COUNT; i++) {
		const struct event *event;

		say_cut(&talked, DIRECTION_IN, &request);
		if (i == 0)
			expect_all_wanted(&talked);
		if (i % 2)
			say_cut(&talked, DIRECTION_OUT, &response);
		else
			talked_text(&talked, DIRECTION_OUT, "HTTP/1.1 204 No Content\r\n\r\n");
		event = talked_next(&talked);
		assert_int_equal(event != NULL, i % 2 == 0);
		if (!event)
			continue;
		assert_int_equal(event_param_i64(event, request__request_size), 3000);
		if (i == 0)
			continue;
		assert_int_equal(event_param_i64(event, request__response_size), 5000);
		assert_string_equal(talked_line(&talked), "GET /a 204 -");
	}
	talked_close(&talked);
	account = talked_account(&talked, request_protocols__http);
	assert_int_equal(account.reported, COUNT);
	assert_int_equal(account.lost + account.unknown, 0);
	talked_finish(&talked);
	buf_finish(&request);
	buf_finish(&response);
}

/* With requests before a response nobody knows where the next one begins: what was known stands. */
static void test_long_heads_in_a_row(void **state)
{
	struct buf request = {0};
	struct requests_stats stats;
	struct talked talked;

	begin(&talked);
	append_request(&request, 3000);
	for (int i = 0; i < 100; i++) {
		talked_text(&talked, DIRECTION_IN, "GET /a HTTP/1.1\r\n\r\n");
		say_cut(&talked, DIRECTION_IN, &request);
		talked_text(&talked, DIRECTION_OUT,
			    "HTTP/1.1 204 No\r\n\r\nHTTP/1.1 204 No\r\n\r\n");
		assert_in_range(count_lines(&talked, "GET /a 204 -"), 0, 2);
	}
	requests_stats(talked.requests, &stats);
	assert_int_equal(stats.given_up, 0);
	assert_int_equal(stats.opaque, 0);
	talked_finish(&talked);
	buf_finish(&request);
}

static void append_pipeline(struct buf *commands, struct buf *replies, int count)
{
	for (int i = 0; i < count; i++) {
		BUF_LITERAL(commands, "*2\r\n$4\r\nPING\r\n$2\r\nhi\r\n");
		BUF_LITERAL(replies, "$2\r\nhi\r\n");
	}
}

/* Of the first pipeline a part is cut; behind it all is known, once the sides are in step again. */
static void test_long_pipelines(void **state)
{
	enum { EACH = 64, ROUNDS = 10 };
	struct buf commands = {0}, replies = {0};
	struct talked talked;
	unsigned int count;

	begin(&talked);
	append_pipeline(&commands, &replies, EACH);
	say_cut(&talked, DIRECTION_IN, &commands);
	expect_all_wanted(&talked);
	talked_piece(&talked, DIRECTION_OUT, replies.data, replies.len, replies.len);
	count = count_lines(&talked, "PING - - -");
	/* In the middle of another one, whose name is known. */
	assert_int_equal(count, CAPTURED / (commands.len / EACH) + 1);
	for (int i = 0; i < ROUNDS; i++) {
		talked_piece(&talked, DIRECTION_IN, commands.data, commands.len, commands.len);
		talked_piece(&talked, DIRECTION_OUT, replies.data, replies.len, replies.len);
		count += count_lines(&talked, "PING - - -");
	}
	assert_true(count > (ROUNDS - 2) * EACH);
	assert_int_equal(talked_account(&talked, request_protocols__redis).reported, count);
	talked_finish(&talked);
	buf_finish(&commands);
	buf_finish(&replies);
}

/* A length that is none: its message is known, and what follows is searched. */
static void test_lengths_that_are_none(void **state)
{
	struct talked talked;
	unsigned int count = 0;

	begin(&talked);
	talked_text(&talked, DIRECTION_IN, "GET /a HTTP/1.1\r\n\r\n");
	talked_text(&talked, DIRECTION_OUT,
		    "HTTP/1.1 500 E\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab");
	assert_string_equal(talked_line(&talked), "GET /a 500 500");
	for (int i = 0; i < 5; i++) {
		talked_text(&talked, DIRECTION_IN, "GET /b HTTP/1.1\r\n\r\n");
		talked_text(&talked, DIRECTION_OUT, "HTTP/1.1 204 No\r\n\r\n");
		count += count_lines(&talked, "GET /b 204 -");
	}
	assert_in_range(count, 3, 5);
	talked_finish(&talked);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_long_heads),
	cmocka_unit_test(test_long_heads_in_a_row),
	cmocka_unit_test(test_long_pipelines),
	cmocka_unit_test(test_lengths_that_are_none),
};

UNIT_GROUP(tests);
