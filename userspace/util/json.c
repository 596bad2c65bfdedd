/* SPDX-License-Identifier: MIT */
/* JSON strings are copied many bytes at a time while no byte needs an escape; few texts do. */
#include "util/json.h"

#include <string.h>

#include "util/base64.h"
#include "util/count.h"
#include "util/utf8.h"

enum { WORD_BYTES = sizeof(uint64_t), VECTOR_BYTES = 16 };

#define EVERY_BYTE(byte) ((byte)*UINT64_C(0x0101010101010101))
#define EXACT_MAX (UINT64_C(1) << 53)

static const char replacement[] = "\xef\xbf\xbd"; /* U+FFFD */

static uint64_t any_zero(uint64_t word)
{
	return (word - EVERY_BYTE(1)) & ~word & EVERY_BYTE(0x80);
}

/* Nonzero if one of the eight bytes is not plain: the lowest set bit is in the first such byte. */
static uint64_t needs_care(uint64_t word)
{
	uint64_t control = (word - EVERY_BYTE(0x20)) & ~word & EVERY_BYTE(0x80);

	return (word & EVERY_BYTE(0x80)) | control | any_zero(word ^ EVERY_BYTE('"')) |
	       any_zero(word ^ EVERY_BYTE('\\'));
}

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the first byte of a word is its lowest");

static size_t first_byte(uint64_t care)
{
	return (size_t)__builtin_ctzll(care) / 8;
}

static size_t copy_plain_word(char *to, const char *from)
{
	uint64_t word, care;

	memcpy(&word, from, sizeof(word));
	memcpy(to, &word, sizeof(word));
	care = needs_care(word);
	return care ? first_byte(care) : sizeof(word);
}

/* Bytes as signed numbers: those that are not ASCII are below 0, and so below the blank. */
typedef int8_t vector __attribute__((vector_size(16)));

static size_t copy_plain_vector(char *to, const char *from)
{
	uint64_t care[2];
	vector bytes, bad;

	memcpy(&bytes, from, sizeof(bytes));
	memcpy(to, &bytes, sizeof(bytes));
	bad = (bytes < ' ') | (bytes == '"') | (bytes == '\\');
	memcpy(care, &bad, sizeof(care));
	if (!(care[0] | care[1]))
		return sizeof(bytes);
	return care[0] ? first_byte(care[0]) : WORD_BYTES + first_byte(care[1]);
}

/* 1 to 7 bytes as a word, padded with plain bytes. */
static size_t copy_plain_rest(char *to, const char *from, size_t len)
{
	uint64_t word, care;

	if (len >= sizeof(uint32_t)) {
		uint32_t first, last; /* they overlap */

		memcpy(&first, from, sizeof(first));
		memcpy(&last, from + len - sizeof(last), sizeof(last));
		memcpy(to, &first, sizeof(first));
		memcpy(to + len - sizeof(last), &last, sizeof(last));
		word = first | (uint64_t)last << 8 * (len - sizeof(last));
	} else {
		word = (uint8_t)(to[0] = from[0]);
		for (size_t i = 1; i < len; i++)
			word |= (uint64_t)(uint8_t)(to[i] = from[i]) << 8 * i;
	}
	care = needs_care(word | EVERY_BYTE('x') << 8 * len);
	return care ? first_byte(care) : len;
}

/*
 * Copies `len` bytes and returns how many of them need no escape: those before the first that is
 * not plain. Most texts are plain, so that one pass suffices.
 */
static size_t json_copy_plain(char *to, const char *from, size_t len)
{
	size_t at = 0, n;

	if (len < WORD_BYTES)
		return copy_plain_rest(to, from, len);
	for (; len - at >= VECTOR_BYTES; at += VECTOR_BYTES) {
		n = copy_plain_vector(to + at, from + at);
		if (n < VECTOR_BYTES)
			return at + n;
	}
	if (len - at >= WORD_BYTES) {
		n = copy_plain_word(to + at, from + at);
		if (n < WORD_BYTES)
			return at + n;
	}
	/* The last word overlaps the one before it, whose bytes were plain. */
	at = len - WORD_BYTES;
	return at + copy_plain_word(to + at, from + at);
}

/* The escapes of characters; those without one have the length 0. */
struct escape {
	char text[7];
	uint8_t len;
};

/* clang-format off */
#define LETTER(letter) {"\\" letter, 2}
#define DIGITS(digits) {"\\u00" digits, 6}

