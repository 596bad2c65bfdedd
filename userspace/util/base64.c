/* SPDX-License-Identifier: MIT */
/* Three bytes become four digits of six bits; `=` pads the last group. */
#include "util/base64.h"

#include <string.h>

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static void put_group(char to[4], const uint8_t *bytes, size_t n)
{
	uint32_t bits = (uint32_t)bytes[0] << 16;

	if (n > 1)
		bits |= (uint32_t)bytes[1] << 8;
	if (n > 2)
		bits |= bytes[2];
	to[0] = alphabet[bits >> 18];
	to[1] = alphabet[bits >> 12 & 63];
	to[2] = n > 1 ? alphabet[bits >> 6 & 63] : '=';
	to[3] = n > 2 ? alphabet[bits & 63] : '=';
}

void base64_append(struct buf *out, const void *bytes, size_t len)
{
	const uint8_t *from = bytes;

	if (!buf_reserve(out, (len + 2) / 3 * 4))
		return;
	for (; len; out->len += 4) {
		size_t n = len < 3 ? len : 3;

		put_group(out->data + out->len, from, n);
		from += n;
		len -= n;
	}
}

/* The bits of a group's digits, of which `n` are no padding. Returns false if one is no digit. */
static bool read_group(const char *text, size_t n, uint32_t *bits)
{
	*bits = 0;
	for (size_t i = 0; i < 4; i++) {
		const char *digit =
			i < n ? memchr(alphabet, text[i], sizeof(alphabet) - 1) : alphabet;

		if (!digit)
			return false;
		*bits = *bits << 6 | (uint32_t)(digit - alphabet);
	}
	return true;
}

static size_t padding_of(const char *text, size_t len)
{
	return len && text[len - 1] == '=' ? 1 + (text[len - 2] == '=') : 0;
}

bool base64_decode(struct buf *out, const char *text, size_t len)
{
	size_t padding;

	if (len % 4 || !buf_reserve(out, len / 4 * 3))
		return false;
	padding = padding_of(text, len);
	for (size_t at = 0; at < len; at += 4) {
		size_t n = at + 4 < len ? 4 : 4 - padding;
		uint32_t bits;

		if (!read_group(text + at, n, &bits))
			return false;
		for (size_t i = 0; i + 1 < n; i++)
			out->data[out->len++] = (char)(bits >> (16 - 8 * i));
	}
	return true;
}
