/* SPDX-License-Identifier: MIT */
/* Each profile has its word, and what a target needs of it. */
#include "output/targets/http.h"
#include "unit.h"

static void test_table(void **state)
{
	size_t i;

	for (i = 0; HTTP_PROFILE_WORDS[i]; i++) {
		assert_non_null(HTTP_PROFILES[i]->write);
		assert_non_null(HTTP_PROFILES[i]->verdicts);
		assert_non_null(HTTP_PROFILES[i]->scheme);
		assert_false(HTTP_PROFILES[i]->open && !HTTP_PROFILES[i]->close);
	}
	assert_int_equal(i, 6);
	assert_ptr_equal(HTTP_PROFILES[0], &http_profile_plain);
	assert_string_equal(HTTP_PROFILE_WORDS[2], "loki");
	assert_ptr_equal(HTTP_PROFILES[2], &http_profile_loki);
	assert_string_equal(HTTP_PROFILE_WORDS[5], "clickhouse");
	assert_ptr_equal(HTTP_PROFILES[5], &http_profile_clickhouse);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_table),
};

UNIT_GROUP(tests);
