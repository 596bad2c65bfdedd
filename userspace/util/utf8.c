/* SPDX-License-Identifier: MIT */
/* Strict decoding: shortest forms only, no surrogates, nothing above U+10FFFF. */
#include "util/utf8.h"

size_t utf8_decode(const char *text, size_t len, uint32_t *code_point)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	const unsigned char *bytes = (const unsigned char *)text;
	uint32_t c;
	size_t n;

	if (len == 0)
		return 0;
	c = bytes[0];
	if (c < 0x80) {
		*code_point = c;
		return 1;
	}
	n = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : 2;
	if (c < 0xc2 || c > 0xf4 || n > len)
		return 0;
	c &= 0x7fu >> n;
	for (size_t i = 1; i < n; i++) {
		if ((bytes[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (bytes[i] & 0x3f);
	}
	if (c < least[n] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
		return 0;
	*code_point = c;
	return n;
}
