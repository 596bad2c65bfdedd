/* SPDX-License-Identifier: MIT */
/* Bytes under keys: found, replaced, and bounded. */
#include <stdlib.h>

#include "sinsp/format/span_cache.h"
#include "unit.h"

static void expect(const struct span_cache *cache, uint64_t key, const char *bytes)
{
	struct buf out = {0};

	assert_int_equal(span_cache_append(cache, key, &out), bytes != NULL);
	assert_int_equal(out.len, bytes ? strlen(bytes) : 0);
	if (bytes)
		assert_memory_equal(out.data, bytes, out.len);
	buf_finish(&out);
}

static void test_find(void **state)
{
	struct span_cache cache = {0};

	expect(&cache, 7, NULL);
	span_cache_add(&cache, 8, "", 0);
	expect(&cache, 8, "");
	span_cache_add(&cache, 7, "seven", 5);
	expect(&cache, 7, "seven");
	expect(&cache, 8, "");
	expect(&cache, 9, NULL);
	expect(&cache, 7 + SPAN_CACHE_SLOTS, NULL);
	span_cache_finish(&cache);
	expect(&cache, 7, NULL);
	span_cache_finish(&cache);
}

/* A slot has one key, the last one. */
static void test_replace(void **state)
{
	struct span_cache cache = {0};

	span_cache_add(&cache, 7, "seven", 5);
	span_cache_add(&cache, 7 + SPAN_CACHE_SLOTS, "other", 5);
	expect(&cache, 7, NULL);
	expect(&cache, 7 + SPAN_CACHE_SLOTS, "other");
	span_cache_add(&cache, 7, "again", 5);
	expect(&cache, 7, "again");
	span_cache_finish(&cache);
}

/* However many are added, memory is bounded, and what is found is right. */
static void test_bounds(void **state)
{
	const size_t len = SPAN_CACHE_BYTES_MAX / 100;
	char *bytes = malloc(SPAN_CACHE_BYTES_MAX + 1);
	struct span_cache cache = {0};
	struct buf out = {0};

	assert_non_null(bytes);
	for (uint64_t key = 1; key <= 1000; key++) {
		memset(bytes, (int)(key % 128), len);
		span_cache_add(&cache, key, bytes, len);
		buf_clear(&out);
		assert_true(span_cache_append(&cache, key, &out));
		assert_int_equal(out.len, len);
		assert_memory_equal(out.data, bytes, len);
		assert_true(cache.bytes.capacity <= SPAN_CACHE_BYTES_MAX);
	}
	/* One that does not fit alone does no harm to the others. */
	span_cache_add(&cache, 2000, bytes, SPAN_CACHE_BYTES_MAX + 1);
	buf_clear(&out);
	assert_false(span_cache_append(&cache, 2000, &out));
	assert_true(span_cache_append(&cache, 1000, &out));
	span_cache_add(&cache, 2000, bytes, SPAN_CACHE_BYTES_MAX);
	assert_true(span_cache_append(&cache, 2000, &out));
	assert_false(span_cache_append(&cache, 1000, &out));
	buf_finish(&out);
	span_cache_finish(&cache);
	free(bytes);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_find),
	cmocka_unit_test(test_replace),
	cmocka_unit_test(test_bounds),
};

UNIT_GROUP(tests);
