/* SPDX-License-Identifier: MIT */
/* Blocks of a capture file byte by byte: the head of a section, and what fills them up. */
#include "scap/file/writer_impl.h"
#include "unit.h"
#include "written.h"

enum { NATIVE_BYTES = 16, PADDED_MAX = 9 };

static void test_section(void **state)
{
	struct written test;

	written_begin(&test, (struct scap_writer_config){0});
	written_look(&test);
	test.at = 0;
	written_expect(&test, 0x0a0d0d0a, "4:0x1a2b3c4d 2:1 2:2 8:-1");
	written_end(&test);
	written_begin(&test, (struct scap_writer_config){.native = true});
	written_look(&test);
	assert_int_equal(test.file.len, SECTION_BYTES + NATIVE_BYTES);
	written_expect(&test, 0x80004c4e, "4:1");
	written_end(&test);
}

/* Bodies of all lengths: filled up to a multiple of 4 bytes, with zeros. */
static void test_padding(void **state)
{
	static const uint8_t body[PADDED_MAX] = {1, 2, 3, 4, 5, 6, 7, 8, 9}, zeros[3];
	struct written test;

	written_begin(&test, (struct scap_writer_config){0});
	for (size_t n = 0; n <= PADDED_MAX; n++)
		assert_int_equal(writer_put_block(test.writer, 0x700 + (uint32_t)n, body, n), 0);
	written_look(&test);
	for (size_t n = 0; n <= PADDED_MAX; n++) {
		struct block block = written_block(&test);

		assert_int_equal(block.type, 0x700 + n);
		assert_int_equal(block.len, (n + 3) / 4 * 4);
		assert_memory_equal(block.body, body, n);
		assert_memory_equal(block.body + n, zeros, block.len - n);
	}
	written_end(&test);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_section),
	cmocka_unit_test(test_padding),
};

UNIT_GROUP(tests);
