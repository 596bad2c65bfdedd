/* SPDX-License-Identifier: MIT */
/* Three bytes become four digits of six bits; `=` pads the last group. */
#include "util/base64.h"

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
