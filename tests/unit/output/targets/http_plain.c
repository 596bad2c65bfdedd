/* SPDX-License-Identifier: MIT */
/* Lines, arrays, and other formats, byte by byte. */
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

static const struct posted_answer okay = {"200 OK", NULL, ""};

static const char *const two[] = {"{\"a\":1}\n", "{\"a\":2}\n"};

static void expect_count(size_t count, const char *rest, const char *content_type, const char *body)
{
	posted_open(&posted, &output_kind_http, &okay, 1, rest);
	assert_int_equal(posted_send(&posted, two, count), 0);
	posted_expect(&posted, &"dd"[2 - count]);
	assert_string_equal(posted_body(&posted, 0), body);
	if (!strstr(fake_server_request(posted.server, 0), content_type))
		fail_msg("no '%s' in %s", content_type, fake_server_request(posted.server, 0));
	posted_close(&posted);
}

static void expect(const char *rest, const char *content_type, const char *body)
{
	expect_count(2, rest, content_type, body);
}

static void test_single(void **state)
{
	struct sent_target target;
	struct error err;

	expect_count(1, ",body=single", "\r\nContent-Type: application/json\r\n", "{\"a\":1}");
	expect_count(1, ",body=single,format=text",
		     "\r\nContent-Type: text/plain; charset=utf-8\r\n", "{\"a\":1}");
	assert_int_equal(
		sent_try(&target, &output_kind_http, "http://h,body=single,format=protobuf", &err),
		-EINVAL);
	assert_non_null(strstr(err.text, "body=single needs format=json or text"));
	assert_int_equal(
		sent_try(&target, &output_kind_http, "http://h,body=single,profile=loki", &err),
		-EINVAL);
	assert_non_null(strstr(err.text, "body=single needs profile=plain"));
}

static void test_forms(void **state)
{
	static const char lines[] = "{\"a\":1}\n{\"a\":2}\n";

	expect("/a?b=c", "POST /a?b=c HTTP/1.1\r\n", lines);
	expect("", "\r\nContent-Type: application/x-ndjson\r\n", lines);
	expect(",body=array", "\r\nContent-Type: application/json\r\n",
	       "[{\"a\":1}\n,{\"a\":2}\n]");
	expect(",format=text", "\r\nContent-Type: text/plain; charset=utf-8\r\n", lines);
	expect(",format=protobuf", "\r\nContent-Type: application/octet-stream\r\n", lines);
	expect(",header=content-type: a/b", "\r\ncontent-type: a/b\r\n", lines);
}

static void test_rejected(void **state)
{
	struct sent_target target;
	struct error err;

	assert_int_equal(
		sent_try(&target, &output_kind_http, "http://h,body=array,format=text", &err),
		-EINVAL);
	assert_non_null(strstr(err.text, "format=json"));
	posted_open(&posted, &output_kind_http, &okay, 1, "");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_forms),
	cmocka_unit_test(test_single),
	cmocka_unit_test_teardown(test_rejected, teardown),
};

UNIT_GROUP(tests);
