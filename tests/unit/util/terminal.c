/* SPDX-License-Identifier: MIT */
/* What must not reach a terminal, and what has to. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "unit.h"
#include "util/error.h"
#include "util/terminal.h"

enum { DELETE = 0x7f };

static void expect(const char *text, const char *shown)
{
	char copy[64];

	assert_true(strlen(text) < sizeof(copy));
	strcpy(copy, text);
	terminal_mask(copy, strlen(copy));
	assert_string_equal(copy, shown);
}

/* Between other text, so that it is at each place of the words that are looked at at once. */
static void expect_around(const char *bytes, const char *shown)
{
	static const char letters[] = "abcdefghijklmnopqrs";
	char text[64], masked[64];

	for (int before = 0; before < (int)sizeof(letters); before++)
		for (int after = 0; after < (int)sizeof(letters); after++) {
			snprintf(text, sizeof(text), "%.*s%s%.*s", before, letters, bytes, after,
				 letters);
			snprintf(masked, sizeof(masked), "%.*s%s%.*s", before, letters, shown,
				 after, letters);
			expect(text, masked);
		}
}

static size_t encode(uint32_t c, char bytes[5])
{
	size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
	static const uint8_t first[] = {0, 0, 0xc0, 0xe0, 0xf0};

	for (size_t i = n - 1; i > 0; i--, c >>= 6)
		bytes[i] = (char)(0x80 | (c & 0x3f));
	bytes[0] = (char)(first[n] | c);
	bytes[n] = '\0';
	return n;
}

/* The two kinds of control characters: C0 and DEL, and C1 as UTF-8. */
static void test_controls(void **state)
{
	char bytes[5];

	for (uint32_t c = 1; c < 0xa0; c++) {
		size_t n = encode(c, bytes);

		if (c < ' ' || c >= DELETE)
			expect_around(bytes, n == 1 ? "." : "..");
		else
			expect_around(bytes, bytes);
	}
	expect("long enough \x1b[2J\n\x7f\xc2\x9b\xc2\xa9 \xc3\x9b",
	       "long enough .[2J....\xc2\xa9 \xc3\x9b");
}

/* What turns the direction of a text, and what ends a line or a paragraph. */
static void test_directions(void **state)
{
	static const struct {
		uint32_t first, last;
	} hidden[] = {{0x61c, 0x61c}, {0x200e, 0x200f}, {0x2028, 0x202e}, {0x2066, 0x2069}};
	char bytes[5], dots[5];

	for (size_t i = 0; i < sizeof(hidden) / sizeof(hidden[0]); i++) {
		for (uint32_t c = hidden[i].first - 1; c <= hidden[i].last + 1; c++) {
			bool is_hidden = c >= hidden[i].first && c <= hidden[i].last;
			size_t n = encode(c, bytes);

			snprintf(dots, sizeof(dots), "%.*s", (int)n, "...");
			expect_around(bytes, is_hidden ? dots : bytes);
		}
	}
}

/* Bytes that are no characters, which terminals read in ways of their own. */
static void test_invalid(void **state)
{
	static const char *const invalid[] = {
		"\x80",
		"\x9b",
		"\xa0",
		"\xff",
		"\xfe",
		"\xc3",
		"\xe2\x82",
		"\xf0\x9f\x99", /* cut */
		"\xc0\x9b",
		"\xc1\xbf",
		"\xe0\x82\x9b",
		"\xf0\x80\x82\x9b", /* overlong */
		"\xed\xa0\x80",
		"\xed\xbf\xbf",
		"\xed\xa0\xbd\xed\xb8\x80", /* surrogates */
		"\xf4\x90\x80\x80",
		"\xf5\x80\x80\x80",
		"\xf8\x88\x80\x80\x80", /* too large */
	};
	char dots[8];

	for (size_t i = 0; i < sizeof(invalid) / sizeof(invalid[0]); i++) {
		snprintf(dots, sizeof(dots), "%.*s", (int)strlen(invalid[i]), ".......");
		expect_around(invalid[i], dots);
	}
	expect("\xc3(", ".(");
	expect("\xe2\x82\xc3\xa9", "..\xc3\xa9");
}

static void test_shown(void **state)
{
	static const char *const shown[] = {"",
					    "~",
					    "\xc2\xa0",
					    "\xc3\xa9",
					    "\xe2\x82\xac",
					    "\xe6\x97\xa5\xe6\x9c\xac",
					    "\xef\xbf\xbd",
					    "\xf0\x9f\x99\x82"};

	for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]); i++)
		expect_around(shown[i], shown[i]);
}

