/* SPDX-License-Identifier: MIT */
/* Most texts are printable ASCII, which is found many bytes at a time. */
#include "util/terminal.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

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

/* Bytes as signed numbers: those that are not ASCII are below 0, and so below the blank. */
typedef int8_t vector __attribute__((vector_size(16)));

static bool is_printable_vector(const char *text)
{
	vector bytes, bad;
	uint64_t any[2];

	memcpy(&bytes, text, sizeof(bytes));
	bad = (bytes < FIRST_PRINTABLE) | (bytes == DELETE);
	memcpy(any, &bad, sizeof(any));
	return !(any[0] | any[1]);
}

/* Of texts that are shorter than that; the shortest ones are left to who looks at each byte. */
static bool is_printable_short(const char *text, size_t len)
{
	if (len < 4)
		return false;
	if (len < 8)
		return is_printable_word(terminal_load(text, 4) | terminal_load(text + len - 4, 4)
									  << 32);
	return is_printable_word(terminal_load(text, 8)) &&
	       is_printable_word(terminal_load(text + len - 8, 8));
}

/*
 * The number of leading bytes that are known to be printable ASCII: usually the whole text. The
 * last ones that are looked at overlap those before them.
 */
static size_t printable_run(const char *text, size_t len)
{
	size_t n = 0;

	if (len < sizeof(vector))
		return is_printable_short(text, len) ? len : 0;
	for (; len - n >= sizeof(vector); n += sizeof(vector))
		if (!is_printable_vector(text + n))
			return n;
	return is_printable_vector(text + len - sizeof(vector)) ? len : n;
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

unsigned int terminal_width(int fd)
{
	enum { WIDTH = 80 };
	struct winsize size;

	if (!isatty(fd))
		return 0;
	return ioctl(fd, TIOCGWINSZ, &size) || !size.ws_col ? WIDTH : size.ws_col;
}

unsigned int terminal_height(int fd)
{
	enum { HEIGHT = 24 };
	struct winsize size;

	if (!isatty(fd))
		return 0;
	return ioctl(fd, TIOCGWINSZ, &size) || !size.ws_row ? HEIGHT : size.ws_row;
}

unsigned int terminal_columns(const char *text, size_t len)
{
	unsigned int columns = 0;
	uint32_t c;

	for (size_t at = 0, n; at < len; at += n) {
		n = utf8_decode(text + at, len - at, &c);
		columns += n ? utf8_width(c) : 1;
		n += !n;
	}
	return columns;
}

/* The bytes of the character or the sequence of a colour at `text`; columns: what it takes. */
static size_t terminal_step(const char *text, size_t len, unsigned int *columns)
{
	const char *end;
	uint32_t c;
	size_t n;

	*columns = text[0] != '\033';
	if (*columns == 0) {
		end = memchr(text, 'm', len);
		return end ? (size_t)(end + 1 - text) : len;
	}
	n = utf8_decode(text, len, &c);
	return n ? n : 1;
}

void terminal_cut(struct buf *text, size_t start, unsigned int width)
{
	static const char sign[] = "…", plain[] = "\033[0m";
	size_t end = text->len, cut = start, n;
	unsigned int columns = 0, taken;

	if (text->failed || end == start || text->data[end - 1] != '\n' || width == 0 ||
	    memchr(text->data + start, '\n', end - 1 - start))
		return;
	for (size_t i = start; i < end - 1; i += n) {
		n = terminal_step(text->data + i, end - 1 - i, &taken);
		columns += taken;
		/* The last column is for the sign, unless the text ends with it. */
		if (columns < width)
			cut = i + n;
	}
	if (columns <= width)
		return;
	text->len = cut;
	buf_append(text, sign, sizeof(sign) - 1);
	if (memchr(text->data + start, '\033', cut - start))
		buf_append(text, plain, sizeof(plain) - 1);
	buf_append_char(text, '\n');
}
