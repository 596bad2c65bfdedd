/* SPDX-License-Identifier: MIT */
/* Responses that are told apart by keys, some of which come again, with gaps, ends and time. */
#include <string.h>

#include "talked.h"
#include "unit.h"

#define GREET(talked)                                                                              \
	ANSWER(talked, "INFO {\"server_id\":\"N\"}\r\n");                                          \
	ASK(talked, "CONNECT {}\r\n");                                                             \
	assert_line(talked, "CONNECT - - -")

static struct requests_protocol_stats nats_account(const struct talked *talked)
{
	return talked_account(talked, request_protocols__nats);
}

/* A response that nobody saw does not shift those that follow. */
static void test_missing_response(void **state)
{
	struct talked *talked = *state;

	GREET(talked);
	ASK(talked, "PING\r\n");
	talked_miss(talked, DIRECTION_OUT, 6);
	ASK(talked, "PING\r\n");
	ANSWER(talked, "PONG\r\n");
	assert_line(talked, "none");
	ASK(talked, "PING\r\n");
	ANSWER(talked, "PONG\r\n");
	assert_line(talked, "PING - - -");
	assert_line(talked, "none");
	assert_int_equal(nats_account(talked).lost, 2);
	assert_int_equal(nats_account(talked).open, 0);
}

/* What was open alone when bytes were missing may still be answered, until it is asked again. */
static void test_doubt(void **state)
{
	struct talked *talked = *state;

	GREET(talked);
	ASK(talked, "PING\r\nPUB a _INBOX.1 0\r\n\r\n");
	talked_miss(talked, DIRECTION_OUT, 6);
	ANSWER(talked, "MSG _INBOX.1 1 0\r\n\r\n");
	assert_line(talked, "PUB a - -");
	ASK(talked, "PING\r\n");
	ANSWER(talked, "PONG\r\n");
	assert_line(talked, "PING - - -");
	assert_line(talked, "none");
	assert_int_equal(nats_account(talked).lost, 1);
}

/* It is no error of the server if it seems to have no answer. */
static void test_doubt_at_the_end(void **state)
{
	struct talked *talked = *state;

	GREET(talked);
	for (uint64_t lost = 1; lost <= 2; lost++) {
		ASK(talked, "PUB a _INBOX.1 0\r\n\r\n");
		talked_miss(talked, DIRECTION_OUT, 6);
		ANSWER(talked, "MSG b 1 0\r\n\r\n");
		assert_line(talked, "MSG b - -");
		talked->drive.ts_ns += REQUESTS_TIMEOUT_NS + 1;
		if (lost == 1)
			requests_step(talked->requests, talked->drive.ts_ns);
		else
			talked_close(talked);
		assert_line(talked, "none");
		assert_int_equal(nats_account(talked).lost, lost);
	}
}

#define METADATA(number) "\0\0\0\x15\0\3\0\1" number "\0\7rdkafka\xff\xff\xff\xff"

/*
 * Of Kafka nearly any read looks like a response, as its length and body come in two: behind a gap
 * it is one if its number is that of a request. Others swallowed those that follow.
 */
static void test_found_by_key(void **state)
{
	struct talked *talked = *state;

	ASK(talked, METADATA("\0\0\0\1"));
	ANSWER(talked, "\0\0\0\x08");
	ANSWER(talked, "\0\0\0\1wxyz");
	assert_line(talked, "Metadata - - -");
	ASK(talked, METADATA("\0\1\x86\xa0"));
	ASK(talked, METADATA("\0\1\x86\xa1"));
	ASK(talked, METADATA("\0\1\x86\xa2"));
	talked_miss(talked, DIRECTION_OUT, 4);
	ANSWER(talked, "\0\1\x86\xa0\0\0\0\0\0\0\0\0");
	ANSWER(talked, "\0\0\0\x08");
	ANSWER(talked, "\0\1\x86\xa1wxyz");
	ANSWER(talked, "\0\0\0\x08\0\1\x86\xa2"
		       "wxyz");
	assert_line(talked, "Metadata - - -");
	assert_line(talked, "Metadata - - -");
	talked_close(talked);
	assert_line(talked, "none");
	assert_int_equal(talked_account(talked, request_protocols__kafka).lost, 1);
}

#define AMQP_METHOD(channel, size, class, method, arguments)                                       \
	"\1\0" channel "\0\0\0" size "\0" class "\0" method arguments "\xce"
