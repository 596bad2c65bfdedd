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

#define TEST(name) cmocka_unit_test_setup_teardown(name, talked_setup, talked_teardown)

static const struct CMUnitTest tests[] = {
	TEST(test_missing_response), TEST(test_doubt),	    TEST(test_doubt_at_the_end),
	TEST(test_timeouts),	     TEST(test_deliveries), TEST(test_end_within_another),
};

UNIT_GROUP(tests);
