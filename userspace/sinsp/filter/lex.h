/* SPDX-License-Identifier: MIT */
/*
 * The tokens of filters: each function returns the length of the longest token at the beginning of
 * a text. No state, no allocations; used only by the parser.
 */
#ifndef SINSP_FILTER_LEX_H
#define SINSP_FILTER_LEX_H

#include <stdbool.h>
#include <stddef.h>

/* Texts are NUL-terminated. 0: the text does not begin with such a token. */
size_t filter_lex_blank(const char *text);
size_t filter_lex_space(const char *text); /* blanks, and all other white space */
size_t filter_lex_identifier(const char *text);
size_t filter_lex_field(const char *text); /* at least two identifiers, joined by dots */
size_t filter_lex_number(const char *text); /* hexadecimal, or decimal with fraction and exponent */
size_t filter_lex_bare(const char *text);
size_t filter_lex_bare_arg(const char *text);

/* A quoted string, its quotes included; 0 if there is none or its end is missing. */
size_t filter_lex_quoted(const char *text);

/*
 * Writes the value of a quoted string of `len` bytes (quotes included) to `out`, which has room for
 * `len` bytes, and its length to `out_len`. Returns NULL, or the error in the escape that begins
 * `*at` bytes after the first quote.
 */
const char *filter_lex_unquote(const char *text, size_t len, char *out, size_t *out_len,
			       size_t *at);

#endif
