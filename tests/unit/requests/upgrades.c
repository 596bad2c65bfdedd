/* SPDX-License-Identifier: MIT */
/*
 * Connections that go over from HTTP/1.1 to WebSocket: frames behind the response, in the same call
 * or in others, of both sides and of either alone; and from Cassandra to what nobody can read.
 */
#include <string.h>

#include "talked.h"
#include "unit.h"

#define UPGRADE                                                                                    \
	"GET /chat HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"           \
	"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
#define SWITCHING                                                                                  \
	"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"        \
	"Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n"
#define CLIENT_TEXT "\x81\x85\1\2\3\4Hello"
#define SERVER_TEXT "\x81\5Hello"
#define CLIENT_PING "\x89\x80\1\2\3\4"
#define SERVER_PONG "\x8a\0"

static struct requests_protocol_stats websocket_account(const struct talked *talked)
{
	return talked_account(talked, request_protocols__websocket);
}

static void expect_upgrade(struct talked *talked)
{
	assert_line(talked, "GET /chat 101 -");
}

static void test_one_after_the_other(void **state)
{
	struct talked *talked = *state;

	ASK(talked, UPGRADE);
	ANSWER(talked, SWITCHING);
	expect_upgrade(talked);
	ASK(talked, CLIENT_TEXT);
	ANSWER(talked, SERVER_TEXT);
	ASK(talked, CLIENT_PING);
	ANSWER(talked, SERVER_PONG);
	talked_close(talked);
	assert_line(talked, "TEXT - - -");
	assert_line(talked, "TEXT - - -");
	assert_line(talked, "PING - - -");
	assert_line(talked, "none");
}

/* A server that has something to say at once does so in the same call. */
static void test_in_the_call_of_the_response(void **state)
{
	struct talked *talked = *state;

	ASK(talked, UPGRADE);
	ANSWER(talked, SWITCHING SERVER_TEXT);
	expect_upgrade(talked);
	ASK(talked, CLIENT_TEXT);
	ANSWER(talked, SERVER_TEXT SERVER_TEXT);
	talked_close(talked);
	for (int i = 0; i < 4; i++)
		assert_line(talked, "TEXT - - -");
	assert_line(talked, "none");
	assert_int_equal(websocket_account(talked).reported, 4);
}

/* Frames of both sides, several in each call. */
static void test_several_in_a_call(void **state)
{
	struct talked *talked = *state;

	ASK(talked, UPGRADE);
	ANSWER(talked, SWITCHING SERVER_TEXT SERVER_TEXT);
	ASK(talked, CLIENT_TEXT CLIENT_PING CLIENT_TEXT);
	ANSWER(talked, SERVER_PONG SERVER_TEXT);
	talked_close(talked);
	expect_upgrade(talked);
	assert_int_equal(websocket_account(talked).reported, 6);
	assert_int_equal(websocket_account(talked).unknown, 0);
}

#define SERVER_BINARY "\x82\5\1\2\3\4\5"

/* The upgrade says what is spoken: messages of one side that could be anything are enough. */
static void test_binary_of_one_side(void **state)
{
	struct talked *talked = *state;

	ASK(talked, UPGRADE);
	ANSWER(talked, SWITCHING);
	expect_upgrade(talked);
	ANSWER(talked, SERVER_BINARY);
	ANSWER(talked, SERVER_BINARY);
	assert_line(talked, "BINARY - - -");
	assert_line(talked, "BINARY - - -");
	talked_close(talked);
	assert_line(talked, "none");
}

/* A server answers a ping between the frames of a long message. */
static void test_pong_within_a_message(void **state)
{
	struct talked *talked = *state;

	ASK(talked, UPGRADE);
	ANSWER(talked, SWITCHING);
	expect_upgrade(talked);
	ASK(talked, CLIENT_PING);
	ANSWER(talked, "\x01\2he");
	assert_line(talked, "none");
	ANSWER(talked, SERVER_PONG);
	assert_line(talked, "PING - - -");
	ANSWER(talked, "\x80\3llo" SERVER_TEXT);
	assert_line(talked, "TEXT - - -");
	assert_line(talked, "TEXT - - -");
	talked_close(talked);
	assert_line(talked, "none");
	assert_int_equal(websocket_account(talked).reported, 3);
	assert_int_equal(websocket_account(talked).unknown, 0);
}

/* The thread of a server that reads may be faster than the one that has written the response. */
static void test_before_the_response(void **state)
{
	const uint32_t len = sizeof(SWITCHING) - 1;
	struct talked *talked = *state;

	ASK(talked, UPGRADE);
	talked->at[DIRECTION_OUT] += len;
	ASK(talked, CLIENT_TEXT);
	talked->at[DIRECTION_OUT] -= len;
	ANSWER(talked, SWITCHING);
	ANSWER(talked, SERVER_TEXT);
	talked_close(talked);
	expect_upgrade(talked);
	assert_line(talked, "TEXT - - -");
	assert_line(talked, "TEXT - - -");
	assert_line(talked, "none");
}

/* Of what both sides agree to compress nothing is wanted any more, and the account says so. */
static void test_to_what_is_compressed(void **state)
{
	struct talked *talked = *state;
	struct requests_limit limit = {.bytes = UINT32_MAX};
	struct requests_stats stats;

	ASK(talked, "\5\0\0\0\1\0\0\0(\0\2\0\x0b"
		    "CQL_VERSION\0\5"
		    "3.0.0\0\x0b"
		    "COMPRESSION\0\3lz4");
	ANSWER(talked, "\x85\0\0\0\2\0\0\0\0");
	assert_line(talked, "STARTUP - - -");
	ASK(talked, "\3\0\6\0\4,-ezzzCRC!");
	ANSWER(talked, "\3\0\6\0\4,-ezzzCRC!");
	while (requests_next_limit(talked->requests, &limit))
		;
	assert_int_equal(limit.bytes, 0);
	requests_stats(talked->requests, &stats);
	assert_int_equal(stats.opaque, 1);
	talked_close(talked);
	assert_line(talked, "none");
}

static const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, talked_setup, talked_teardown)
	TEST(test_one_after_the_other),	  TEST(test_in_the_call_of_the_response),
	TEST(test_several_in_a_call),	  TEST(test_before_the_response),
	TEST(test_binary_of_one_side),	  TEST(test_pong_within_a_message),
	TEST(test_to_what_is_compressed),
};

UNIT_GROUP(tests);
