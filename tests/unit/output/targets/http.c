/* SPDX-License-Identifier: MIT */
/* The kinds http and https: both names, keys, and the target as a URL. */
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

static void test_kind(void **state)
{
	struct posted_answer answer = {"200 OK", NULL, ""};

	posted_open(&posted, &output_kind_http, &answer, 1, "/path");
	assert_int_equal(posted_send_one(&posted, "{}\n"), 0);
	posted_expect(&posted, "d");
	assert_memory_equal(fake_server_request(posted.server, 0), "POST /path HTTP", 15);
	assert_true(output_kind_http.acknowledges);
}

static void test_tls(void **state)
{
	struct sent_target target;
	struct error err = {""};
	char text[200];

	posted_open(&posted, &output_kind_http, NULL, 0, "");
	snprintf(text, sizeof(text), "https%s,connect-timeout=2",
		 fake_server_url(posted.server) + 4);
	sent_open(&target, &output_kind_http, text);
	sent_init_text(&posted.sent, 1, "{}\n");
	/* The server does not speak TLS. */
	assert_int_not_equal(output_kind_http.send(target.target, &posted.sent.batch, &err), 0);
	posted_expect(&posted, "r");
	assert_false(posted.sent.batch.uncertain);
	sent_close(&target);
}

static void test_rejected(void **state)
{
	struct sent_target target;
	struct error err;

	posted_open(&posted, &output_kind_http, NULL, 0, "");
	assert_int_equal(sent_try(&target, &output_kind_http, "http:h", &err), -EINVAL);
	assert_int_equal(
		sent_try(&target, &output_kind_http, "https://h,profile=loki,format=text", &err),
		-EINVAL);
	assert_non_null(strstr(err.text, "format=json"));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_teardown(test_kind, teardown),
	cmocka_unit_test_teardown(test_tls, teardown),
	cmocka_unit_test_teardown(test_rejected, teardown),
};

UNIT_GROUP(tests);
