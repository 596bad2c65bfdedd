/* SPDX-License-Identifier: MIT */
/* Where a secret begins and ends, at the borders of a text. */
#include "output/redact/patterns.h"
#include "unit.h"

#include <stdlib.h>
#include <string.h>

/* In memory that ends where the text ends, so that a sanitizer sees a byte too many. */
static bool find(const struct redact_pattern *pattern, const char *text,
		 struct redact_extent *secret)
{
	size_t len = strlen(text);
	char *copy = malloc(len);
	bool found;

	memcpy(copy, text, len);
	found = extent_find(pattern, copy, len, 0, secret);
	free(copy);
	return found;
}

static void test_every_prefix(void **state)
{
	static const char *const texts[] = {
		"password\\\" : \\\"ab\\\"", "--password \",\"ab",
		"authorization: basic ab",   "-----begin PRIVATE KEY-----ab-----END",
		"cookie\": \"a\\\"b",
	};
	struct redact_extent secret;
	char part[64];

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		for (size_t pattern = 0; pattern < redact_patterns_count; pattern++)
			for (size_t len = strlen(redact_patterns[pattern].word);
			     len <= strlen(texts[i]); len++) {
				memcpy(part, texts[i], len);
				part[len] = '\0';
				if (find(&redact_patterns[pattern], part, &secret)) {
					assert_true(secret.from < secret.to);
					assert_true(secret.to <= len);
				}
			}
}

static void test_value(void **state)
{
	static const struct redact_pattern password = {"password", 3, REDACT_VALUE,
						       REDACT_PASSWORD};
	struct redact_extent secret = {0};

	assert_true(find(&password, "password=ab c", &secret));
	assert_int_equal(secret.from, 9);
	assert_int_equal(secret.to, 11);
	assert_false(find(&password, "password ab", &secret));
}

static void test_url(void **state)
{
	static const char text[] = "x ftp://u:pw@h";
	struct redact_extent secret = {0};

	assert_true(extent_find_url(text, 12, &secret));
	assert_int_equal(secret.from, 10);
	assert_int_equal(secret.to, 12);
	assert_false(extent_find_url("@", 0, &secret));
	assert_false(extent_find_url("a:b@", 3, &secret));
	assert_false(extent_find_url("//:b@", 4, &secret));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_every_prefix),
	cmocka_unit_test(test_value),
	cmocka_unit_test(test_url),
};

UNIT_GROUP(tests);
