/* SPDX-License-Identifier: MIT */
/* Columns of characters: one of each kind, the ends of ranges, and what the C library says. */
#include <locale.h>
#include <stdio.h>
#include <wchar.h>

#include "unit.h"
#include "util/utf8.h"

static void test_kinds(void **state)
{
	static const struct {
		uint32_t code_point;
		unsigned int width;
	} cases[] = {
		{'a', 1},     {0xe9, 1},    {0x2ff, 1},	  {0x300, 0},	{0x36f, 0},   {0x370, 1},
		{0x10ff, 1},  {0x1100, 2},  {0x115f, 2},  {0x1160, 0},	{0x200b, 0},  {0x200d, 0},
		{0x20ac, 1},  {0x2e80, 2},  {0x3042, 2},  {0x4e00, 2},	{0x9fff, 2},  {0xac00, 2},
		{0xd7a3, 2},  {0xfe0f, 0},  {0xff21, 2},  {0xff71, 1},	{0x1d400, 1}, {0x1f600, 2},
		{0x1f680, 2}, {0x20000, 2}, {0xe0100, 0}, {0x10fffd, 1},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (utf8_width(cases[i].code_point) != cases[i].width)
			fail_msg("U+%04X takes %u columns, not %u", cases[i].code_point,
				 cases[i].width, utf8_width(cases[i].code_point));
}

/* Its tables are of another version of Unicode, and it counts some characters otherwise: 1 in 100. */
static void test_like_libc(void **state)
{
	unsigned int assigned = 0, other = 0;

	if (!setlocale(LC_CTYPE, "C.UTF-8") || wcwidth(0x4e00) != 2)
		skip(); /* a libc without such a locale */
	for (uint32_t c = 0xa0; c < 0x20000; c++) {
		int width = wcwidth((wchar_t)c);

		if (width < 0)
			continue;
		assigned++;
		other += utf8_width(c) != (unsigned int)width;
	}
	assert_true(assigned > 50000);
	assert_in_range(other, 0, assigned / 100);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_kinds),
	cmocka_unit_test(test_like_libc),
};

UNIT_GROUP(tests);
