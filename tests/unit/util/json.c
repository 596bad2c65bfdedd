/* SPDX-License-Identifier: MIT */
/* JSON strings stay valid whatever the bytes; numbers stay exact. */
#include <stdio.h>
#include <string.h>

#include "unit.h"
#include "util/json.h"

#define BAD "\xef\xbf\xbd" /* U+FFFD */

static void expect(struct buf *out, const char *json)
{
	assert_int_equal(out->len, strlen(json));
	assert_memory_equal(out->data, json, out->len);
	buf_clear(out);
}

static void expect_quoted(const char *text, size_t len, const char *json)
{
	struct buf out = {0};

	assert_int_equal(json_append_string(&out, text, len), !strstr(json, BAD));
	expect(&out, json);
	buf_finish(&out);
}

#define EXPECT_QUOTED(text, json) expect_quoted(text, sizeof(text) - 1, json)

static void test_plain_text_is_copied(void **state)
{
	EXPECT_QUOTED("", "\"\"");
	EXPECT_QUOTED("a", "\"a\"");
	EXPECT_QUOTED("/usr/share/doc/x y", "\"/usr/share/doc/x y\"");
	EXPECT_QUOTED("~\x7f[]{}:,", "\"~\x7f[]{}:,\"");
}

static void test_control_characters_are_escaped(void **state)
{
	EXPECT_QUOTED("\"", "\"\\\"\"");
	EXPECT_QUOTED("a\\b", "\"a\\\\b\"");
	EXPECT_QUOTED("\b\f\n\r\t", "\"\\b\\f\\n\\r\\t\"");
	expect_quoted("\0\x01\x1f", 3, "\"\\u0000\\u0001\\u001f\"");
}

/* Each one as printf would write it, alone and in runs. */
static void test_all_control_characters(void **state)
{
	static const char letters[] = "btn_fr";

	for (unsigned int c = 0; c < 0x20; c++) {
		char text[3] = {(char)c, (char)c, 'x'}, escape[8], json[32];
		bool has_letter = c >= '\b' && c <= '\r' && c != '\v';

		if (has_letter)
			snprintf(escape, sizeof(escape), "\\%c", letters[c - '\b']);
		else
			snprintf(escape, sizeof(escape), "\\u%04x", c);
		snprintf(json, sizeof(json), "\"%s%sx\"", escape, escape);
		expect_quoted(text, sizeof(text), json);
	}
}

/* Long runs are escaped in several steps, between texts that need no escape. */
static void test_runs_of_escapes(void **state)
{
	char text[200], json[1300] = "\"x";

	for (size_t run = 1; run < sizeof(text) - 2; run++) {
		size_t at = 2;

		memset(text, '\0', sizeof(text));
		text[0] = text[run + 1] = 'x';
		for (size_t i = 0; i < run; i++, at += 6)
			memcpy(json + at, "\\u0000", 6);
		memcpy(json + at, "x\"", 3);
		expect_quoted(text, run + 2, json);
	}
}

/* A byte that needs care at each place of the words in which text is scanned. */
static void test_every_position(void **state)
{
	static const struct {
		char byte;
		const char *escape;
	} cases[] = {
		{'\n', "\\n"}, {'\x1f', "\\u001f"}, {'"', "\\\""}, {'\\', "\\\\"}, {'\x80', BAD}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		for (size_t len = 1; len <= 50; len++) {
			for (size_t at = 0; at < len; at++) {
				char text[50], json[64];

				memset(text, 'x', sizeof(text));
				text[at] = cases[i].byte;
				snprintf(json, sizeof(json), "\"%.*s%s%.*s\"", (int)at, text,
					 cases[i].escape, (int)(len - at - 1), text + at + 1);
				expect_quoted(text, len, json);
			}
		}
	}
}

static void test_utf8_is_kept(void **state)
{
	EXPECT_QUOTED("caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80!",
		      "\"caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80!\"");
}

