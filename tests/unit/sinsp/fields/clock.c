/* SPDX-License-Identifier: MIT */
/* Times as text: zones, the turn of a second, the ends of the range. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sinsp/fields/clock.h"
#include "unit.h"

static void expect_rfc3339(struct clock *clock, uint64_t ns, const char *text)
{
	char made[CLOCK_RFC3339_BYTES + 1] = "";

	clock_rfc3339(clock, ns, made);
	assert_string_equal(made, text);
}

static void test_utc(void **state)
{
	struct clock clock = {0};

	expect_rfc3339(&clock, 0, "1970-01-01T00:00:00.000000000Z");
	expect_rfc3339(&clock, 1795260961123456789, "2026-11-21T11:36:01.123456789Z");
	expect_rfc3339(&clock, 1795260961999999999, "2026-11-21T11:36:01.999999999Z");
	expect_rfc3339(&clock, 1795260962000000000, "2026-11-21T11:36:02.000000000Z");
	expect_rfc3339(&clock, 1709210096000000001, "2024-02-29T12:34:56.000000001Z");
	expect_rfc3339(&clock, UINT64_MAX, "2554-07-21T23:34:33.709551615Z");
}

static void test_local(void **state)
{
	struct clock clock = {0};

	assert_string_equal(clock_local(&clock, 1795260961123456789), "2026-11-21 06:06:01");
	assert_string_equal(clock_local(&clock, 1795260961000000000) + CLOCK_TIME_OFFSET,
			    "06:06:01");
	assert_string_equal(clock_local(&clock, 0), "1969-12-31 18:30:00");
}

static int setup(void **state)
{
	setenv("TZ", "XYZ5:30", 1);
	tzset();
	return 0;
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_utc),
	cmocka_unit_test(test_local),
};

UNIT_GROUP(tests, .setup = setup);
