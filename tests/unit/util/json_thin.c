/* SPDX-License-Identifier: MIT */
/* What is left out of JSON, in parts of any length. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"
#include "util/json_input.h"

enum { MAX = 1 << 20 };

static struct json_thin *thin_by(const char *text, size_t part, unsigned int free_levels)
{
	struct json_thin *thin = json_thin_create(free_levels, MAX);
	size_t len = strlen(text);

	assert_non_null(thin);
	for (size_t at = 0; at < len; at += part)
		assert_int_equal(json_thin_add(thin, text + at, part < len - at ? part : len - at),
				 0);
	buf_append_char(&thin->out, '\0');
	return thin;
}

static void expect(const char *text, const char *thinned, uint32_t left_out)
{
	for (size_t part = 1; part < 8; part++) {
		struct json_thin *thin = thin_by(text, part, 2);

		assert_string_equal(thin->out.data, thinned);
		assert_int_equal(thin->left_out, left_out);
		json_thin_destroy(thin);
	}
}

static void test_nothing_left_out(void **state)
{
	expect("", "", 0);
	expect("7", "7", 0);
	expect("{}", "{}", 0);
	expect(" { \"a\" : [ 1 , true,null ,\n\"\\\"]\" ] } ", "{\"a\":[1 ,true,null ,\"\\\"]\"]}",
	       0);
	expect("{\"a\":\"\\u0000\",\"b\":\"\\\\\"}", "{\"a\":\"\\u0000\",\"b\":\"\\\\\"}", 0);
	expect("{\"a\\\\u0000\":1}", "{\"a\\\\u0000\":1}", 0);
	expect("1 2", "1 2", 0);
}

static void test_keys_with_nul(void **state)
{
	expect("{\"a\\u0000\":1}", "{}", 1);
	expect("{\"a\\u0000\":[1,{\"x\":\",\"}],\"b\":2}", "{\"b\":2}", 1);
	expect("{\"b\":2,\"\\u0000\":{},\"c\":3}", "{\"b\":2,\"c\":3}", 1);
	expect("[{\"b\":2,\"\\u0000\":0},7]", "[{\"b\":2},7]", 1);
}

/* Not JSON before, and not after. */
static void test_nonsense(void **state)
{
	expect("]]}", "]]}", 0);
	expect(",,", ",,", 0);
	expect("{\"a", "{\"a", 0);
}

static char *repeat(const char *before, const char *item, size_t count, const char *after)
{
	char *text = malloc(strlen(before) + strlen(item) * count + strlen(after) + 1);

	assert_non_null(text);
	strcpy(text, before);
	for (size_t i = 0; i < count; i++)
		memcpy(text + strlen(before) + i * strlen(item), item, strlen(item));
	strcpy(text + strlen(before) + count * strlen(item), after);
	return text;
}

static struct json_thin *thin_repeated(const char *before, const char *item, size_t count,
				       const char *after)
{
	char *text = repeat(before, item, count, after);
	struct json_thin *thin = thin_by(text, 1000, 2);

	free(text);
	return thin;
}

static void test_long_lists(void **state)
{
	struct json_thin *thin = thin_repeated("{\"C\":{\"L\":[0", ",0", 9999, "],\"I\":\"web\"}}");

	assert_int_equal(thin->left_out, 10000 - JSON_THIN_ITEMS);
	assert_int_equal(thin->out.len,
			 2 * JSON_THIN_ITEMS + strlen("{\"C\":{\"L\":[],\"I\":\"web\"}}"));
	assert_string_equal(thin->out.data + thin->out.len - 14, "],\"I\":\"web\"}}");
	json_thin_destroy(thin);
	/* Those of the outer levels are all there. */
	thin = thin_repeated("{\"C\":[0", ",0", 9999, "]}");
	assert_int_equal(thin->left_out, 0);
	json_thin_destroy(thin);
}

static void test_long_texts(void **state)
{
	struct json_thin *thin =
		thin_repeated("{\"a\":1,\"b\":\"", "x", JSON_THIN_TEXT_BYTES, "\",\"c\":3}");

	assert_string_equal(thin->out.data, "{\"a\":1,\"c\":3}");
	assert_int_equal(thin->left_out, 1);
	json_thin_destroy(thin);
	thin = thin_repeated("{\"C\":{\"L\":{\"k\":\"", "x", JSON_THIN_LIST_BYTES - 1, "\"}}}");
	assert_string_equal(thin->out.data, "{\"C\":{\"L\":{}}}");
	json_thin_destroy(thin);
}

static void test_depth(void **state)
{
	struct json_thin *thin = thin_repeated("", "[", 1000, "");

	assert_int_equal(thin->out.len, JSON_THIN_LEVELS + 1);
	json_thin_destroy(thin);
	thin = thin_repeated("{\"a\":", "[", 1000, "");
	json_thin_add(thin, "]]]", 3);
	json_thin_destroy(thin);
}

static void test_max(void **state)
{
	struct json_thin *thin = json_thin_create(2, 4);

	assert_int_equal(json_thin_add(thin, "[1,2", 4), 0);
	assert_int_equal(json_thin_add(thin, "]", 1), -EFBIG);
	json_thin_destroy(thin);
	json_thin_destroy(NULL);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_nothing_left_out),
	cmocka_unit_test(test_keys_with_nul),
	cmocka_unit_test(test_nonsense),
	cmocka_unit_test(test_long_lists),
	cmocka_unit_test(test_long_texts),
	cmocka_unit_test(test_depth),
	cmocka_unit_test(test_max),
};

UNIT_GROUP(tests);
