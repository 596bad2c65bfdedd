/* SPDX-License-Identifier: MIT */
/* What goes back, by what the kernel counts; what is kept, by its values. */
#include "agent/process/memory.h"

#include <stdlib.h>
#include <string.h>

#include "unit.h"

enum { PAGE_BYTES = 4096, PAGES = 1024 };

/* In the file of this program: one constant, one that is changed. */
static const char constants[PAGES * PAGE_BYTES] = {[0] = 1, [sizeof(constants) - 1] = 2};
static char variables[PAGES * PAGE_BYTES] = {[0] = 1, [sizeof(variables) - 1] = 2};

static uint64_t resident(void)
{
	struct process_usage usage;

	process_usage_read(&usage);
	return usage.resident_bytes;
}

static unsigned int sum(const volatile char *bytes)
{
	unsigned int total = 0;

	for (size_t i = 0; i < PAGES; i++)
		total += bytes[i * PAGE_BYTES] + bytes[(i + 1) * PAGE_BYTES - 1];
	return total;
}

static void test_files(void **state)
{
	uint64_t before;

	for (size_t i = 0; i < PAGES; i++)
		variables[i * PAGE_BYTES] = 1;
	assert_int_equal(sum(constants), 3);
	assert_int_equal(sum(variables), PAGES + 2);
	before = resident();
	memory_release();
	assert_true(resident() + sizeof(constants) / 2 < before);
	assert_int_equal(sum(constants), 3);
	assert_int_equal(sum(variables), PAGES + 2);
}

/* Between blocks that are kept, where the heap cannot shrink. */
static void test_heap(void **state)
{
	enum { BLOCKS = 64, BLOCK_BYTES = 64 << 10, KEPT_BYTES = 64 };
	char *blocks[BLOCKS], *kept[BLOCKS];
	uint64_t before;

	if (SANITIZED) /* it has a heap of its own, and keeps what was freed */
		skip();
	for (size_t i = 0; i < BLOCKS; i++) {
		blocks[i] = malloc(BLOCK_BYTES);
		kept[i] = malloc(KEPT_BYTES);
		assert_non_null(blocks[i]);
		assert_non_null(kept[i]);
		memset(blocks[i], 1, BLOCK_BYTES);
		memset(kept[i], (int)i, KEPT_BYTES);
	}
	memory_release();
	before = resident();
	for (size_t i = 0; i < BLOCKS; i++)
		free(blocks[i]);
	memory_release();
	assert_true(resident() + BLOCKS * BLOCK_BYTES / 2 < before);
	for (size_t i = 0; i < BLOCKS; i++) {
		assert_int_equal(kept[i][KEPT_BYTES - 1], i);
		free(kept[i]);
	}
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(test_files),
					  cmocka_unit_test(test_heap)};

UNIT_GROUP(tests);
