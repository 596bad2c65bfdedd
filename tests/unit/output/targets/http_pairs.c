/* SPDX-License-Identifier: MIT */
/* What is NAME=VALUE. */
#include <errno.h>
#include <string.h>

#include "output/targets/http_body.h"
#include "unit.h"

static void test_parts(void **state)
{
	static const struct {
		const char *item;
		size_t name_len;
		const char *value;
	} rows[] = {{"a=b=c", 1, "b=c"}, {"abc=", 3, ""}, {"abc", 3, ""}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct http_pair pair = http_pair_of(rows[i].item);

		assert_ptr_equal(pair.name, rows[i].item);
		assert_int_equal(pair.name_len, rows[i].name_len);
		assert_string_equal(pair.value, rows[i].value);
	}
}

static void test_check(void **state)
{
	char *good[] = {(char *)"a=b", (char *)"a="};
	char *bad[] = {(char *)"a=b", (char *)"=x"}, *none[] = {(char *)"x"};
	struct error err;

	assert_int_equal(http_pairs_check(&(struct output_list){good, 2}, "label", &err), 0);
	assert_int_equal(http_pairs_check(&(struct output_list){0}, "label", &err), 0);
	assert_int_equal(http_pairs_check(&(struct output_list){bad, 2}, "label", &err), -EINVAL);
	assert_non_null(strstr(err.text, "label: '=x'"));
	assert_int_equal(http_pairs_check(&(struct output_list){none, 1}, "label", &err), -EINVAL);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_parts),
	cmocka_unit_test(test_check),
};

UNIT_GROUP(tests);
