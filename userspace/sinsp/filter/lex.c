/* SPDX-License-Identifier: MIT */
/* Byte classes and the longest matches made of them. ASCII only, whatever the locale. */
#include "sinsp/filter/lex.h"

#include <string.h>

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static int lex_hex_digit(char c)
{
	if (is_digit(c))
		return c - '0';
	if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
		return (c | 0x20) - 'a' + 10;
	return -1;
}

static size_t lex_digits(const char *text)
{
	return strspn(text, "0123456789");
}

size_t filter_lex_blank(const char *text)
{
	return strspn(text, " \t\b\r\n");
}

size_t filter_lex_space(const char *text)
{
	return strspn(text, " \t\b\r\n\v\f");
}

size_t filter_lex_identifier(const char *text)
{
	size_t n = 0;

	if (!is_letter(text[0]))
		return 0;
	while (is_letter(text[n]) || is_digit(text[n]) || text[n] == '_')
		n++;
	return n;
}

size_t filter_lex_field(const char *text)
{
	size_t n = filter_lex_identifier(text);
	bool dotted = false;

	while (n && text[n] == '.') {
		size_t part = filter_lex_identifier(text + n + 1);

		if (!part)
			break;
		n += 1 + part;
		dotted = true;
	}
	return dotted ? n : 0;
}

static size_t hex_number(const char *text)
{
	size_t n = 2;

	if (text[0] != '0' || (text[1] != 'x' && text[1] != 'X'))
		return 0;
	while (lex_hex_digit(text[n]) >= 0)
		n++;
	return n > 2 ? n : 0;
}

size_t filter_lex_number(const char *text)
{
	size_t n = hex_number(text);

	if (n)
		return n;
	n = text[0] == '+' || text[0] == '-';
	if (!is_digit(text[n]))
		return 0;
	n += lex_digits(text + n);
	if (text[n] == '.')
		n++;
	n += lex_digits(text + n);
	if ((text[n] == 'e' || text[n] == 'E') && (text[n + 1] == '+' || text[n + 1] == '-') &&
	    is_digit(text[n + 2]))
		n += 2 + lex_digits(text + n + 2);
	return n;
}

size_t filter_lex_bare(const char *text)
{
	return strcspn(text, "()\"'=, \t\r\n\v\f");
}

size_t filter_lex_bare_arg(const char *text)
{
	return strcspn(text, "[]\"' \t\r\n\v\f");
}

size_t filter_lex_quoted(const char *text)
{
	const char *end = text;

	if (text[0] != '"' && text[0] != '\'')
		return 0;
	do
		end = strchr(end + 1, text[0]);
	while (end && end[-1] == '\\');
	return end ? (size_t)(end - text) + 1 : 0;
}

/* The value of the byte after a backslash, or -1. */
static int escaped(char c, char quote)
{
	static const char from[] = "bfnrt\\ /", to[] = "\b\f\n\r\t\\\\/";
	const char *found = c ? strchr(from, c) : NULL;

	if (c == quote)
		return (unsigned char)c;
	return found ? (unsigned char)to[found - from] : -1;
}

const char *filter_lex_unquote(const char *text, size_t len, char *out, size_t *out_len, size_t *at)
{
	const char *body = text + 1;
	size_t n = 0, body_len = len - 2;

	for (size_t i = 0; i < body_len; i++) {
		int byte = (unsigned char)body[i];

		*at = i;
		if (byte == '\\' && body[i + 1] == 'x') {
			if (i + 3 >= body_len)
				return "truncated string escape sequence";
			if (lex_hex_digit(body[i + 2]) < 0 || lex_hex_digit(body[i + 3]) < 0)
				return "invalid string escape sequence: \\x takes two hexadecimal "
				       "digits";
			byte = lex_hex_digit(body[i + 2]) << 4 | lex_hex_digit(body[i + 3]);
			i += 3;
		} else if (byte == '\\') {
			byte = escaped(body[++i], text[0]);
		}
		if (byte < 0)
			return "unsupported string escape sequence; a backslash itself is \\\\";
		out[n++] = (char)byte;
	}
	*out_len = n;
	return NULL;
}
