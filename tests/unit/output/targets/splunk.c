/* SPDX-License-Identifier: MIT */
/* Events of the collector, which of them it rejects, and acknowledgements. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "output/targets/kinds.h"
#include "patience.h"
#include "posted.h"
#include "unit.h"

static struct posted posted;

static int teardown(void **state)
{
	posted_close(&posted);
	return 0;
}

static const char *const three[] = {"{\"a\":1}\n", "{\"a\":2}\n", "{\"a\":3}\n"};

static void test_events(void **state)
{
	struct posted_answer answer = {"200 OK", NULL, "{\"text\":\"Success\",\"code\":0}"};
	const char *head;

	posted_open(&posted, &output_kind_http, &answer, 1,
		    ",profile=splunk,host=n,index=i,token=t");
	assert_int_equal(posted_send(&posted, three, 2), 0);
	posted_expect(&posted, "dd");
	assert_string_equal(posted_body(&posted, 0),
			    "{\"time\":1700000000.123456789,\"host\":\"n\",\"source\":\"lanner\","
			    "\"sourcetype\":\"lanner\","
			    "\"index\":\"i\",\"event\":{\"a\":1}\n}"
			    "{\"time\":1700000000.123456790,\"host\":\"n\",\"source\":\"lanner\","
			    "\"sourcetype\":\"lanner\","
			    "\"index\":\"i\",\"event\":{\"a\":2}\n}");
	head = fake_server_request(posted.server, 0);
	assert_memory_equal(head, "POST /services/collector/event HTTP", 35);
	assert_non_null(strstr(head, "\r\nAuthorization: Splunk t\r\n"));
}

static void test_invalid(void **state)
{
	static const struct {
		const char *body, *results;
		bool uncertain;
	} rows[] = {
		{"{\"text\":\"Invalid data format\",\"code\":6,\"invalid-event-number\":1}", "rxr",
		 true},
		{"{\"code\":6,\"invalid-event-number\":3}", "rrr", false},
		{"{\"code\":6,\"invalid-event-number\":-1}", "rrr", false},
		{"{\"code\":6}", "rrr", false},
		{"{\"code\":5,\"invalid-event-number\":0}", "rrr", false},
		{"no JSON", "rrr", false},
		{"", "rrr", false},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct posted_answer answer = {"400 Bad", NULL, rows[i].body};

		posted_open(&posted, &output_kind_http, &answer, 1, ",profile=splunk");
		assert_int_equal(posted_send(&posted, three, 3), rows[i].uncertain ? -EBADMSG : 0);
		posted_expect(&posted, rows[i].results);
		assert_int_equal(posted.sent.batch.uncertain, rows[i].uncertain);
		posted_close(&posted);
	}
}

static void test_acknowledged(void **state)
{
	static const struct posted_answer answers[] = {
		{"200 OK", NULL, "{\"code\":0,\"ackId\":12}"},
		{"200 OK", NULL, "{\"acks\":{\"12\":false}}"},
		{"200 OK", NULL, "{\"acks\":{\"12\":true}}"},
		{"200 OK", NULL, "{\"code\":0}"},
	};
	const char *channel;

	posted_open(&posted, &output_kind_http, answers, 4, ",profile=splunk,acknowledge");
	assert_int_equal(posted_send(&posted, three, 3), 0);
	posted_expect(&posted, "ddd");
	channel = strstr(fake_server_request(posted.server, 0), "?channel=");
	assert_non_null(channel);
	assert_memory_equal(strchr(channel, ' '), " HTTP", 5);
	assert_int_equal(strchr(channel, ' ') - channel, 9 + 36);
	for (size_t i = 1; i < 3; i++) {
		const char *head = fake_server_request(posted.server, i);

		assert_memory_equal(head, "POST /services/collector/ack?channel=", 37);
		assert_memory_equal(head + 28, channel, 9 + 36);
		assert_string_equal(posted_body(&posted, i), "{\"acks\":[12]}");
	}
	/* A collector that was not asked to acknowledge. */
	assert_int_equal(posted_send(&posted, three, 3), -EPROTO);
	posted_expect(&posted, "rrr");
	posted_expect_error(&posted, "ackId");
	assert_true(posted.sent.batch.uncertain);
}

static void test_not_acknowledged(void **state)
{
	static const struct posted_answer answers[] = {
		{"200 OK", NULL, "{\"code\":0,\"ackId\":0}"},
		{"200 OK", NULL, "{\"acks\":{\"0\":false}}"},
		{"200 OK", NULL, "{\"acks\":{\"0\":false}}"},
		{"200 OK", NULL, "{\"acks\":{\"0\":false}}"},
		{"200 OK", NULL, "{\"code\":0,\"ackId\":1}"},
		{"503 Busy", NULL, "{\"code\":9}"},
	};

	unsigned int timeout_ms = 400;
	char keys[64];
	int code;

	/* A slow machine needs longer for an answer. */
	for (;; timeout_ms *= 2) {
		snprintf(keys, sizeof(keys), ",profile=splunk,acknowledge,timeout=%ums",
			 timeout_ms);
		posted_open(&posted, &output_kind_http, answers, 6, keys);
		assert_int_equal(posted_send(&posted, three, 3), -ETIMEDOUT);
		posted_expect(&posted, "rrr");
		assert_true(posted.sent.batch.uncertain);
		/* What is left of the first batch's answers does not count for the next one. */
		while (fake_server_requests(posted.server) < 4)
			posted_send(&posted, three, 1);
		code = posted_send(&posted, three, 3);
		posted_expect(&posted, "rrr");
		if (code != -ETIMEDOUT || timeout_ms > PATIENCE_MS)
			break;
		posted_close(&posted);
	}
	assert_int_equal(code, -EPROTO);
	posted_expect_error(&posted, "503");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_teardown(test_events, teardown),
	cmocka_unit_test(test_invalid),
	cmocka_unit_test_teardown(test_acknowledged, teardown),
	cmocka_unit_test_teardown(test_not_acknowledged, teardown),
};

UNIT_GROUP(tests);