static const struct escape escapes[] = {
	DIGITS("00"), DIGITS("01"), DIGITS("02"), DIGITS("03"),
	DIGITS("04"), DIGITS("05"), DIGITS("06"), DIGITS("07"),
	LETTER("b"),  LETTER("t"),  LETTER("n"),  DIGITS("0b"),
	LETTER("f"),  LETTER("r"),  DIGITS("0e"), DIGITS("0f"),
	DIGITS("10"), DIGITS("11"), DIGITS("12"), DIGITS("13"),
	DIGITS("14"), DIGITS("15"), DIGITS("16"), DIGITS("17"),
	DIGITS("18"), DIGITS("19"), DIGITS("1a"), DIGITS("1b"),
	DIGITS("1c"), DIGITS("1d"), DIGITS("1e"), DIGITS("1f"),
	['"'] = LETTER("\""), ['\\'] = LETTER("\\"),
};
/* clang-format on */

/* At once: room for a long text is not reserved as if all of it needed escapes. */
enum { ESCAPES_COUNT = COUNT(escapes), ESCAPES_AT_ONCE = 32 };

static const char digits[] = "0123456789abcdef";

/* Appends the characters that need an escape up to the next one that does not; returns how many. */
static size_t append_escapes(struct buf *out, const char *text, size_t len)
{
	size_t n = 0, most = len < ESCAPES_AT_ONCE ? len : ESCAPES_AT_ONCE;
	char *to;

	if (!buf_reserve(out, most * sizeof(escapes[0])))
		return len;
	to = out->data + out->len;
	for (; n < most && (uint8_t)text[n] < ESCAPES_COUNT; n++) {
		const struct escape *escape = &escapes[(uint8_t)text[n]];

		if (escape->len == 0)
			break;
		memcpy(to, escape, sizeof(*escape));
		to += escape->len;
	}
	out->len = (size_t)(to - out->data);
	return n;
}

/* Appends the character at `text`, which is not ASCII, and returns its bytes. */
static size_t append_character(struct buf *out, const char *text, size_t len, bool *valid)
{
	uint32_t code_point;
	size_t n = utf8_decode(text, len, &code_point);

	if (n && utf8_is_control(code_point)) {
		BUF_LITERAL(out, "\\u");
		for (int shift = 12; shift >= 0; shift -= 4)
			buf_append_char(out, digits[code_point >> shift & 0xf]);
		return n;
	}
	if (n) {
		buf_append(out, text, n);
		return n;
	}
	buf_append(out, replacement, sizeof(replacement) - 1);
	*valid = false;
	return 1;
}

/* The rest of a text, from the first character that is not plain, and the quote at its end. */
static bool append_with_care(struct buf *out, const char *text, size_t len)
{
	bool valid = true;

	while (len > 0) {
		size_t n = append_escapes(out, text, len);

		if (n < len && (uint8_t)text[n] >= 0x80)
			n += append_character(out, text + n, len - n, &valid);
		text += n;
		len -= n;
		if (len == 0 || !buf_reserve(out, len))
			break;
		n = json_copy_plain(out->data + out->len, text, len);
		out->len += n;
		text += n;
		len -= n;
	}
	buf_append_char(out, '"');
	return valid;
}

bool json_append_string(struct buf *out, const char *text, size_t len)
{
	size_t n = 0;
	char *to;

	if (!buf_reserve(out, len + 2))
		return true;
	to = out->data + out->len;
	*to++ = '"';
	if (len)
		n = json_copy_plain(to, text, len);
	if (n < len) {
		out->len += 1 + n;
		return append_with_care(out, text + n, len - n);
	}
	to[n] = '"';
	out->len += 2 + n;
	return true;
}

void json_end_object(struct buf *out, size_t start)
{
	if (out->len > start)
		out->data[start] = '{';
	else
		buf_append_char(out, '{');
	buf_append_char(out, '}');
}

void json_append_base64_key(struct buf *out, const char *key, size_t len)
{
	buf_append(out, key, len - 2);
	BUF_LITERAL(out, "_b64\":");
}

void json_append_base64(struct buf *out, const void *bytes, size_t len)
{
	buf_append_char(out, '"');
	base64_append(out, bytes, len);
	buf_append_char(out, '"');
}

void json_append_hex(struct buf *out, uint64_t value)
{
	BUF_LITERAL(out, "\"0x");
	buf_append_hex_lower(out, value);
	buf_append_char(out, '"');
}

void json_append_u64(struct buf *out, uint64_t value)
{
	if (value > EXACT_MAX)
		json_append_hex(out, value);
	else
		buf_append_u64(out, value);
}

void json_append_duration(struct buf *out, uint64_t ns)
{
	bool exact = ns <= EXACT_MAX;

	if (!exact)
		buf_append_char(out, '"');
	buf_append_u64(out, ns);
	if (!exact)
		buf_append_char(out, '"');
}

void json_append_i64(struct buf *out, int64_t value)
{
	if (value >= 0 && value <= (int64_t)EXACT_MAX) {
		buf_append_u64(out, (uint64_t)value);
	} else if (value < 0 && value >= -(int64_t)EXACT_MAX) {
		buf_append_i64(out, value);
	} else {
		buf_append_char(out, '"');
		buf_append_i64(out, value);
		buf_append_char(out, '"');
	}
}
