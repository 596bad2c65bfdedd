/* SPDX-License-Identifier: MIT */
/* What statuses mean for records, and what is in doubt. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "output/targets/kinds.h"
#include "posted.h"
#include "tree.h"
#include "unit.h"

static struct posted posted;

static int teardown(void **state)
{
	posted_close(&posted);
	return 0;
}

static const char *const three[] = {"{\"a\":1}\n", "{\"a\":2}\n", "{\"a\":3}\n"};

static void test_statuses(void **state)
{
	static const struct {
		const char *status, *results;
		int code;
		bool uncertain, too_large;
		const char *message;
	} rows[] = {
		{"200 OK", "ddd", 0, false, false, ""},
		{"202 Accepted", "ddd", 0, false, false, ""},
		{"302 Found", "rrr", -EAGAIN, false, false, "redirects are not followed"},
		{"400 Bad", "rrr", 0, false, false, ""}, /* halves find what is wrong */
		{"409 Bad", "xxx", -EBADMSG, false, false,
		 "rejected 3 records with status 409: why"},
		{"401 No", "rrr", -EAGAIN, false, false, "check user="},
		{"403 No", "rrr", -EAGAIN, false, false, "may not write"},
		{"404 No", "xxx", -EBADMSG, false, false, "check the path"},
		{"408 Late", "rrr", -EAGAIN, true, false, "408"},
		{"413 Large", "rrr", 0, false, true, ""},
		{"429 Slow", "rrr", -EAGAIN, false, false, "429"},
		{"500 Oops", "rrr", -EAGAIN, true, false, "500"},
		{"503 Busy", "rrr", -EAGAIN, false, false, "503"},
		{"504 Late", "rrr", -EAGAIN, true, false, "504"},
		{"666 What", "rrr", -EAGAIN, true, false, "666"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct posted_answer answer = {rows[i].status, NULL, "why\n"};

		posted_open(&posted, &output_kind_http, &answer, 1, "/x");
		assert_int_equal(posted_send(&posted, three, 3), rows[i].code);
		posted_expect(&posted, rows[i].results);
		posted_expect_error(&posted, rows[i].message);
		assert_int_equal(posted.sent.batch.uncertain, rows[i].uncertain);
		assert_int_equal(posted.sent.batch.too_large, rows[i].too_large);
		posted_close(&posted);
	}
}

/* Which of them is wrong the answer does not say; alone it is known. */
static void test_divide(void **state)
{
	static const struct posted_answer answers[] = {
		{"400 Bad", NULL, "why"}, {"422 Bad", NULL, "why"}, {"400 Bad", NULL, "why"}};

	posted_open(&posted, &output_kind_http, answers, 3, "");
	for (int i = 0; i < 2; i++) {
		assert_int_equal(posted_send(&posted, three, 3), 0);
		posted_expect(&posted, "rrr");
		assert_true(posted.sent.batch.divide);
	}
	assert_int_equal(posted_send_one(&posted, "{}\n"), -EBADMSG);
	posted_expect(&posted, "x");
	assert_false(posted.sent.batch.divide);
}

static void test_retry_after(void **state)
{
	static const struct posted_answer answers[] = {
		{"429 Slow", "Retry-After: 7\r\n", ""},
		{"503 Busy", NULL, ""},
		{"413 Large", NULL, "too large"},
	};

	posted_open(&posted, &output_kind_http, answers, 3, "");
	assert_int_equal(posted_send_one(&posted, "{}\n"), -EAGAIN);
	assert_true(posted.sent.batch.retry_after_ns == UINT64_C(7000000000));
	assert_int_equal(posted_send_one(&posted, "{}\n"), -EAGAIN);
	assert_true(posted.sent.batch.retry_after_ns == 0);
	/* What is too large alone never fits. */
	assert_int_equal(posted_send_one(&posted, "{}\n"), -EBADMSG);
	posted_expect(&posted, "x");
	assert_false(posted.sent.batch.too_large);
}

/* Without an answer records may have arrived, if they were sent. */
static void test_no_answer(void **state)
{
	posted_open(&posted, &output_kind_http, NULL, 0, ",timeout=60");
	assert_int_equal(posted_send(&posted, three, 3), -EMSGSIZE);
	posted_expect(&posted, "rrr");
	assert_true(posted.sent.batch.uncertain);
	posted_close(&posted);
	posted_open(&posted, &output_kind_http, NULL, 0, ",token-file=/no/such/file");
	assert_int_equal(posted_send(&posted, three, 3), -ENOENT);
	posted_expect(&posted, "rrr");
	assert_false(posted.sent.batch.uncertain);
}

static void test_dead_letters(void **state)
{
	static const struct posted_answer answers[] = {{"406 No", NULL, "the reason"},
						       {"406 No", NULL, ""}};
	char path[TREE_PATH_BYTES], keys[2 * TREE_PATH_BYTES], got[1000] = "";
	struct tree tree;
	FILE *file;

	tree_create(&tree);
	tree_path(&tree, "dead", path);
	snprintf(keys, sizeof(keys), ",dead-letter=%s,dead-letter-size=400", path);
	posted_open(&posted, &output_kind_http, answers, 2, keys);
	assert_int_equal(posted_send(&posted, three, 2), -EBADMSG);
	file = fopen(path, "r");
	assert_int_not_equal(fread(got, 1, sizeof(got) - 1, file), 0);
	fclose(file);
	assert_non_null(strstr(got, "\"status\":406,\"reason\":\"the reason\""));
	assert_non_null(strstr(got, "-8\",\"record\":{\"a\":2}}\n"));
	/* The rejection is one thing, that nothing is left of it another. */
	assert_int_equal(posted_send(&posted, three, 3), -EIO);
	posted_expect(&posted, "xxx");
	posted_expect_error(&posted, "dead-letter-size=");
	tree_destroy(&tree);
}

static void test_open(void **state)
{
	struct sent_target target;
	struct error err;

	posted_open(&posted, &output_kind_http, NULL, 0, "");
	assert_int_equal(sent_try(&target, &output_kind_http,
				  "http://h,dead-letter=/no/such/folder/x", &err),
			 -ENOENT);
	assert_non_null(strstr(err.text, "/no/such/folder/x"));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_statuses),
	cmocka_unit_test_teardown(test_divide, teardown),
	cmocka_unit_test_teardown(test_retry_after, teardown),
	cmocka_unit_test_teardown(test_no_answer, teardown),
	cmocka_unit_test_teardown(test_dead_letters, teardown),
	cmocka_unit_test_teardown(test_open, teardown),
};

UNIT_GROUP(tests);
