/* SPDX-License-Identifier: MIT */
/* Options about views. */
#include "parsed.h"
#include "unit.h"

static void test_rejected(void **state)
{
	expect_rejected("--interval 0.05",
			"--interval: expected a number of 0.1 or more, or a time "
			"such as 10s or 1m, not '0.05'");
	expect_rejected("--sort a", "--sort goes with a view: agent view NAME; columns are those "
				    "of -p FORMAT, or of --json-fields");
	expect_rejected("--interval 1", "--interval goes with a view: agent view NAME");
	expect_rejected("--count 1",
			"--count goes with a view: agent view NAME; counts alone: -S -q");
	expect_rejected("--view-dir a", "--view-dir goes with a view: agent view NAME");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_rejected),
};

UNIT_GROUP(tests);
