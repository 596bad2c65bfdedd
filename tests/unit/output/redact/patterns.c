/* SPDX-License-Identifier: MIT */
/* The table of secrets: what the search needs of each row. */
#include "output/redact/patterns.h"
#include "output/redact/scan.h"
#include "unit.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

static void test_rows(void **state)
{
	struct scan scan = {0};

	for (size_t i = 0; i < redact_patterns_count; i++) {
		const struct redact_pattern *pattern = &redact_patterns[i];

		assert_true(strlen(pattern->word) >= pattern->rare + 2);
		assert_true(scan.count < SCAN_PAIRS_MAX);
		scan_add(&scan, pattern->word + pattern->rare);
		for (const char *c = pattern->word; *c; c++)
			assert_false(isupper((unsigned char)*c));
		if (pattern->exact)
			assert_int_equal(strcasecmp(pattern->exact, pattern->word), 0);
	}
	for (int kind = 0; kind < REDACT_KINDS; kind++)
		assert_non_null(redact_kind_name(kind));
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows)};

UNIT_GROUP(tests);
