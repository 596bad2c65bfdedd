/* SPDX-License-Identifier: MIT */
/* Exponential histograms beside a slow reference: the same buckets, at the finest scale that fits.
 */
#include "unit.h"
#include "requests/metrics/histogram.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/count.h"

enum { VALUES_MAX = 4096 };

/* The definition, with more digits. */
static long reference_index(uint64_t ns, int scale)
{
	long double seconds = (long double)ns / 1e9L;

	return (long)ceill(log2l(seconds) * powl(2, scale)) - 1;
}

static long spread(const uint64_t *values, size_t count, int scale, long *low)
{
	long high = LONG_MIN;

	*low = LONG_MAX;
	for (size_t i = 0; i < count; i++) {
		long index = reference_index(values[i], scale);

		*low = index < *low ? index : *low;
		high = index > high ? index : high;
	}
	return high - *low + 1;
}

static void check(const uint64_t *values, size_t count)
{
	struct histogram histogram = {0};
	struct pool pool = {0};
	uint64_t expected[HISTOGRAM_BUCKETS_MAX] = {0};
	long low, buckets;
	int scale;

	for (size_t i = 0; i < count; i++)
		assert_true(histogram_add(&histogram, &pool, values[i]));
	scale = histogram_scale(&histogram);
	buckets = spread(values, count, scale, &low);
	assert_in_range(buckets, 1, HISTOGRAM_BUCKETS_MAX);
	assert_int_equal(histogram.first, low);
	assert_int_equal(histogram.len, buckets);
	for (size_t i = 0; i < count; i++)
		expected[reference_index(values[i], scale) - low]++;
	for (unsigned int at = 0; at < histogram.len; at++)
		assert_int_equal(histogram_count(&histogram, at), expected[at]);
	/* A finer scale would have needed too many. */
	if (scale < HISTOGRAM_SCALE_MAX)
		assert_true(spread(values, count, scale + 1, &low) > HISTOGRAM_BUCKETS_MAX);
	histogram_finish(&histogram, &pool);
	assert_null(histogram.counts);
	pool_finish(&pool);
}

static void equals_the_reference(void **state)
{
	uint64_t values[VALUES_MAX];
	unsigned int seed = 3;

	for (unsigned int round = 0; round < 300; round++) {
		size_t count = 1 + (unsigned int)rand_r(&seed) % 200;
		unsigned int octaves = 1 + round % 40;

		for (size_t i = 0; i < count; i++) {
			double power = (double)rand_r(&seed) / RAND_MAX * octaves;

			values[i] = 1 + (uint64_t)exp2(power);
		}
		check(values, count);
	}
}

static void equals_the_reference_in_any_order(void **state)
{
	uint64_t values[64];

	for (size_t i = 0; i < COUNT(values); i++)
		values[i] = UINT64_C(1) << (i * 63 / 64);
	check(values, COUNT(values));
	for (size_t i = 0; i < COUNT(values); i++)
		values[i] = UINT64_C(1) << ((63 - i) * 63 / 64);
	check(values, COUNT(values));
}

/* The upper end of a bucket belongs to it, also after it became coarser. */
static void puts_powers_of_two_below_their_bound(void **state)
{
	static const uint64_t powers[] = {UINT64_C(500000000), UINT64_C(1000000000),
					  UINT64_C(2000000000), UINT64_C(4000000000)};
	struct histogram histogram = {0};
	struct pool pool = {0};

	for (size_t i = 0; i < COUNT(powers); i++) {
		assert_true(histogram_add(&histogram, &pool, powers[i]));
		histogram_finish(&histogram, &pool);
	}
	assert_true(histogram_add(&histogram, &pool, 1000000000));
	assert_int_equal(histogram.first, -1);
	assert_int_equal(histogram_scale(&histogram), HISTOGRAM_SCALE_MAX);
	assert_true(histogram_add(&histogram, &pool, 1));
	assert_true(histogram_add(&histogram, &pool, UINT64_C(1) << 62));
	/* From 2^-30 to 2^32 seconds: 62 octaves, two buckets each. */
	assert_int_equal(histogram_scale(&histogram), 1);
	assert_int_equal(histogram_count(&histogram, (unsigned int)(-1 - histogram.first)), 1);
	histogram_finish(&histogram, &pool);
	pool_finish(&pool);
}

static void counts_zeros_apart(void **state)
{
	struct histogram histogram = {0};
	struct pool pool = {0};

	assert_true(histogram_add(&histogram, &pool, 0));
	assert_int_equal(histogram.zeros, 1);
	assert_int_equal(histogram.len, 0);
	histogram_finish(&histogram, &pool);
	pool_finish(&pool);
}

/* Counters begin with one byte, and get more. */
static void counts_beyond_small_counters(void **state)
{
	struct histogram histogram = {0};
	struct pool pool = {0};

	for (unsigned int i = 0; i < 70000; i++)
		assert_true(histogram_add(&histogram, &pool, 1000000));
	assert_int_equal(histogram.len, 1);
	assert_int_equal(histogram.width, 4);
	assert_int_equal(histogram_count(&histogram, 0), 70000);
	/* Neighbours that are joined: their sum needs more bytes than each. */
	histogram_finish(&histogram, &pool);
	for (unsigned int i = 0; i < 40000; i++) {
		histogram_add(&histogram, &pool, 1000000);
		histogram_add(&histogram, &pool, 1000001);
	}
	assert_int_equal(histogram.len, 3);
	assert_true(histogram_add(&histogram, &pool, UINT64_C(100000000000)));
	assert_int_equal(histogram_count(&histogram, 0), 80000);
	histogram_finish(&histogram, &pool);
	pool_finish(&pool);
}

static void takes_little_memory(void **state)
{
	struct histogram histogram = {0};
	struct pool pool = {0};
	unsigned int seed = 1;

	for (unsigned int i = 0; i < 10000; i++)
		histogram_add(&histogram, &pool, 1000 + (unsigned int)rand_r(&seed) % 100000000);
	assert_in_range(histogram_bytes(&histogram), 1, 320);
	histogram_finish(&histogram, &pool);
	pool_finish(&pool);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(equals_the_reference),
	cmocka_unit_test(equals_the_reference_in_any_order),
	cmocka_unit_test(puts_powers_of_two_below_their_bound),
	cmocka_unit_test(counts_zeros_apart),
	cmocka_unit_test(counts_beyond_small_counters),
	cmocka_unit_test(takes_little_memory),
};

UNIT_GROUP(tests);
