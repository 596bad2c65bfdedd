/* SPDX-License-Identifier: MIT */
/* Lists of numbers and sets of bits, as parameters have them. */
#include <string.h>

#include "sinsp/fields/param_text.h"
#include "unit.h"

static void expect(struct buf *out, const char *wanted)
{
	buf_append_char(out, '\0');
	assert_string_equal(out->data, wanted);
	buf_finish(out);
	*out = (struct buf){0};
}

static void test_numbers(void **state)
{
	const uint32_t small[] = {0, 7, UINT32_MAX};
	const uint64_t large[] = {UINT64_MAX, 1};
	struct event_param param = {.data = (const uint8_t *)small, .len = sizeof(small)};
	struct buf out = {0};

	param_append_numbers(&out, &param, PT_UINT32LIST);
	expect(&out, "0 7 4294967295");
	param.len = 1 + sizeof(small[0]); /* cut off */
	param_append_numbers(&out, &param, PT_UINT32LIST);
	expect(&out, "0");
	param.len = 0;
	param_append_numbers(&out, &param, PT_UINT32LIST);
	expect(&out, "");
	param = (struct event_param){.data = (const uint8_t *)large, .len = sizeof(large)};
	param_append_numbers(&out, &param, PT_UINT64LIST);
	expect(&out, "18446744073709551615 1");
}

static void test_bits(void **state)
{
	static const struct {
		uint8_t bytes[3];
		size_t len;
		const char *text;
	} cases[] = {
		{{0}, 0, ""},
		{{0, 0, 0}, 3, ""},
		{{0x01}, 1, "0"},
		{{0x80}, 1, "7"},
		{{0xff}, 1, "0-7"},
		{{0x8f}, 1, "0-3,7"},
		{{0x80, 0x01}, 2, "7-8"},
		{{0x05, 0x00, 0xc0}, 3, "0,2,22-23"},
		{{0xff, 0xff, 0xff}, 3, "0-23"},
	};
	struct buf out = {0};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		param_append_bits(&out, cases[i].bytes, cases[i].len);
		expect(&out, cases[i].text);
	}
	/* The comma depends on this set alone. */
	BUF_LITERAL(&out, "x=");
	param_append_bits(&out, (const uint8_t[]){0x05}, 1);
	expect(&out, "x=0,2");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_numbers),
	cmocka_unit_test(test_bits),
};

UNIT_GROUP(tests);
