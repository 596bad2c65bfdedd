/* SPDX-License-Identifier: MIT */
/* SipHash-2-4: values of its authors for the key 00 01 ... 0f and texts 00 01 ... */
#include "unit.h"
#include "util/hash.h"

static void test_values_of_the_authors(void **state)
{
	static const struct {
		size_t len;
		uint64_t hash;
	} values[] = {
		{0, 0x726fdb47dd0e0e31}, {1, 0x74f839c593dc67fd},  {7, 0xab0200f58b01d137},
		{8, 0x93f5f5799a932462}, {15, 0xa129ca6149be45e5},
	};
	const struct hash_key key = {{0x0706050403020100, 0x0f0e0d0c0b0a0908}};
	uint8_t text[16];

	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = (uint8_t)i;
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		assert_int_equal(hash_sip(&key, text, values[i].len), values[i].hash);
}

static void test_keys_differ(void **state)
{
	const struct hash_key a = {{1, 2}}, b = {{1, 3}};

	assert_int_not_equal(hash_sip(&a, "x", 1), hash_sip(&b, "x", 1));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_values_of_the_authors),
	cmocka_unit_test(test_keys_differ),
};

UNIT_GROUP(tests);