#define DECLARE(channel) AMQP_METHOD(channel, "\x0d", "\x32", "\x0a", "\0\0\1q\0\0\0\0\0")
#define CONSUME(channel) AMQP_METHOD(channel, "\x0f", "\x3c", "\x14", "\0\0\1q\1t\0\0\0\0\0")

/* A server that closes a channel of AMQP answers nothing more that was sent on it. */
static void test_ended_by_another(void **state)
{
	struct talked *talked = *state;

	ASK(talked, "AMQP\0\0\x09\1");
	ASK(talked, DECLARE("\1") CONSUME("\1") DECLARE("\2"));
	/* A close of the client that crosses it is answered. */
	ASK(talked, AMQP_METHOD("\1", "\x0b", "\x14", "\x28", "\0\xc8\0\0\0\0\0"));
	ANSWER(talked, AMQP_METHOD("\1", "\x0c", "\x14", "\x28", "\1\x94\1N\0\x32\0\x0a"));
	assert_line(talked, "queue.declare q 404 N");
	assert_line(talked, "basic.consume q - closed");
	assert_line(talked, "none");
	ANSWER(talked, AMQP_METHOD("\1", "\4", "\x14", "\x29", ""));
	assert_line(talked, "channel.close - - -");
	ANSWER(talked, AMQP_METHOD("\2", "\x0e", "\x32", "\x0b", "\1q\0\0\0\0\0\0\0\0"));
	assert_line(talked, "queue.declare q - -");
	talked_close(talked);
	assert_line(talked, "none");
}

/* Who never gets an answer takes no room for ever, nor that of others. */
static void test_timeouts(void **state)
{
	struct talked *talked = *state;

	GREET(talked);
	for (int i = 0; i < 3; i++) {
		for (int n = 0; n < REQUESTS_PER_SOCKET_MAX / 2; n++)
			ASK(talked, "PUB a _INBOX.1 0\r\n\r\n");
		talked->drive.ts_ns += REQUESTS_TIMEOUT_NS + 1;
		requests_step(talked->requests, talked->drive.ts_ns);
		for (int n = 0; n < REQUESTS_PER_SOCKET_MAX / 2; n++)
			assert_line(talked, "PUB a - timeout");
	}
	ASK(talked, "PING\r\n");
	ANSWER(talked, "PONG\r\n");
	assert_line(talked, "PING - - -");
	assert_int_equal(nats_account(talked).lost, 0);
}

/* What is delivered has the ends of its connection, also while something is open. */
static void test_deliveries(void **state)
{
	struct talked *talked = *state;
	const struct event *event;

	GREET(talked);
	ASK(talked, "PUB a _INBOX.1 0\r\n\r\n");
	ANSWER(talked, "MSG b 1 2\r\nhi\r\n");
	event = talked_next(talked);
	assert_non_null(event);
	assert_true(event->params[request__tuple].len > 0);
	assert_string_equal((const char *)event->params[request__method].data, "MSG");
	talked_close(talked);
	assert_line(talked, "PUB a - closed");
}

/* The response that comes as a connection ends is not that of any request. */
static void test_end_within_another(void **state)
{
	struct talked *talked = *state;
	const struct event *event;

	GREET(talked);
	ASK(talked, "PUB a _INBOX.1 0\r\n\r\n");
	ANSWER(talked, "MSG b 1 50000\r\n");
	talked_close(talked);
	event = talked_next(talked);
	assert_non_null(event);
	assert_string_equal((const char *)event->params[request__error].data, "closed");
	assert_int_equal(event->params[request__response_size].len, 0);
}

/*
 * A client's thread that reads may be faster than the one that writes: the call that read the
 * response is seen first, and tells how far the client had written.
 */
static void say_late(struct talked *talked, const char *ask, const char *answer)
{
	const uint32_t len = (uint32_t)strlen(ask);

	talked->at[DIRECTION_OUT] += len;
	talked_text(talked, DIRECTION_IN, answer);
	talked->at[DIRECTION_OUT] -= len;
	talked_text(talked, DIRECTION_OUT, ask);
}

static void say_in_order(struct talked *talked, const char *ask, const char *answer)
{
	talked_text(talked, DIRECTION_OUT, ask);
	talked_text(talked, DIRECTION_IN, answer);
}

