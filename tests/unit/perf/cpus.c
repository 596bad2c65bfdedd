/* SPDX-License-Identifier: MIT */
/* Lists of CPUs. */
#include <errno.h>

#include "perf/cpus.h"
#include "unit.h"

static void reads_ranges_in_order(void **state)
{
	static const unsigned int numbers[] = {0, 3, 4, 5, 8191};
	struct arena arena = {0};
	struct perf_cpus cpus = {0};

	assert_int_equal(perf_cpus_read("4-5,0,3-4,8191\n", &arena, &cpus), 0);
	assert_int_equal(cpus.count, 5);
	for (size_t i = 0; i < cpus.count; i++)
		assert_int_equal(cpus.numbers[i], numbers[i]);
	assert_int_equal(perf_cpus_read("7", &arena, &cpus), 0);
	assert_int_equal(cpus.count, 1);
	assert_int_equal(cpus.numbers[0], 7);
	arena_finish(&arena);
}

static void rejects_the_rest(void **state)
{
	static const char *const texts[] = {
		"",    "\n", ",", "1,",	    "1-",   "-1",    "2-1",	   "8192",
		"1 2", "1x", "x", "0-8192", "1,,2", "1\n\n", "4294967296", "1-2-3",
	};
	struct arena arena = {0};
	struct perf_cpus cpus = {.count = 42};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_int_equal(perf_cpus_read(texts[i], &arena, &cpus), -EINVAL);
	assert_int_equal(cpus.count, 42);
	arena_finish(&arena);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(reads_ranges_in_order),
	cmocka_unit_test(rejects_the_rest),
};

UNIT_GROUP(tests);
