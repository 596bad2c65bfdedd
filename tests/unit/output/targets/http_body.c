/* SPDX-License-Identifier: MIT */
/* Records between text, in their order, without a copy. */
#include <string.h>

#include "output/targets/http_body.h"
#include "unit.h"

static void assert_body(const struct http_body *body, const char *wanted)
{
	struct buf all = {0};

	for (size_t i = 0; i < body->count; i++)
		buf_append(&all, body->parts[i].iov_base, body->parts[i].iov_len);
	buf_append_char(&all, '\0');
	assert_string_equal(all.data, wanted);
	buf_finish(&all);
}

static void test_order(void **state)
{
	static const char record[] = "<record>";
	struct http_body body = {0};

	for (int round = 0; round < 2; round++) {
		http_body_clear(&body);
		BUF_LITERAL(&body.text, "a");
		http_body_add(&body, record, strlen(record));
		http_body_add(&body, "", 0);
		BUF_LITERAL(&body.text, "b");
		BUF_LITERAL(&body.text, "c");
		http_body_add(&body, record, 3);
		http_body_add(&body, record, 2);
		BUF_LITERAL(&body.text, "d");
		assert_true(http_body_end(&body));
		assert_body(&body, "a<record>bc<re<rd");
		assert_ptr_equal(body.parts[1].iov_base, record);
	}
	http_body_clear(&body);
	assert_true(http_body_end(&body));
	assert_int_equal(body.count, 0);
	http_body_finish(&body);
}

/* The text moves while it grows. */
static void test_many(void **state)
{
	struct http_body body = {0};
	struct buf wanted = {0};

	for (int i = 0; i < 10000; i++) {
		buf_printf(&body.text, "%d,", i);
		http_body_add(&body, "x", 1);
		buf_printf(&wanted, "%d,x", i);
	}
	buf_append_char(&wanted, '\0');
	assert_true(http_body_end(&body));
	assert_body(&body, wanted.data);
	buf_finish(&wanted);
	http_body_finish(&body);
}

static void test_members(void **state)
{
	struct http_body body = {0};

	BUF_LITERAL(&body.text, "{\"a\":1");
	http_body_add_members(&body, "{\"b\":2}\n", 8);
	BUF_LITERAL(&body.text, "{\"a\":1");
	http_body_add_members(&body, "{}\n", 3);
	assert_true(http_body_end(&body));
	assert_body(&body, "{\"a\":1,\"b\":2}\n{\"a\":1}\n");
	http_body_finish(&body);
}

static void test_memory(void **state)
{
	struct http_body body = {0};

	buf_fail(&body.text);
	http_body_add(&body, "x", 1);
	assert_false(http_body_end(&body));
	http_body_clear(&body);
	http_body_add(&body, "x", 1);
	assert_true(http_body_end(&body));
	http_body_finish(&body);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_order),
	cmocka_unit_test(test_many),
	cmocka_unit_test(test_members),
	cmocka_unit_test(test_memory),
};

UNIT_GROUP(tests);
