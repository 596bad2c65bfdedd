/* SPDX-License-Identifier: MIT */
/* Lengths of instructions, as assemblers say them, and returns of functions. */
#include "scap/tls/instructions.h"

#include <errno.h>

#include "unit.h"
#include "util/count.h"

#define CODE(...) {__VA_ARGS__}, sizeof((uint8_t[]){__VA_ARGS__})

static const struct {
	uint8_t code[15];
	size_t bytes;
} known[] = {
	{CODE(0xc3)},
	{CODE(0x55)},
	{CODE(0x41, 0x57)},
	{CODE(0x49, 0x3b, 0x66, 0x10)}, /* cmp 0x10(%r14),%rsp */
	{CODE(0x0f, 0x86, 1, 2, 3, 4)}, /* jbe */
	{CODE(0x4c, 0x8d, 0x64, 0x24, 0xc8)}, /* lea -0x38(%rsp),%r12 */
	{CODE(0x48, 0x81, 0xec, 1, 2, 3, 4)}, /* sub $...,%rsp */
	{CODE(0x48, 0x83, 0xec, 0xc3)}, /* its number looks like a return */
	{CODE(0x48, 0xb8, 1, 2, 3, 4, 5, 6, 7, 8)}, /* movabs */
	{CODE(0xb8, 1, 2, 3, 4)},
	{CODE(0x66, 0xb8, 1, 2)},
	{CODE(0x66, 0x48, 0x05, 1, 2, 3, 4)},
	{CODE(0x66, 0xc7, 0x00, 1, 2)},
	{CODE(0x48, 0x8b, 0x05, 1, 2, 3, 4)}, /* of %rip */
	{CODE(0x48, 0x8b, 0x04, 0x25, 1, 2, 3, 4)}, /* of an address */
	{CODE(0x48, 0x8b, 0x44, 0x8d, 0xc3)},
	{CODE(0x48, 0x8b, 0x84, 0x8d, 1, 2, 3, 4)},
	{CODE(0xf6, 0xc1, 1)}, /* test, with a number, */
	{CODE(0xf6, 0xd1)}, /* not, without one */
	{CODE(0x48, 0xf7, 0xc1, 1, 2, 3, 4)},
	{CODE(0x48, 0xf7, 0xd9)},
	{CODE(0xf0, 0x48, 0x0f, 0xb1, 0x0d, 1, 2, 3, 4)}, /* lock cmpxchg */
	{CODE(0x0f, 0xba, 0xe1, 0)}, /* bt */
	{CODE(0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0)}, /* nop */
	{CODE(0x66, 0x0f, 0x3a, 0x0f, 0xc1, 8)}, /* palignr */
	{CODE(0x66, 0x0f, 0x38, 0x00, 0xc1)}, /* pshufb */
	{CODE(0xc5, 0xf8, 0x77)}, /* vzeroupper */
	{CODE(0xc4, 0xe3, 0x7d, 0x39, 0xc1, 1)}, /* vextracti128 */
	{CODE(0xc4, 0xe2, 0x7d, 0x58, 0xc1)}, /* vpbroadcastd */
	{CODE(0x64, 0x48, 0x8b, 0x0c, 0x25, 0xf8, 0xff, 0xff, 0xff)},
};

static void test_known(void **state)
{
	for (size_t i = 0; i < COUNT(known); i++) {
		assert_int_equal(tls_instruction_bytes(known[i].code, sizeof(known[i].code)),
				 known[i].bytes);
		/* Cut, it is none. */
		for (size_t left = 0; left < known[i].bytes; left++)
			assert_int_equal(tls_instruction_bytes(known[i].code, left), 0);
	}
}

static void test_unknown(void **state)
{
	static const uint8_t unknown[][4] = {
		{0x06}, {0x62, 0xf1, 0x7c, 0x48}, {0x82}, {0x0f, 0x04}, {0xc2}};

	for (size_t i = 0; i < COUNT(unknown); i++)
		assert_int_equal(tls_instruction_bytes(unknown[i], sizeof(unknown[i])), 0);
}

#ifdef __x86_64__
static void test_returns(void **state)
{
	static const uint8_t code[] = {0x48, 0x83, 0xec, 0xc3, /* sub */
				       0xc3, /* ret */
				       0xb0, 0xc3, /* mov */
				       0xc3, 0xcc};
	uint32_t offsets[2] = {0};

	assert_int_equal(tls_returns_find(code, sizeof(code), offsets, 2), 2);
	assert_int_equal(offsets[0], 4);
	assert_int_equal(offsets[1], 7);
	assert_int_equal(tls_returns_find(code, sizeof(code), offsets, 1), -E2BIG);
	assert_int_equal(tls_returns_find(code, 3, offsets, 2), -ENOTSUP);
	assert_int_equal(tls_returns_find(code, 0, offsets, 2), 0);
}
#else
static void test_returns(void **state)
{
	static const uint8_t code[] = {0x1f, 0x20, 0x03, 0xd5, 0xc0, 0x03, 0x5f, 0xd6};
	uint32_t offset = 0;

	assert_int_equal(tls_returns_find(code, sizeof(code), &offset, 1), 1);
	assert_int_equal(offset, 4);
}
#endif

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_known),
	cmocka_unit_test(test_unknown),
	cmocka_unit_test(test_returns),
};

UNIT_GROUP(tests);
