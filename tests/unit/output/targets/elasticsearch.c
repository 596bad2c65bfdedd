/* SPDX-License-Identifier: MIT */
/* The bulk API: actions, and answers with a result for each record. */
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

static const char *const two[] = {"{\"a\":1}\n", "{\"a\":2}\n"};
static const char fine[] = "{\"errors\":false}";

static void expect_body(const char *keys, const char *body)
{
	struct posted_answer answer = {"200 OK", NULL, fine};

	posted_open(&posted, &output_kind_http, &answer, 1, keys);
	assert_int_equal(posted_send(&posted, two, 2), 0);
	posted_expect(&posted, "dd");
	assert_string_equal(posted_body(&posted, 0), body);
	posted_close(&posted);
}

static void test_actions(void **state)
{
	expect_body("/,profile=elasticsearch,schema=native",
		    "{\"create\":{\"_index\":\"lanner\",\"_id\":\"0123456789abcdef-7\"}}\n"
		    "{\"@timestamp\":\"2023-11-14T22:13:20.123456789Z\",\"a\":1}\n"
		    "{\"create\":{\"_index\":\"lanner\",\"_id\":\"0123456789abcdef-8\"}}\n"
		    "{\"@timestamp\":\"2023-11-14T22:13:20.123456790Z\",\"a\":2}\n");
	/* In ECS, the default, records have the time themselves. */
	expect_body("/,profile=elasticsearch,index=x-%Y.%m.%d-%H",
		    "{\"create\":{\"_index\":\"x-2023.11.14-22\",\"_id\":\"0123456789abcdef-7\"}}\n"
		    "{\"a\":1}\n"
		    "{\"create\":{\"_index\":\"x-2023.11.14-22\",\"_id\":\"0123456789abcdef-8\"}}\n"
		    "{\"a\":2}\n");
}

static void test_request(void **state)
{
	struct posted_answer answer = {"200 OK", NULL, fine};
	const char *head;

	posted_open(&posted, &output_kind_http, &answer, 1, ",profile=elasticsearch,token=t");
	assert_int_equal(posted_send(&posted, two, 2), 0);
	head = fake_server_request(posted.server, 0);
	assert_memory_equal(head, "POST /_bulk?filter_path=errors", 30);
	assert_non_null(strstr(head, "\r\nAuthorization: ApiKey t\r\n"));
	assert_non_null(strstr(head, "\r\nContent-Type: application/x-ndjson\r\n"));
}

/* A drop record has an id of its own. */
static void test_drop(void **state)
{
	struct posted_answer answer = {"200 OK", NULL, fine};

	posted_open(&posted, &output_kind_http, &answer, 1, ",profile=elasticsearch");
	sent_init_texts(&posted.sent, 7, two, 1);
	posted.sent.records[0].flags = RECORD_IS_DROP;
	posted.sent.records[0].event = 3; /* its cause: several may have the same time */
	assert_int_equal(output_kind_http.send(posted.target.target, &posted.sent.batch, NULL), 0);
	assert_non_null(strstr(posted_body(&posted, 0),
			       "\"_id\":\"0123456789abcdef-7d1700000000123456789.3\""));
}

static void test_answers(void **state)
{
	static const struct {
		const char *body, *results;
		int code;
		bool uncertain;
		const char *message;
	} rows[] = {
		{"{\"errors\":true,\"items\":[{\"create\":{\"status\":201}},{\"create\":{"
		 "\"status\":429,"
		 "\"error\":{\"type\":\"busy\",\"reason\":\"later\"}}}]}",
		 "dr", -EAGAIN, false, "1 of 2 records: busy: later"},
		{"{\"errors\":true,\"items\":[{\"create\":{\"status\":503}},{\"create\":{"
		 "\"status\":400,"
		 "\"error\":{\"type\":\"mapper\",\"reason\":\"bad\"}}}]}",
		 "rx", -EBADMSG, false, "rejected 1 of 2 records: mapper: bad"},
		/* One that is there is delivered. */
		{"{\"errors\":true,\"items\":[{\"create\":{\"status\":409}},{\"index\":{\"status\":"
		 "200}}]}",
		 "dd", 0, false, ""},
		/* Answers that say nothing about some records. */
		{"{\"errors\":true,\"items\":[{\"create\":{\"status\":201}}]}", "rr", -EPROTO, true,
		 "1 items for 2 records"},
		{"{\"errors\":true}", "rr", -EPROTO, true, "0 items"},
		{"{\"errors\":true,\"items\":[1,{}]}", "rr", -EAGAIN, false, "2 of 2"},
		{"{\"errors\":", "rr", -EBADMSG, true, "_bulk"},
		{"", "rr", -EBADMSG, true, ""},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct posted_answer answer = {"200 OK", NULL, rows[i].body};

		posted_open(&posted, &output_kind_http, &answer, 1, ",profile=elasticsearch");
		assert_int_equal(posted_send(&posted, two, 2), rows[i].code);
		posted_expect(&posted, rows[i].results);
		posted_expect_error(&posted, rows[i].message);
		assert_int_equal(posted.sent.batch.uncertain, rows[i].uncertain);
		posted_close(&posted);
	}
}

static void test_dead_letter(void **state)
{
	struct posted_answer answer = {"200 OK", NULL,
				       "{\"errors\":true,\"items\":[{\"create\":{\"status\":201}},{"
				       "\"create\":{\"status\":400,"
				       "\"error\":{\"type\":\"mapper\",\"reason\":\"bad\"}}}]}"};
	char path[TREE_PATH_BYTES], keys[2 * TREE_PATH_BYTES], got[1000] = "";
	struct tree tree;
	FILE *file;

	tree_create(&tree);
	tree_path(&tree, "dead", path);
	snprintf(keys, sizeof(keys), ",profile=elasticsearch,dead-letter=%s", path);
	posted_open(&posted, &output_kind_http, &answer, 1, keys);
	assert_int_equal(posted_send(&posted, two, 2), -EBADMSG);
	file = fopen(path, "r");
	assert_int_not_equal(fread(got, 1, sizeof(got) - 1, file), 0);
	fclose(file);
	assert_non_null(strstr(got, "\"reason\":\"mapper: bad\",\"id\":\"0123456789abcdef-8\""));
	assert_null(strstr(got, "abcdef-7"));
	tree_destroy(&tree);
}

static void test_rejected(void **state)
{
	static const char *const keys[] = {
		"index=A",     "index=a b", "index=",	 "index=-a",
		"index=a%d%S", "index=a%",  "index=a/b", "format=text",
	};

	posted_open(&posted, &output_kind_http, NULL, 0, "");
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		struct sent_target target;
		char text[100];

		snprintf(text, sizeof(text), "http://h,profile=elasticsearch,%s", keys[i]);
		if (sent_try(&target, &output_kind_http, text, NULL) != -EINVAL)
			fail_msg("%s is valid", text);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_actions),
	cmocka_unit_test_teardown(test_request, teardown),
	cmocka_unit_test_teardown(test_drop, teardown),
	cmocka_unit_test(test_answers),
	cmocka_unit_test_teardown(test_dead_letter, teardown),
	cmocka_unit_test_teardown(test_rejected, teardown),
};

UNIT_GROUP(tests);
