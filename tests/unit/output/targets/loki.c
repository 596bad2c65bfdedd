/* SPDX-License-Identifier: MIT */
/* Streams by priority, with few labels. */
#include <errno.h>
#include <string.h>

#include "output/targets/kinds.h"
#include "posted.h"
#include "unit.h"

static struct posted posted;

static int teardown(void **state)
{
	posted_close(&posted);
	return 0;
}

static const struct posted_answer okay = {"204 No Content", NULL, ""};
static const char *const two[] = {"{\"a\":\"x\\n\"}\n", "{}\n"};

static void send_two(const char *keys, uint8_t second)
{
	posted_open(&posted, &output_kind_http, &okay, 1, keys);
	sent_init_texts(&posted.sent, 7, two, 2);
	posted.sent.records[1].priority = second;
	posted.sent.records[1].flags = RECORD_IS_DROP;
	posted.sent.records[1].event = 2;
	assert_int_equal(output_kind_http.send(posted.target.target, &posted.sent.batch, NULL), 0);
	posted_expect(&posted, "dd");
}

static void test_streams(void **state)
{
	send_two(",profile=loki,host=n,metadata=no,label=cluster=c \"x\"", 6);
	assert_string_equal(posted_body(&posted, 0),
			    "{\"streams\":[{\"stream\":{\"service_name\":\"lanner\",\"host\":\"n\","
			    "\"cluster\":\"c \\\"x\\\"\","
			    "\"level\":\"Informational\"},\"values\":["
			    "[\"1700000000123456789\",\"{\\\"a\\\":\\\"x\\\\n\\\"}\"],"
			    "[\"1700000000123456790\",\"{}\"]]}]}");
	assert_memory_equal(fake_server_request(posted.server, 0), "POST /loki/api/v1/push HTTP",
			    27);
}

/* A priority that does not exist must not cost a record. */
static void test_priorities(void **state)
{
	send_two(",profile=loki,host=n", 99);
	assert_non_null(
		strstr(posted_body(&posted, 0),
		       "\"level\":\"Informational\"},\"values\":[[\"1700000000123456789\""));
	assert_non_null(
		strstr(posted_body(&posted, 0), "{\"id\":\"0123456789abcdef-7\",\"type\":\""));
	assert_non_null(
		strstr(posted_body(&posted, 0),
		       "\"host\":\"n\",\"level\":\"Debug\"},\"values\":[[\"1700000000123456790\","
		       "\"{}\",{\"id\":\"0123456789abcdef-8d1700000000123456790.2\",\"type\":"
		       "\"drop\"}]]}]}"));
}

/* A status that looks like a success. */
static void test_blocked(void **state)
{
	struct posted_answer answer = {"260 Blocked", NULL, ""};

	posted_open(&posted, &output_kind_http, &answer, 1, ",profile=loki");
	assert_int_equal(posted_send(&posted, two, 2), -EAGAIN);
	posted_expect(&posted, "rr");
	posted_expect_error(&posted, "blocked");
}

static void test_rejected(void **state)
{
	struct sent_target target;
	struct error err;

	posted_open(&posted, &output_kind_http, NULL, 0, "");
	assert_int_equal(
		sent_try(&target, &output_kind_http, "http://h,profile=loki,label=x", &err),
		-EINVAL);
	assert_non_null(strstr(err.text, "NAME=VALUE"));
	assert_int_equal(
		sent_try(&target, &output_kind_http, "http://h,profile=loki,format=text", &err),
		-EINVAL);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_teardown(test_streams, teardown),
	cmocka_unit_test_teardown(test_priorities, teardown),
	cmocka_unit_test_teardown(test_blocked, teardown),
	cmocka_unit_test_teardown(test_rejected, teardown),
};

UNIT_GROUP(tests);
