/* SPDX-License-Identifier: MIT */
/*
 * The words of filters: how many bytes at the beginning of a text form one, longest match. Without
 * state, without memory; used by the parser alone.
 */
#ifndef SINSP_EXPR_LEX_H
#define SINSP_EXPR_LEX_H

#include <stdbool.h>
#include <stddef.h>

/* Texts end with NUL. 0: the text does not begin with such a word. */
size_t filter_lex_blank(const char *text);
size_t filter_lex_space(const char *text); /* blanks, and all other white space */
size_t filter_lex_identifier(const char *text);
size_t filter_lex_field(const char *text); /* two identifiers at least, joined by dots */
size_t filter_lex_number(const char *text); /* hexadecimal, or decimal with fraction and exponent */
size_t filter_lex_bare(const char *text);
size_t filter_lex_bare_arg(const char *text);

/* A quoted string, its quotes included; 0 if it does not begin or does not end. */
size_t filter_lex_quoted(const char *text);

/*
 * Writes what a quoted string of `len` bytes (with its quotes) stands for to `out`, which has room
 * for `len` bytes, and its length to `out_len`. Returns NULL, or what is wrong with the escape that
 * begins `*at` bytes after the first quote.
 */
const char *filter_lex_unquote(const char *text, size_t len, char *out, size_t *out_len,
			       size_t *at);

#endif