static void test_nul(void **state)
{
	char text[] = "0123\0"
		      "56789";

	terminal_mask(text, sizeof(text) - 1);
	assert_string_equal(text, "0123.56789");
	strcpy(text, "01\n3");
	terminal_mask_lines(text, sizeof(text) - 1);
	assert_string_equal(text, "01\n3.56789");
}

/* Names are of one line; only text of our own has several. */
static void test_lines(void **state)
{
	char text[] = "a\tb\nc\rd\x1b\xe2\x80\xae\xff";

	expect(text, "a.b.c.d.....");
	terminal_mask_lines(text, strlen(text));
	assert_string_equal(text, "a\tb\nc.d.....");
}

static void test_print(void **state)
{
	char printed[32] = "";
	FILE *file = fmemopen(printed, sizeof(printed), "w");
	struct buf text = {0};

	assert_non_null(file);
	terminal_print(file, &text);
	buf_append_string(&text, "two\nlines\x9b\n");
	terminal_print(file, &text);
	fclose(file);
	assert_string_equal(printed, "two\nlines.\n");
	buf_finish(&text);
}

/* Also where the text is cut inside a character. */
static void test_errors(void **state)
{
	struct error err;
	char name[sizeof(err.text) + 2];

	assert_int_equal(error_set(&err, -1, "'%s'", "\x1b]0;\xc2\x9b"), -1);
	assert_string_equal(err.text, "'.]0;..'");
	memset(name, 'a', sizeof(name));
	strcpy(name + sizeof(err.text) - 2, "\xc3\xa9");
	error_set(&err, -1, "%s", name);
	assert_int_equal(err.text[sizeof(err.text) - 2], '.');
}

static void expect_cut(const char *text, unsigned int width, const char *shown)
{
	struct buf buf = {0};

	buf_append_string(&buf, "before\n");
	buf_append_string(&buf, text);
	terminal_cut(&buf, strlen("before\n"), width);
	buf_append_char(&buf, '\0');
	assert_string_equal(buf.data + strlen("before\n"), shown);
	buf_finish(&buf);
}

static void test_cut(void **state)
{
	expect_cut("abcdef\n", 6, "abcdef\n");
	expect_cut("abcdef\n", 5, "abcd…\n");
	expect_cut("aécdef\n", 4, "aéc…\n");
	expect_cut("\033[31mab\033[0mcd\n", 4, "\033[31mab\033[0mcd\n");
	expect_cut("\033[31mabcd\033[0m\n", 3, "\033[31mab…\033[0m\n");
	expect_cut("\xff\xff\xff\n", 2, "\xff…\n");
	expect_cut("ab\033[3\n", 1, "…\n");
	/* What is no line, has several, or has no width. */
	expect_cut("abcdef", 3, "abcdef");
	expect_cut("abcdef\nx\n", 3, "abcdef\nx\n");
	expect_cut("abcdef\n", 0, "abcdef\n");
	expect_cut("", 3, "");
}

static void test_width(void **state)
{
	struct winsize size = {.ws_row = 24, .ws_col = 61};
	int fd = posix_openpt(O_RDWR | O_NOCTTY), pair[2];

	assert_true(fd >= 0);
	assert_int_equal(grantpt(fd) || unlockpt(fd), 0);
	assert_int_equal(ioctl(fd, TIOCSWINSZ, &size), 0);
	assert_int_equal(terminal_width(fd), 61);
	size.ws_col = 0;
	assert_int_equal(ioctl(fd, TIOCSWINSZ, &size), 0);
	assert_int_equal(terminal_width(fd), 80);
	close(fd);
	assert_int_equal(pipe(pair), 0);
	assert_int_equal(terminal_width(pair[1]), 0);
	close(pair[0]);
	close(pair[1]);
}

static void test_columns_and_height(void **state)
{
	assert_int_equal(terminal_columns("", 0), 0);
	assert_int_equal(terminal_columns("abc", 3), 3);
	assert_int_equal(terminal_columns("é漢", 5), 3);
	assert_int_equal(terminal_columns("\xff\xff", 2), 2);
	/* No descriptor is no terminal. */
	assert_int_equal(terminal_height(-1), 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_columns_and_height),
	cmocka_unit_test(test_controls),
	cmocka_unit_test(test_directions),
	cmocka_unit_test(test_invalid),
	cmocka_unit_test(test_shown),
	cmocka_unit_test(test_nul),
	cmocka_unit_test(test_lines),
	cmocka_unit_test(test_print),
	cmocka_unit_test(test_errors),
	cmocka_unit_test(test_cut),
	cmocka_unit_test(test_width),
};

UNIT_GROUP(tests);