/* Readers of JSON see the same text; a terminal that is shown the line obeys none of it. */
static void test_controls_beyond_ascii_are_escaped(void **state)
{
	EXPECT_QUOTED("a\xc2\x9b[31m", "\"a\\u009b[31m\"");
	EXPECT_QUOTED("\xe2\x80\xae\xe2\x80\xa8\n\xe2\x81\xa6", "\"\\u202e\\u2028\\n\\u2066\"");
	EXPECT_QUOTED("\xe2\x80\x8e\xe2\x80\x8f\xd8\x9c", "\"\\u200e\\u200f\\u061c\"");
	EXPECT_QUOTED("\xc2\xa0\xe2\x81\xaa", "\"\xc2\xa0\xe2\x81\xaa\"");
}

static void test_invalid_utf8_is_replaced(void **state)
{
	EXPECT_QUOTED("a\xff"
		      "b",
		      "\"a" BAD "b\"");
	EXPECT_QUOTED("\xc3", "\"" BAD "\"");
	EXPECT_QUOTED("\xe2\x82", "\"" BAD BAD "\"");
	EXPECT_QUOTED("\xc0\xaf", "\"" BAD BAD "\"");
	EXPECT_QUOTED("\xed\xa0\x80", "\"" BAD BAD BAD "\"");
	EXPECT_QUOTED("\xf4\x90\x80\x80", "\"" BAD BAD BAD BAD "\"");
	EXPECT_QUOTED("\x80\"", "\"" BAD "\\\"\"");
}

static void test_numbers(void **state)
{
	struct buf out = {0};

	json_append_u64(&out, 0);
	expect(&out, "0");
	json_append_u64(&out, UINT64_C(1) << 53);
	expect(&out, "9007199254740992");
	json_append_u64(&out, (UINT64_C(1) << 53) + 1);
	expect(&out, "\"0x20000000000001\"");
	json_append_u64(&out, UINT64_MAX);
	expect(&out, "\"0xffffffffffffffff\"");
	json_append_i64(&out, -100);
	expect(&out, "-100");
	json_append_i64(&out, INT64_MIN);
	expect(&out, "\"-9223372036854775808\"");
	json_append_i64(&out, -(INT64_C(1) << 53));
	expect(&out, "-9007199254740992");
	json_append_duration(&out, UINT64_C(1) << 53);
	expect(&out, "9007199254740992");
	json_append_duration(&out, UINT64_MAX);
	expect(&out, "\"18446744073709551615\"");
	json_append_hex(&out, 0xabc);
	expect(&out, "\"0xabc\"");
	json_append_natural(&out, 0);
	expect(&out, "0");
	json_append_natural(&out, INT64_MAX);
	expect(&out, "9223372036854775807");
	json_append_natural(&out, (uint64_t)INT64_MAX + 1);
	expect(&out, "9223372036854775808.0");
	buf_finish(&out);
}

static void test_base64(void **state)
{
	struct buf out = {0};

	json_append_base64_key(&out, ",\"a.b\":", 7);
	json_append_base64(&out, "\0\xff~", 3);
	expect(&out, ",\"a.b_b64\":\"AP9+\"");
	json_append_base64(&out, "", 0);
	expect(&out, "\"\"");
	json_append_base64(&out, "abcd", 4);
	expect(&out, "\"YWJjZA==\"");
	buf_finish(&out);
}

/* The bracket takes the place of the first comma. */
static void test_objects(void **state)
{
	struct buf out = {0};

	BUF_LITERAL(&out, "x,\"a\":1,\"b\":2");
	json_end_object(&out, 1);
	expect(&out, "x{\"a\":1,\"b\":2}");
	json_end_object(&out, 0);
	expect(&out, "{}");
	buf_finish(&out);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_plain_text_is_copied),
	cmocka_unit_test(test_control_characters_are_escaped),
	cmocka_unit_test(test_all_control_characters),
	cmocka_unit_test(test_runs_of_escapes),
	cmocka_unit_test(test_every_position),
	cmocka_unit_test(test_utf8_is_kept),
	cmocka_unit_test(test_controls_beyond_ascii_are_escaped),
	cmocka_unit_test(test_invalid_utf8_is_replaced),
	cmocka_unit_test(test_numbers),
	cmocka_unit_test(test_base64),
	cmocka_unit_test(test_objects),
};

UNIT_GROUP(tests);
