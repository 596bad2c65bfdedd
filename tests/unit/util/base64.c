/* SPDX-License-Identifier: MIT */
/* Bytes in base64: each length of the last group, all digits, what stands in the buffer already. */
#include "unit.h"
#include "util/base64.h"

#include <string.h>

static void expect(struct buf *out, const void *bytes, size_t len, const char *text)
{
	base64_append(out, bytes, len);
	buf_append_char(out, '\0');
	assert_false(out->failed);
	assert_string_equal(out->data, text);
	buf_finish(out);
}

/* The first rows are the test vectors of RFC 4648, section 10. */
static void test_texts(void **state)
{
	static const struct {
		const char *bytes;
		size_t len;
		const char *text;
	} rows[] = {
		{"", 0, ""},
		{"f", 1, "Zg=="},
		{"fo", 2, "Zm8="},
		{"foo", 3, "Zm9v"},
		{"foob", 4, "Zm9vYg=="},
		{"fooba", 5, "Zm9vYmE="},
		{"foobar", 6, "Zm9vYmFy"},
		{"\0", 1, "AA=="},
		{"\0\0\0", 3, "AAAA"},
		{"\xff", 1, "/w=="},
		{"\xff\xff\xff", 3, "////"},
		{"\xfb\xef\xbe", 3, "++++"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		expect(&(struct buf){0}, rows[i].bytes, rows[i].len, rows[i].text);
}

static void test_decodes(void **state)
{
	static const char *const wrong[] = {
		"Zg", "Zg=", "Z===", "Zg==Zg==", "Z*==", "=AAA", "Zm9\"", "A=A="};
	struct buf bytes = {0}, text = {0};

	for (int i = 0; i < 256; i++)
		buf_append_char(&bytes, (char)i);
	for (size_t len = 0; len <= bytes.len; len++) {
		struct buf read = {0};

		buf_clear(&text);
		base64_append(&text, bytes.data, len);
		assert_true(base64_decode(&read, text.data, text.len));
		assert_int_equal(read.len, len);
		assert_memory_equal(read.data, bytes.data, len);
		buf_finish(&read);
	}
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct buf read = {0};

		assert_false(base64_decode(&read, wrong[i], strlen(wrong[i])));
		buf_finish(&read);
	}
	buf_finish(&text);
	buf_finish(&bytes);
}

static void test_alphabet(void **state)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	uint8_t bytes[48];

	/* The numbers from 0 to 63 in six bits each. */
	for (size_t i = 0; i < 16; i++) {
		uint32_t first = (uint32_t)(4 * i);
		uint32_t bits = first << 18 | (first + 1) << 12 | (first + 2) << 6 | (first + 3);

		bytes[3 * i] = (uint8_t)(bits >> 16);
		bytes[3 * i + 1] = (uint8_t)(bits >> 8);
		bytes[3 * i + 2] = (uint8_t)bits;
	}
	expect(&(struct buf){0}, bytes, sizeof(bytes), digits);
}

static void test_appends(void **state)
{
	struct buf out = {0};

	BUF_LITERAL(&out, "data:");
	base64_append(&out, "foob", 4);
	expect(&out, "f", 1, "data:Zm9vYg==Zg==");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_texts),
	cmocka_unit_test(test_decodes),
	cmocka_unit_test(test_alphabet),
	cmocka_unit_test(test_appends),
};

UNIT_GROUP(tests);
