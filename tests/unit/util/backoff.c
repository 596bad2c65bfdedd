/* SPDX-License-Identifier: MIT */
/* When a server that failed is asked again. */
#include "util/backoff.h"
#include "unit.h"

enum { FAILURES = 8 };

static void test_delays_grow(void **state)
{
	static const unsigned int seconds[FAILURES] = {1, 2, 4, 8, 16, 30, 30, 30};
	struct backoff backoff = {0};
	uint64_t now = 5;

	assert_true(backoff_allows(&backoff, now));
	for (size_t i = 0; i < FAILURES; i++) {
		uint64_t delay = seconds[i] * UINT64_C(1000000000);

		backoff_failed(&backoff, now, 0);
		assert_false(backoff_allows(&backoff, now + delay - 1));
		assert_true(backoff_allows(&backoff, now + delay));
		now += delay;
	}
	backoff_reset(&backoff);
	assert_true(backoff_allows(&backoff, 0));
	backoff_failed(&backoff, now, 0);
	assert_true(backoff_allows(&backoff, now + BACKOFF_FIRST_NS));
}

static void test_chance_adds_a_quarter(void **state)
{
	struct backoff backoff = {0};

	backoff_failed(&backoff, 0, UINT16_MAX);
	assert_int_equal(backoff.next_ns, BACKOFF_FIRST_NS + BACKOFF_FIRST_NS / 4);
	for (int i = 0; i < FAILURES; i++)
		backoff_failed(&backoff, 0, UINT16_MAX);
	assert_int_equal(backoff.next_ns, BACKOFF_LAST_NS + BACKOFF_LAST_NS / 4);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_delays_grow),
	cmocka_unit_test(test_chance_adds_a_quarter),
};

UNIT_GROUP(tests);
