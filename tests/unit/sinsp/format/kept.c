/* SPDX-License-Identifier: MIT */
/* Bytes under keys: found, replaced, and bounded. */
#include <stdlib.h>

#include "sinsp/format/kept.h"
#include "unit.h"

static void expect(const struct kept *kept, uint64_t key, const char *bytes)
{
	struct buf out = {0};

	assert_int_equal(kept_append(kept, key, &out), bytes != NULL);
	assert_int_equal(out.len, bytes ? strlen(bytes) : 0);
	if (bytes)
		assert_memory_equal(out.data, bytes, out.len);
	buf_finish(&out);
}

static void test_find(void **state)
{
	struct kept kept = {0};

	expect(&kept, 7, NULL);
	kept_add(&kept, 8, "", 0);
	expect(&kept, 8, "");
	kept_add(&kept, 7, "seven", 5);
	expect(&kept, 7, "seven");
	expect(&kept, 8, "");
	expect(&kept, 9, NULL);
	expect(&kept, 7 + KEPT_SLOTS, NULL);
	kept_finish(&kept);
	expect(&kept, 7, NULL);
	kept_finish(&kept);
}

/* A slot has one key, the last one. */
static void test_replace(void **state)
{
	struct kept kept = {0};

	kept_add(&kept, 7, "seven", 5);
	kept_add(&kept, 7 + KEPT_SLOTS, "other", 5);
	expect(&kept, 7, NULL);
	expect(&kept, 7 + KEPT_SLOTS, "other");
	kept_add(&kept, 7, "again", 5);
	expect(&kept, 7, "again");
	kept_finish(&kept);
}

/* However many are added, memory is bounded, and what is found is right. */
static void test_bounds(void **state)
{
	const size_t len = KEPT_BYTES_MAX / 100;
	char *bytes = malloc(KEPT_BYTES_MAX + 1);
	struct kept kept = {0};
	struct buf out = {0};

	assert_non_null(bytes);
	for (uint64_t key = 1; key <= 1000; key++) {
		memset(bytes, (int)(key % 128), len);
		kept_add(&kept, key, bytes, len);
		buf_clear(&out);
		assert_true(kept_append(&kept, key, &out));
		assert_int_equal(out.len, len);
		assert_memory_equal(out.data, bytes, len);
		assert_true(kept.bytes.capacity <= KEPT_BYTES_MAX);
	}
	/* One that does not fit alone does no harm to the others. */
	kept_add(&kept, 2000, bytes, KEPT_BYTES_MAX + 1);
	buf_clear(&out);
	assert_false(kept_append(&kept, 2000, &out));
	assert_true(kept_append(&kept, 1000, &out));
	kept_add(&kept, 2000, bytes, KEPT_BYTES_MAX);
	assert_true(kept_append(&kept, 2000, &out));
	assert_false(kept_append(&kept, 1000, &out));
	buf_finish(&out);
	kept_finish(&kept);
	free(bytes);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_find),
	cmocka_unit_test(test_replace),
	cmocka_unit_test(test_bounds),
};

UNIT_GROUP(tests);
