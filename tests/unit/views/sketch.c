/* SPDX-License-Identifier: MIT */
/* Sketches: what quantiles are worth, that merging loses nothing, what happens without memory. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"
#include "util/count.h"
#include "views/sketch.h"

enum { VALUES = 20000 };

static int compare(const void *a, const void *b)
{
	uint64_t one = *(const uint64_t *)a, other = *(const uint64_t *)b;

	return (one > other) - (one < other);
}

/* Values of all sizes, by the logarithm. */
static void fill(uint64_t *values, size_t n)
{
	srand48(1);
	for (size_t i = 0; i < n; i++)
		values[i] = (uint64_t)exp2(drand48() * 62);
}

/* Of sorted values the first that so many are not above, found by counting these. */
static uint64_t smallest_of_percent(const uint64_t *values, size_t n, double percent)
{
	size_t i = 0;

	while (i + 1 < n && (double)(i + 1) * 100 < percent * (double)n)
		i++;
	return values[i];
}

static void quantiles_are_as_exact_as_stated(void **state)
{
	static const double percents[] = {0, 1, 25, 50, 90, 95, 99, 99.9, 100};
	struct views_memory memory = {.bytes_max = SIZE_MAX};
	struct views_sketch sketch = {0};
	static uint64_t values[VALUES];

	fill(values, VALUES);
	for (size_t i = 0; i < VALUES; i++)
		assert_true(views_sketch_add(&sketch, &memory, values[i]));
	qsort(values, VALUES, sizeof(values[0]), compare);
	for (size_t i = 0; i < COUNT(percents); i++) {
		double exact = (double)smallest_of_percent(values, VALUES, percents[i]);
		double found = (double)views_sketch_quantile(&sketch, percents[i]);

		assert_true(fabs(found - exact) <= exact * VIEWS_SKETCH_ERROR);
	}
	views_sketch_finish(&sketch, &memory);
	assert_int_equal(memory.taken, 0);
	pool_finish(&memory.pool);
}

static void small_values_are_exact(void **state)
{
	struct views_memory memory = {.bytes_max = SIZE_MAX};
	struct views_sketch sketch = {0};

	assert_int_equal(views_sketch_quantile(&sketch, 50), 0);
	for (uint64_t value = 0; value < 128; value++)
		views_sketch_add(&sketch, &memory, value);
	for (unsigned int i = 0; i < 128; i++)
		assert_int_equal(views_sketch_quantile(&sketch, (i + 0.5) / 128 * 100), i);
	for (unsigned int i = 0; i < VIEWS_SKETCH_EXACT; i++) {
		assert_int_equal(views_sketch_exactly(&sketch, i), 1);
		views_sketch_add(&sketch, &memory, i);
		assert_int_equal(views_sketch_exactly(&sketch, i), 2);
	}
	views_sketch_finish(&sketch, &memory);
	pool_finish(&memory.pool);
}

/* The largest of few values is what nearly all are not above. */
static void few_values_have_their_largest(void **state)
{
	struct views_memory memory = {.bytes_max = SIZE_MAX};
	struct views_sketch sketch = {0};

	views_sketch_add(&sketch, &memory, 1);
	views_sketch_add(&sketch, &memory, 60);
	assert_int_equal(views_sketch_quantile(&sketch, 0), 1);
	assert_int_equal(views_sketch_quantile(&sketch, 50), 1);
	assert_int_equal(views_sketch_quantile(&sketch, 51), 60);
	assert_int_equal(views_sketch_quantile(&sketch, 99), 60);
	views_sketch_finish(&sketch, &memory);
	pool_finish(&memory.pool);
}

static void octaves_hold_all_values(void **state)
{
	struct views_memory memory = {.bytes_max = SIZE_MAX};
	struct views_sketch sketch = {0};
	uint64_t sum = 0;

	for (unsigned int power = 0; power < 64; power++) {
		views_sketch_add(&sketch, &memory, power ? UINT64_C(1) << power : 0);
		views_sketch_add(&sketch, &memory,
				 power < 63 ? (UINT64_C(2) << power) - 1 : UINT64_MAX);
	}
	for (unsigned int power = 0; power < 64; power++) {
		assert_int_equal(views_sketch_octave(&sketch, power), 2);
		sum += views_sketch_octave(&sketch, power);
	}
	assert_int_equal(sum, sketch.count);
	views_sketch_finish(&sketch, &memory);
	pool_finish(&memory.pool);
}

/* What has no bucket is said, and is no part of a quantile. */
static void lost_values_are_counted(void **state)
{
	struct views_memory memory = {.bytes_max = VIEWS_SKETCH_STEPS * sizeof(uint64_t)};
	struct views_sketch sketch = {0};

	assert_true(views_sketch_add(&sketch, &memory, 7));
	assert_false(views_sketch_add(&sketch, &memory, 1000));
	assert_int_equal(sketch.count, 2);
	assert_int_equal(sketch.lost, 1);
	assert_int_equal(views_sketch_quantile(&sketch, 100), 7);
	views_sketch_finish(&sketch, &memory);
	pool_finish(&memory.pool);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(quantiles_are_as_exact_as_stated),
	cmocka_unit_test(small_values_are_exact),
	cmocka_unit_test(few_values_have_their_largest),
	cmocka_unit_test(octaves_hold_all_values),
	cmocka_unit_test(lost_values_are_counted),
};

UNIT_GROUP(tests);
