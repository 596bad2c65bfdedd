/* SPDX-License-Identifier: MIT */
/* Lists of CPUs. */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <unistd.h>

#include "perf/cpus.h"
#include "tree.h"
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

/* Two packages, of which the second has two dies; and CPUs of which the kernel says nothing. */
static void numbers_packages(void **state)
{
	static const struct {
		const char *package, *die;
		size_t number;
	} rows[] = {{"0", "0", 0}, {"1", "0", 1},   {"1", "1", 2}, {"0", "0", 0},
		    {"1", "1", 2}, {NULL, NULL, 3}, {"-1", "0", 4}};
	struct arena arena = {0};
	struct perf_cpus cpus;
	struct tree tree;
	size_t *numbers;
	char name[64];

	tree_create(&tree);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]) && rows[i].package; i++) {
		snprintf(name, sizeof(name), "cpu%zu/topology/physical_package_id", i);
		tree_write(&tree, name, rows[i].package);
		snprintf(name, sizeof(name), "cpu%zu/topology/die_id", i);
		tree_write(&tree, name, rows[i].die);
	}
	tree_write(&tree, "cpu6/topology/physical_package_id", "-1\n");
	assert_int_equal(perf_cpus_read("0-6", &arena, &cpus), 0);
	numbers = perf_cpus_packages(&cpus, tree.path, &arena);
	assert_non_null(numbers);
	for (size_t i = 0; i < cpus.count; i++)
		assert_int_equal(numbers[i], rows[i].number);
	assert_true(perf_cpus_have(&cpus, 6));
	assert_false(perf_cpus_have(&cpus, 7));
	arena_finish(&arena);
	tree_destroy(&tree);
}

/* This thread runs on one of them. */
static void lists_those_that_are_online(void **state)
{
	char text[PERF_CPUS_TEXT_BYTES];
	struct arena arena = {0};
	struct perf_cpus cpus;

	assert_int_equal(perf_cpus_online(text), 0);
	assert_int_equal(perf_cpus_read(text, &arena, &cpus), 0);
	assert_int_equal(cpus.count, sysconf(_SC_NPROCESSORS_ONLN));
	assert_true(perf_cpus_have(&cpus, (unsigned int)sched_getcpu()));
	arena_finish(&arena);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(lists_those_that_are_online),
	cmocka_unit_test(reads_ranges_in_order),
	cmocka_unit_test(rejects_the_rest),
	cmocka_unit_test(numbers_packages),
};

UNIT_GROUP(tests);
