/* SPDX-License-Identifier: MIT */
/* Batches that are divided between requests, and what the answers say of the whole. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "output/targets/kinds.h"
#include "posted.h"
#include "unit.h"

/* The server has one connection at a time: that of the next lane waits. */
#define CLOSE "Connection: close\r\n"

static struct posted posted;

static int teardown(void **state)
{
	posted_close(&posted);
	return 0;
}

static const char *const four[] = {"{\"a\":1}\n", "{\"a\":2}\n", "{\"a\":3}\n", "{\"a\":4}\n"};

/* Requests take the answers in the order in which they arrive, which nothing says. */
static void test_parts(void **state)
{
	static const struct posted_answer answers[] = {
		{"200 OK", CLOSE, ""}, {"200 OK", CLOSE, ""}, {"200 OK", CLOSE, ""}};
	static const char *const bodies[] = {"{\"a\":1}", "{\"a\":2}", "{\"a\":3}"};
	bool found[3] = {false};

	posted_open(&posted, &output_kind_http, answers, 3, ",concurrency=3,body=single");
	assert_int_equal(output_kind_http.requests_max(posted.target.config), 3);
	assert_int_equal(posted_send(&posted, four, 3), 0);
	posted_expect(&posted, "ddd");
	for (size_t i = 0; i < 3; i++)
		for (size_t j = 0; j < 3; j++)
			found[j] |= strcmp(posted_body(&posted, i), bodies[j]) == 0;
	assert_true(found[0] && found[1] && found[2]);
}

/* What one answer says is said of its part, and of the batch. */
static void test_a_part_fails(void **state)
{
	static const struct posted_answer answers[] = {{"429 Slow", CLOSE "Retry-After: 7\r\n", ""},
						       {"200 OK", CLOSE, ""}};
	char results[3] = "";

	posted_open(&posted, &output_kind_http, answers, 2, ",concurrency=2,batch-count=2");
	assert_int_equal(posted_send(&posted, four, 4), -EAGAIN);
	posted_expect_error(&posted, "did not take 2 records with status 429");
	assert_true(posted.sent.batch.retry_after_ns == UINT64_C(7000000000));
	for (size_t i = 0; i < 2; i++) {
		const uint8_t *part = posted.sent.batch.results + 2 * i;

		assert_int_equal(part[0], part[1]);
		results[i] = part[0] == OUTPUT_RETRY ? 'r' : 'd';
	}
	assert_true(strcmp(results, "rd") == 0 || strcmp(results, "dr") == 0);
}

/* As few requests as one after the other would be, and never more than there are lanes. */
static void test_sizes(void **state)
{
	static const struct posted_answer answers[] = {
		{"200 OK", CLOSE, ""}, {"200 OK", CLOSE, ""}, {"200 OK", CLOSE, ""}};
	size_t len;

	posted_open(&posted, &output_kind_http, answers, 3, ",concurrency=2,batch-count=1");
	assert_int_equal(posted_send(&posted, four, 4), 0);
	posted_expect(&posted, "dddd");
	len = strlen(posted_body(&posted, 0)) + strlen(posted_body(&posted, 1));
	assert_int_equal(len, 4 * strlen(four[0]));
	assert_string_equal(posted_body(&posted, 2), "");
	assert_int_equal(posted_send_one(&posted, four[0]), 0);
	assert_string_equal(posted_body(&posted, 2), four[0]);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_teardown(test_parts, teardown),
	cmocka_unit_test_teardown(test_a_part_fails, teardown),
	cmocka_unit_test_teardown(test_sizes, teardown),
};

UNIT_GROUP(tests);
