/* SPDX-License-Identifier: MIT */
/* Characters, and bytes that are none. */
#include <string.h>

#include "unit.h"
#include "util/utf8.h"

static void test_valid(void **state)
{
	static const struct {
		const char *bytes;
		uint32_t code_point;
	} valid[] = {
		{"a", 'a'},
		{"\x7f", 0x7f},
		{"\xc2\x80", 0x80},
		{"\xdf\xbf", 0x7ff},
		{"\xe0\xa0\x80", 0x800},
		{"\xed\x9f\xbf", 0xd7ff},
		{"\xee\x80\x80", 0xe000},
		{"\xef\xbf\xbf", 0xffff},
		{"\xf0\x90\x80\x80", 0x10000},
		{"\xf4\x8f\xbf\xbf", 0x10ffff},
	};

	for (size_t i = 0; i < sizeof(valid) / sizeof(valid[0]); i++) {
		size_t len = strlen(valid[i].bytes);
		uint32_t c = 0;

		assert_int_equal(utf8_decode(valid[i].bytes, len, &c), len);
		assert_int_equal(c, valid[i].code_point);
		assert_int_equal(utf8_decode(valid[i].bytes, len - 1, &c), 0);
	}
}

static void test_invalid(void **state)
{
	static const char *const invalid[] = {
		"\x80",
		"\xbf",
		"\xc0\x80",
		"\xc1\xbf",
		"\xe0\x9f\xbf",
		"\xed\xa0\x80",
		"\xf0\x8f\xbf\xbf",
		"\xf4\x90\x80\x80",
		"\xf5\x80\x80\x80",
		"\xff",
		"\xc3(",
		"\xe2\x82(",
		"\xf0\x9f\x98(",
	};
	uint32_t c;

	for (size_t i = 0; i < sizeof(invalid) / sizeof(invalid[0]); i++)
		assert_int_equal(utf8_decode(invalid[i], strlen(invalid[i]), &c), 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_valid),
	cmocka_unit_test(test_invalid),
};

UNIT_GROUP(tests);
