/* SPDX-License-Identifier: MIT */
/* Requests around records, and answers with a part that was rejected. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "output/targets/otlp.h"
#include "output/targets/http.h"
#include "output/targets/kinds.h"
#include "posted.h"
#include "unit.h"

static struct posted posted;

/* LogRecords: here no more than event_name, field 12. */
static const char *const records[] = {"\x06\x62\x04open", "\x07\x62\x05"
							  "close"};
static const char *const objects[] = {"{\"eventName\":\"open\"}\n", "{\"eventName\":\"close\"}\n"};

/* The kind otlp puts "http:" after its name, which the server's address is for. */
static void open_kind(const struct posted_answer *answers, size_t count, const char *keys)
{
	char text[200];

	posted_open(&posted, &output_kind_http, answers, count, "");
	sent_close(&posted.target);
	snprintf(text, sizeof(text), "otlp:%s,host=n,%s", fake_server_url(posted.server), keys);
	sent_open(&posted.target, &output_kind_otlp, text);
}

static int teardown(void **state)
{
	posted_close(&posted);
	return 0;
}

/* A field of bytes at the beginning: its content; `len` becomes its length. */
static const char *enter(const char *at, char tag, size_t *len)
{
	size_t shift = 7;

	assert_int_equal(*at, tag);
	at++;
	for (*len = *at & 0x7f; *at++ & 0x80; shift += 7)
		*len |= (size_t)(*at & 0x7f) << shift;
	return at;
}

static void test_proto(void **state)
{
	struct posted_answer answer = {"200 OK", NULL, ""};
	size_t len, resource_len, scope_logs_len;
	const char *at, *head;

	open_kind(&answer, 1, "attribute=x=y");
	assert_int_equal(posted_send(&posted, records, 2), 0);
	posted_expect(&posted, "dd");
	head = fake_server_request(posted.server, 0);
	assert_memory_equal(head, "POST /v1/logs HTTP", 18);
	assert_non_null(strstr(head, "\r\nContent-Type: application/x-protobuf\r\n"));
	assert_non_null(strstr(head, "\r\nAccept: application/x-protobuf\r\n"));
	at = posted_body(&posted, 0);
	at = enter(at, 0x0a, &len);
	assert_int_equal(at + len - posted_body(&posted, 0),
			 fake_server_body_len(posted.server, 0));
	at = enter(at, 0x0a, &resource_len);
	assert_memory_equal(at, "\x0a\x18\x0a\x0cservice.name\x12\x08\x0a\x06lann", 24);
	at = enter(at + resource_len, 0x12, &scope_logs_len);
	assert_int_equal(at + scope_logs_len - posted_body(&posted, 0),
			 fake_server_body_len(posted.server, 0));
	at = enter(at, 0x0a, &len);
	assert_memory_equal(at, "\x0a\x06lanner\x12", 9);
	assert_memory_equal(at + len,
			    "\x12\x06\x62\x04open\x12\x07\x62\x05"
			    "close",
			    17);
}

static void test_json(void **state)
{
	struct posted_answer answer = {"200 OK", NULL, "{}"};
	const char *body, *scope;

	open_kind(&answer, 1, "format=otlp-json");
	assert_int_equal(posted_send(&posted, objects, 2), 0);
	posted_expect(&posted, "dd");
	body = posted_body(&posted, 0);
	assert_memory_equal(
		body, "{\"resourceLogs\":[{\"resource\":{\"attributes\":[{\"key\":\"service.name\"",
		63);
	scope = strstr(body, ",\"scopeLogs\":[{\"scope\":{\"name\":\"lanner\",\"version\":\"");
	assert_non_null(scope);
	assert_string_equal(
		strstr(scope, "\"logRecords\""),
		"\"logRecords\":[{\"eventName\":\"open\"}\n,{\"eventName\":\"close\"}\n]}]}]}");
	assert_non_null(
		strstr(fake_server_request(posted.server, 0), "Content-Type: application/json"));
}

/* What was rejected is never sent again. */
static void test_partial(void **state)
{
	static const struct {
		const char *keys, *body, *results;
		int code;
		const char *message;
	} rows[] = {
		{"format=otlp-proto", "\x0a\x06\x08\x01\x12\x02no", "dx", -EBADMSG,
		 "rejected 1 of 2 records: no"},
		{"format=otlp-proto", "\x0a\x06\x08\x63\x12\x02no", "xx", -EBADMSG,
		 "rejected 2 of 2"},
		/* Only a warning; nothing; no message of protobuf. */
		{"format=otlp-proto", "\x0a\x04\x12\x02no", "dd", 0, ""},
		{"format=otlp-proto", "\x0a", "dd", 0, ""},
		{"format=otlp-json",
		 "{\"partialSuccess\":{\"rejectedLogRecords\":\"1\",\"errorMessage\":\"no\"}}",
		 "dx", -EBADMSG, "rejected 1 of 2 records: no"},
		{"format=otlp-json", "{\"partialSuccess\":{\"rejectedLogRecords\":2}}", "xx",
		 -EBADMSG, "2 of 2"},
		{"format=otlp-json", "{\"partialSuccess\":{\"rejectedLogRecords\":\"-1\"}}", "dd",
		 0, ""},
		{"format=otlp-json", "{\"partialSuccess\":{\"errorMessage\":\"x\"}}", "dd", 0, ""},
		{"format=otlp-json", "no JSON", "dd", 0, ""},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct posted_answer answer = {"200 OK", NULL, rows[i].body};

		open_kind(&answer, 1, rows[i].keys);
		assert_int_equal(posted_send(&posted, records, 2), rows[i].code);
		posted_expect(&posted, rows[i].results);
		posted_expect_error(&posted, rows[i].message);
		posted_close(&posted);
	}
}

/* Only four statuses may be tried again. */
static void test_statuses(void **state)
{
	static const struct {
		const char *status, *results;
		bool uncertain, too_large;
	} rows[] = {
		{"400 Bad", "rr", false, false},  {"401 No", "xx", false, false},
		{"408 Late", "xx", false, false}, {"413 Large", "rr", false, true},
		{"429 Slow", "rr", false, false}, {"500 Oops", "xx", false, false},
		{"501 Oops", "xx", false, false}, {"502 Bad", "rr", true, false},
		{"503 Busy", "rr", false, false}, {"504 Late", "rr", true, false},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct posted_answer answer = {rows[i].status, NULL, ""};

		open_kind(&answer, 1, i % 2 ? "format=otlp-json" : "format=otlp-proto");
		posted_send(&posted, records, 2);
		posted_expect(&posted, rows[i].results);
		assert_int_equal(posted.sent.batch.uncertain, rows[i].uncertain);
		assert_int_equal(posted.sent.batch.too_large, rows[i].too_large);
		posted_close(&posted);
	}
	assert_ptr_not_equal(otlp_profile_proto.write, otlp_profile_json.write);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_teardown(test_proto, teardown),
	cmocka_unit_test_teardown(test_json, teardown),
	cmocka_unit_test(test_partial),
	cmocka_unit_test(test_statuses),
};

UNIT_GROUP(tests);