static void test_response_first(void **state)
{
	struct talked *talked = *state;

	talked_connect(talked, 1000);
	talked_text(talked, DIRECTION_IN, "INFO {\"server_id\":\"N\"}\r\n");
	talked_text(talked, DIRECTION_OUT, "CONNECT {}\r\n");
	say_in_order(talked, "PUB a _INBOX.1 0\r\n\r\n", "MSG _INBOX.1 1 0\r\n\r\n");
	say_late(talked, "PUB b _INBOX.2 0\r\n\r\n", "MSG _INBOX.2 1 0\r\n\r\n");
	say_late(talked, "PING\r\n", "PONG\r\n");
	say_in_order(talked, "PUB c _INBOX.3 0\r\n\r\n", "MSG _INBOX.3 1 0\r\n\r\n");
	assert_line(talked, "CONNECT - - -");
	assert_line(talked, "PUB a - -");
	assert_line(talked, "PUB b - -");
	assert_line(talked, "PING - - -");
	assert_line(talked, "PUB c - -");
	assert_line(talked, "none");
	assert_int_equal(nats_account(talked).unknown, 0);
	assert_int_equal(nats_account(talked).open, 0);
}

#define HTTP_ASK(name) "GET /" name " HTTP/1.1\r\nHost: h\r\n\r\n"
#define HTTP_ANSWER(status) "HTTP/1.1 " status " X\r\nContent-Length: 2\r\n\r\nhi"

/* Without keys all that follow would be paired with each other's requests. */
static void test_response_first_without_keys(void **state)
{
	struct talked *talked = *state;

	talked_connect(talked, 1000);
	say_in_order(talked, HTTP_ASK("0"), HTTP_ANSWER("200"));
	say_late(talked, HTTP_ASK("1"), HTTP_ANSWER("201"));
	say_late(talked, "HEAD /2 HTTP/1.1\r\nHost: h\r\n\r\n",
		 "HTTP/1.1 202 X\r\nContent-Length: 2\r\n\r\n");
	say_in_order(talked, HTTP_ASK("3"), HTTP_ANSWER("203"));
	/* In several reads, before several writes. */
	talked->at[DIRECTION_OUT] += 31;
	talked_text(talked, DIRECTION_IN, "HTTP/1.1 204 X\r\n");
	talked_text(talked, DIRECTION_IN, "\r\n");
	talked->at[DIRECTION_OUT] -= 31;
	talked_text(talked, DIRECTION_OUT, "DELETE /4 HT");
	talked_text(talked, DIRECTION_OUT, "TP/1.1\r\nHost: h\r\n\r\n");
	say_in_order(talked, HTTP_ASK("5"), HTTP_ANSWER("205"));
	assert_line(talked, "GET /0 200 -");
	assert_line(talked, "GET /1 201 -");
	assert_line(talked, "HEAD /2 202 -");
	assert_line(talked, "GET /3 203 -");
	assert_line(talked, "DELETE /4 204 -");
	assert_line(talked, "GET /5 205 -");
	assert_line(talked, "none");
	assert_int_equal(talked_account(talked, request_protocols__http).unknown, 0);
}

/* Bytes of the client that nobody saw are not waited for. */
static void test_response_without_request(void **state)
{
	struct talked *talked = *state;

	talked_connect(talked, 1000);
	say_in_order(talked, HTTP_ASK("0"), HTTP_ANSWER("200"));
	assert_line(talked, "GET /0 200 -");
	talked_miss(talked, DIRECTION_OUT, sizeof(HTTP_ASK("1")) - 1);
	talked_text(talked, DIRECTION_IN, HTTP_ANSWER("201"));
	say_in_order(talked, HTTP_ASK("2"), HTTP_ANSWER("202"));
	talked_close(talked);
	assert_line(talked, "none");
	assert_int_equal(talked_account(talked, request_protocols__http).open, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, talked_setup, talked_teardown)

#define TEST_OF_CLIENT(name)                                                                       \
	cmocka_unit_test_setup_teardown(name, talked_setup_unconnected, talked_teardown)

static const struct CMUnitTest tests[] = {
	TEST(test_missing_response),
	TEST(test_doubt),
	TEST(test_ended_by_another),
	TEST(test_found_by_key),
	TEST(test_doubt_at_the_end),
	TEST(test_timeouts),
	TEST(test_deliveries),
	TEST(test_end_within_another),
	TEST_OF_CLIENT(test_response_first),
	TEST_OF_CLIENT(test_response_first_without_keys),
	TEST_OF_CLIENT(test_response_without_request),
};

UNIT_GROUP(tests);
