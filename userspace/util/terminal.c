/* SPDX-License-Identifier: MIT */
/* Most texts are printable ASCII, which is found eight bytes at a time. */
#include "util/terminal.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "util/utf8.h"

enum { FIRST_PRINTABLE = 0x20, DELETE = 0x7f };

#define EVERY_BYTE(byte) ((byte)*UINT64_C(0x0101010101010101))

/* Whether eight bytes are printable ASCII. */
static bool is_printable_word(uint64_t word)
{
	/* Sets the top bit of bytes that are 0x80 or more, 0x7f, or below 0x20. */
	uint64_t marked = word | (word + EVERY_BYTE(1)) | (word - EVERY_BYTE(FIRST_PRINTABLE));

	return (marked & EVERY_BYTE(0x80)) == 0;
}

static uint64_t terminal_load(const char *text, size_t bytes)
{
	uint64_t word = 0;

	memcpy(&word, text, bytes);
	return word;
}

/*
 * The number of leading bytes that are known to be printable ASCII: usually the whole text. Words
 * at the end overlap the ones before them.
 */
static size_t printable_run(const char *text, size_t len)
{
	size_t n = 0;

	if (len < 4)
		return 0;
	if (len < 8)
		return is_printable_word(terminal_load(text, 4) | terminal_load(text + len - 4, 4)
									  << 32)
			       ? len
			       : 0;
	for (; len - n >= 8; n += 8)
		if (!is_printable_word(terminal_load(text + n, 8)))
			return n;
	return is_printable_word(terminal_load(text + len - 8, 8)) ? len : n;
}

static bool terminal_is_shown(uint32_t c)
{
	return c >= FIRST_PRINTABLE && c != DELETE && !utf8_is_control(c);
}

/* `kept`: control characters of ASCII that stay. */
static void util_terminal_mask(char *text, size_t len, const char *kept)
{
	for (size_t i = printable_run(text, len), n; i < len; i += n) {
		uint32_t c = 0;

		n = utf8_decode(text + i, len - i, &c);
		if (n == 0)
			n = 1; /* some terminals interpret single bytes */
		else if (terminal_is_shown(c) ||
			 (c && c < FIRST_PRINTABLE && strchr(kept, (char)c)))
			continue;
		memset(text + i, '.', n);
	}
}

void terminal_mask(char *text, size_t len)
{
	util_terminal_mask(text, len, "");
}

void terminal_mask_lines(char *text, size_t len)
{
	util_terminal_mask(text, len, "\n\t");
}

void terminal_print(FILE *file, struct buf *text)
{
	if (!text->len)
		return;
	terminal_mask_lines(text->data, text->len);
	fwrite(text->data, 1, text->len, file);
}
