/* SPDX-License-Identifier: MIT */
/* Lines with their time, message and stream. */
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

static const char *const two[] = {"{\"a\":1}\n", "{}\n"};

static void test_lines(void **state)
{
	struct posted_answer answer = {"200 OK", NULL, ""};

	posted_open(&posted, &output_kind_http, &answer, 1,
		    ",profile=victorialogs,host=n,label=c=d");
	sent_init_texts(&posted.sent, 7, two, 2);
	posted.sent.records[0].flags = RECORD_IS_DROP;
	posted.sent.records[1].event = 65535;
	assert_int_equal(output_kind_http.send(posted.target.target, &posted.sent.batch, NULL), 0);
	posted_expect(&posted, "dd");
	assert_string_equal(posted_body(&posted, 0),
			    "{\"_time\":\"2023-11-14T22:13:20.123456789Z\",\"_msg\":\"drop\","
			    "\"service\":\"lanner\",\"host\":\"n\",\"c\":\"d\",\"a\":1}\n"
			    "{\"_time\":\"2023-11-14T22:13:20.123456790Z\",\"_msg\":\"unknown\","
			    "\"service\":\"lanner\",\"host\":\"n\",\"c\":\"d\"}\n");
	assert_non_null(strstr(fake_server_request(posted.server, 0),
			       "POST /insert/jsonline?_stream_fields=service%2chost%2cc&"
			       "_time_field=_time&_msg_field=_msg HTTP"));
}

static void test_rejected(void **state)
{
	struct sent_target target;

	posted_open(&posted, &output_kind_http, NULL, 0, "");
	assert_int_equal(
		sent_try(&target, &output_kind_http, "http://h,profile=victorialogs,label=x", NULL),
		-EINVAL);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_teardown(test_lines, teardown),
	cmocka_unit_test_teardown(test_rejected, teardown),
};

UNIT_GROUP(tests);
