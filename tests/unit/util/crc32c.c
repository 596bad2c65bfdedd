/* SPDX-License-Identifier: MIT */
/* CRC-32C: known values, pieces, and the instruction against the table. */
#include <string.h>

#include "unit.h"
#include "util/hash.h"

enum { LONGEST = 300 };

/* Of RFC 3720, B.4, and the usual check value. */
static void computes_known_values(void **state)
{
	uint8_t bytes[32];

	assert_int_equal(hash_crc32c(0, "", 0), 0);
	assert_int_equal(hash_crc32c(0, "123456789", 9), 0xe3069283);
	memset(bytes, 0, sizeof(bytes));
	assert_int_equal(hash_crc32c(0, bytes, sizeof(bytes)), 0x8a9136aa);
	memset(bytes, 0xff, sizeof(bytes));
	assert_int_equal(hash_crc32c(0, bytes, sizeof(bytes)), 0x62a8ab43);
	for (unsigned int i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)i;
	assert_int_equal(hash_crc32c(0, bytes, sizeof(bytes)), 0x46dd794e);
	assert_int_equal(hash_crc32c_plain(0, bytes, sizeof(bytes)), 0x46dd794e);
}

static void computes_the_same_without_the_instruction_and_in_pieces(void **state)
{
	uint8_t bytes[LONGEST];

	for (unsigned int i = 0; i < LONGEST; i++)
		bytes[i] = (uint8_t)(i * i + 7 * i);
	for (size_t len = 0; len <= LONGEST; len++) {
		uint32_t whole = hash_crc32c_plain(0, bytes, len);
		size_t cut = len * 2 / 3;

		assert_int_equal(hash_crc32c(0, bytes, len), whole);
		assert_int_equal(hash_crc32c(hash_crc32c(0, bytes, cut), bytes + cut, len - cut),
				 whole);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(computes_known_values),
	cmocka_unit_test(computes_the_same_without_the_instruction_and_in_pieces),
};

UNIT_GROUP(tests);
