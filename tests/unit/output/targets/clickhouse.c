/* SPDX-License-Identifier: MIT */
/* Rows, their insertion, and which errors are the rows' own. */
#include <errno.h>
#include <stdio.h>
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

static const char *const two[] = {"{\"a\":1}\n", "{\"a\":2}\n"};
static const struct posted_answer okay = {"200 OK", NULL, ""};

static void test_rows(void **state)
{
	posted_open(&posted, &output_kind_http, &okay, 1, ",profile=clickhouse,host=n");
	assert_int_equal(posted_send(&posted, two, 2), 0);
	posted_expect(&posted, "dd");
	assert_string_equal(
		posted_body(&posted, 0),
		"{\"time\":1700000000,\"time_ns\":1700000000123456789,\"node\":\"n\",\"a\":1}\n"
		"{\"time\":1700000000,\"time_ns\":1700000000123456790,\"node\":\"n\",\"a\":2}\n");
	assert_non_null(strstr(fake_server_request(posted.server, 0),
			       "POST /?query=INSERT+INTO+lanner.events+FORMAT+JSONEachRow&"
			       "input_format_skip_unknown_fields=1 HTTP"));
}

static void test_token(void **state)
{
	static const struct posted_answer answers[] = {{"200 OK", NULL, ""}, {"200 OK", NULL, ""}};

	posted_open(&posted, &output_kind_http, answers, 2,
		    ",profile=clickhouse,table=a.b,deduplicate");
	for (int i = 0; i < 2; i++) {
		assert_int_equal(posted_send(&posted, two, 2), 0);
		assert_non_null(strstr(fake_server_request(posted.server, (size_t)i),
				       "&insert_deduplication_token=0123456789abcdef-7-2 HTTP"));
	}
}

static void test_errors(void **state)
{
	static const struct {
		const char *status, *body, *results;
		int code;
		bool uncertain, divide;
	} rows[] = {
		/* As version 18 writes it, and newer ones. */
		{"500 Error", "Code: 27, e.displayText() = DB::Exception: Cannot parse", "rr", 0,
		 false, true},
		{"400 Bad", "Code: 117. DB::Exception: Unexpected", "rr", 0, false, true},
		{"404 No", "Code: 60. DB::Exception: Table does not exist", "rr", -EAGAIN, true,
		 false},
		{"500 Error", "Code: 252. DB::Exception: Too many parts", "rr", -EAGAIN, true,
		 false},
		{"400 Bad", "not of ClickHouse", "rr", 0, false, true},
		{"500 Error", "Code: ", "rr", -EAGAIN, true, false},
		{"503 Busy", "", "rr", -EAGAIN, false, false},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct posted_answer answer = {rows[i].status, NULL, rows[i].body};

		posted_open(&posted, &output_kind_http, &answer, 1, ",profile=clickhouse");
		assert_int_equal(posted_send(&posted, two, 2), rows[i].code);
		posted_expect(&posted, rows[i].results);
		assert_int_equal(posted.sent.batch.uncertain, rows[i].uncertain);
		assert_int_equal(posted.sent.batch.divide, rows[i].divide);
		posted_close(&posted);
	}
}

/* Halves lead to the row that is wrong. */
static void test_one_row(void **state)
{
	struct posted_answer answer = {"400 Bad", NULL, "Code: 27. DB::Exception: Cannot parse"};

	posted_open(&posted, &output_kind_http, &answer, 1, ",profile=clickhouse");
	assert_int_equal(posted_send(&posted, two, 1), -EBADMSG);
	posted_expect(&posted, "x");
	posted_expect_error(&posted, "Cannot parse");
}

static void test_rejected(void **state)
{
	static const char *const tables[] = {"", "a b", "a;b", "a-b", "a(b)"};

	posted_open(&posted, &output_kind_http, NULL, 0, "");
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		struct sent_target target;
		char text[100];

		snprintf(text, sizeof(text), "http://h,profile=clickhouse,table=%s", tables[i]);
		if (sent_try(&target, &output_kind_http, text, NULL) != -EINVAL)
			fail_msg("%s is valid", text);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_teardown(test_rows, teardown),
	cmocka_unit_test_teardown(test_token, teardown),
	cmocka_unit_test(test_errors),
	cmocka_unit_test_teardown(test_one_row, teardown),
	cmocka_unit_test_teardown(test_rejected, teardown),
};

UNIT_GROUP(tests);
