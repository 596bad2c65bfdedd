/* SPDX-License-Identifier: MIT */
/* Bytes as text in every form and length, and control characters. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sinsp/fields/text_value.h"
#include "unit.h"
#include "util/base64.h"

static void expect(enum text_bytes form, const char *bytes, size_t len, const char *text)
{
	struct buf out = {0};

	text_append_bytes(&out, form, (const uint8_t *)bytes, len);
	buf_append_char(&out, '\0');
	assert_string_equal(out.data, text);
	buf_finish(&out);
}

#define EXPECT(form, bytes, text) expect(form, bytes, sizeof(bytes) - 1, text)

static void test_dots(void **state)
{
	EXPECT(TEXT_BYTES_DOTS, "", "");
	EXPECT(TEXT_BYTES_DOTS, " ~\x1f\x7f\x80\0\n", " ~.....");
}

static void test_ascii(void **state)
{
	EXPECT(TEXT_BYTES_ASCII, "", "\n");
	EXPECT(TEXT_BYTES_ASCII, "GET / HTTP\r\nHost: x\r\n\r\n", "\nGET / HTTP\nHost: x\n\n");
	EXPECT(TEXT_BYTES_ASCII, "a\rb\nc\n\rd", "\na\nb\nc\n\nd");
	EXPECT(TEXT_BYTES_ASCII, "\na", "\n\na");
	EXPECT(TEXT_BYTES_ASCII, "\0x\x1b[1m\t\xc3\xa9", "\nx[1m");
}

static void test_base64(void **state)
{
	EXPECT(TEXT_BYTES_BASE64, "", "");
	EXPECT(TEXT_BYTES_BASE64, "f", "Zg==");
	EXPECT(TEXT_BYTES_BASE64, "fo", "Zm8=");
	EXPECT(TEXT_BYTES_BASE64, "foo", "Zm9v");
	EXPECT(TEXT_BYTES_BASE64, "foob", "Zm9vYg==");
	EXPECT(TEXT_BYTES_BASE64, "fooba", "Zm9vYmE=");
	EXPECT(TEXT_BYTES_BASE64, "foobar", "Zm9vYmFy");
	EXPECT(TEXT_BYTES_BASE64, "\xff\xfe\xfb\0", "//77AA==");
}

static void test_hex(void **state)
{
	EXPECT(TEXT_BYTES_HEX, "\x01", "\n\t0x0000: 01\n");
	EXPECT(TEXT_BYTES_HEX, "ab\xff", "\n\t0x0000: 6162 ff\n");
	EXPECT(TEXT_BYTES_HEX, "0123456789abcdef",
	       "\n\t0x0000: 3031 3233 3435 3637 3839 6162 6364 6566\n");
	EXPECT(TEXT_BYTES_HEX, "0123456789abcdef\n",
	       "\n\t0x0000: 3031 3233 3435 3637 3839 6162 6364 6566\n\t0x0010: 0a\n");
}

/* The text begins in one column. */
static void test_hex_ascii(void **state)
{
	EXPECT(TEXT_BYTES_HEX_ASCII, "0123456789abcde\n",
	       "\n\t0x0000: 3031 3233 3435 3637 3839 6162 6364 650a  0123456789abcde.\n");
	EXPECT(TEXT_BYTES_HEX_ASCII, "0123456789abcdefabc",
	       "\n\t0x0000: 3031 3233 3435 3637 3839 6162 6364 6566  0123456789abcdef"
	       "\n\t0x0010: 6162 63                                  abc\n");
	EXPECT(TEXT_BYTES_HEX_ASCII, "\x1b",
	       "\n\t0x0000: 1b                                       .\n");
}

static void test_large_offsets(void **state)
{
	enum { BYTES = (1 << 16) + 1 };
	static const char last[] = "\n\t0x010000: 78\n";
	char *bytes = malloc(BYTES);
	struct buf out = {0};

	memset(bytes, 'x', BYTES);
	text_append_bytes(&out, TEXT_BYTES_HEX, (const uint8_t *)bytes, BYTES);
	assert_non_null(memmem(out.data, out.len, "\n\t0xabc0: 7878", 14));
	assert_memory_equal(out.data + out.len - strlen(last), last, strlen(last));
	buf_finish(&out);
	free(bytes);
}

/* Whatever the bytes: nothing that a terminal obeys. */
static void test_every_byte(void **state)
{
	struct buf out = {0};
	uint8_t bytes[256];

	for (unsigned int i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)i;
	for (enum text_bytes form = TEXT_BYTES_DOTS; form <= TEXT_BYTES_HEX_ASCII; form++) {
		buf_clear(&out);
		text_append_bytes(&out, form, bytes, sizeof(bytes));
		for (size_t i = 0; i < out.len; i++)
			if (out.data[i] != '\n' && out.data[i] != '\t')
				assert_in_range(out.data[i], ' ', '~');
	}
	buf_finish(&out);
}

/* What does not fit is left out, and nothing is written after the end. */
static void test_no_memory(void **state)
{
	for (enum text_bytes form = TEXT_BYTES_DOTS; form <= TEXT_BYTES_HEX_ASCII; form++) {
		char memory[8];
		struct buf out = buf_fixed(memory, sizeof(memory));

		text_append_bytes(&out, form, (const uint8_t *)"0123456789", 10);
		assert_true(out.failed);
		assert_true(out.len <= sizeof(memory));
	}
}

/* Every byte at every place of texts of every length: vectors and their ends. */
static void test_at_every_place(void **state)
{
	enum { LEN_MAX = 40 };

	for (size_t len = 1; len <= LEN_MAX; len++) {
		for (size_t at = 0; at < len; at++) {
			for (int byte = 0; byte < 0x80; byte++) {
				char text[LEN_MAX + 1] = {0}, shown[LEN_MAX + 1] = {0};

				memset(text, 'a', len);
				text[at] = (char)byte;
				memcpy(shown, text, len);
				if (byte < ' ' || byte == 0x7f)
					shown[at] = '.';
				expect(TEXT_BYTES_DOTS, text, len, shown);
			}
		}
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_dots),	       cmocka_unit_test(test_ascii),
	cmocka_unit_test(test_base64),	       cmocka_unit_test(test_hex),
	cmocka_unit_test(test_hex_ascii),      cmocka_unit_test(test_large_offsets),
	cmocka_unit_test(test_every_byte),     cmocka_unit_test(test_no_memory),
	cmocka_unit_test(test_at_every_place),
};

UNIT_GROUP(tests);
