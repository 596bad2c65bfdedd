/* SPDX-License-Identifier: MIT */
/* Names of events that are the same on all machines. */
#include <string.h>

#include "perf/names.h"
#include "unit.h"

static void finds_generic_events_by_both_names(void **state)
{
	assert_int_equal(perf_generic_find("cycles:u", 6)->config, 0);
	assert_ptr_equal(perf_generic_find("cpu-cycles", 10), perf_generic_find("cycles", 6));
	assert_int_equal(perf_generic_find("cgroup-switches", 15)->config, 11);
	assert_null(perf_generic_find("cycle", 5));
	assert_null(perf_generic_find("", 0));
	for (const struct perf_generic *row = perf_generics; row->name; row++)
		assert_ptr_equal(perf_generic_find(row->name, strlen(row->name)), row);
}

/* Each name that is listed is found, and has a config of its own. */
static void lists_events_of_caches(void **state)
{
	uint64_t config, found, seen[64];
	char name[64];
	unsigned int n = 0;

	for (; perf_cache_get(n, name, &config); n++) {
		assert_true(perf_cache_find(name, strlen(name), &found));
		assert_int_equal(found, config);
		for (unsigned int i = 0; i < n; i++)
			assert_int_not_equal(seen[i], config);
		seen[n] = config;
		if (n == 1)
			assert_string_equal(name, "L1-dcache-load-misses");
	}
	/* Four caches with all three operations, one without stores, two with loads alone. */
	assert_int_equal(n, 2 * (4 * 3 + 2 + 2));
}

static void reads_names_of_caches(void **state)
{
	uint64_t config = 42;

	assert_true(perf_cache_find("l1d", 3, &config));
	assert_int_equal(config, 0);
	assert_true(perf_cache_find("llc-Miss-STORES", 15, &config));
	assert_int_equal(config, 0x10102);
	assert_false(perf_cache_find("l1d-", 4, &config));
	assert_false(perf_cache_find("l1d-x", 5, &config));
	assert_false(perf_cache_find("l1dx", 4, &config));
	assert_false(perf_cache_find("l1d-load-load", 13, &config));
	assert_false(perf_cache_find("l1d-miss-refs", 13, &config));
	assert_false(perf_cache_find("iTLB-stores", 11, &config));
	assert_int_equal(config, 0x10102);
}

static void reads_raw_numbers(void **state)
{
	uint64_t config = 42;

	assert_true(perf_raw_find("r1aF/", 4, &config));
	assert_int_equal(config, 0x1af);
	assert_true(perf_raw_find("r0xffffffffffffffff", 19, &config));
	assert_int_equal(config, UINT64_MAX);
	assert_false(perf_raw_find("r", 1, &config));
	assert_false(perf_raw_find("r0x", 3, &config));
	assert_false(perf_raw_find("rx", 2, &config));
	assert_false(perf_raw_find("x1", 2, &config));
	assert_false(perf_raw_find("r00000000000000001", 18, &config));
	assert_int_equal(config, UINT64_MAX);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(finds_generic_events_by_both_names),
	cmocka_unit_test(lists_events_of_caches),
	cmocka_unit_test(reads_names_of_caches),
	cmocka_unit_test(reads_raw_numbers),
};

UNIT_GROUP(tests);
