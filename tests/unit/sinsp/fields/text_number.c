/* SPDX-License-Identifier: MIT */
/* Numbers as text, by type and format. */
#include "sinsp/fields/text_value.h"
#include "unit.h"

static void test_formats(void **state)
{
	static const struct {
		enum param_type type;
		enum param_format format;
		uint64_t value;
		const char *text;
	} cases[] = {
		{PT_INT64, PF_DEC, (uint64_t)-1, "-1"},
		{PT_INT64, PF_DEC, INT64_MAX, "9223372036854775807"},
		{PT_INT64, PF_DEC, (uint64_t)INT64_MIN, "-9223372036854775808"},
		{PT_UINT64, PF_DEC, UINT64_MAX, "18446744073709551615"},
		{PT_UINT32, PF_ID, UINT32_MAX, "4294967295"},
		{PT_UINT32, PF_DEC, (uint64_t)-1, "4294967295"}, /* extended by its sign */
		{PT_UINT16, PF_DEC, 443, "443"},
		{PT_INT16, PF_DEC, (uint64_t)-2, "-2"},
		{PT_PID, PF_DEC, (uint64_t)-1, "-1"},
		{PT_INT32, PF_HEX, (uint64_t)-1, "FFFFFFFF"},
		{PT_INT32, PF_HEX, 0xfd01, "FD01"},
		{PT_UINT64, PF_HEX, 0, "0"},
		{PT_INT8, PF_HEX, (uint64_t)-1, "FF"},
		{PT_UINT32, PF_OCT, 0755, "755"},
		{PT_UINT32, PF_OCT, 0, "0"},
		{PT_RELTIME, PF_PADDED_DEC, 68279, "000068279"},
		{PT_RELTIME, PF_PADDED_DEC, 5000000007, "5000000007"},
		{PT_FLAGS32, PF_NA, 4097, "4097"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct buf out = {0};

		text_append_number(&out, cases[i].type, cases[i].format, cases[i].value);
		buf_append_char(&out, '\0');
		assert_string_equal(out.data, cases[i].text);
		buf_finish(&out);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_formats),
};

UNIT_GROUP(tests);
