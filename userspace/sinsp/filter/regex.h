/* SPDX-License-Identifier: MIT */
/*
 * Regular expressions that match whole values, in RE2's POSIX syntax: by PCRE2, and without
 * backtracking where it gives up.
 */
#ifndef SINSP_FILTER_REGEX_H
#define SINSP_FILTER_REGEX_H

#include <stdbool.h>
#include <stddef.h>

#include "sinsp/filter/program.h"
#include "util/buf.h"

/*
 * Regular expressions without backtracking: all ways to match are followed at once, so that the
 * time is at most the length of the value times the number of states. Slower than PCRE2 for most
 * values; asked when that gives up.
 */

enum { AUTOMATON_STATES_MAX = 10000 };

struct automaton;

/*
 * `pattern`: from filter_regex_translate(), and accepted by PCRE2. Returns 0, -ENOMEM, or -E2BIG if
 * it has more than AUTOMATON_STATES_MAX states.
 */
int automaton_create(const struct buf *pattern, struct automaton **automaton);
void automaton_destroy(struct automaton *automaton);

/* Whether the whole text matches. A byte that is not UTF-8 is the character U+FFFD. */
bool automaton_match(struct automaton *automaton, const char *text, size_t len);

/*
 * Regular expressions that match whole values. The syntax is RE2's POSIX one: alternatives, groups,
 * classes ([[:alpha:]]), repetition, and nothing of Perl's (\d, \b, (?i), lazy repetition).
 */

struct filter_regex;

/*
 * Appends the same expression in PCRE2's syntax. Returns NULL, or the error; the buffer is marked
 * as failed if out of memory.
 */
const char *filter_regex_translate(const struct filter_text *pattern, struct buf *out);

/* Compiles; the filter owns the result. Returns 0, -EINVAL with the error set, or -ENOMEM. */
int filter_regex_compile(struct filter_binder *binder, const struct filter_expr *expr,
			 struct filter_regex **regex);

bool filter_regex_match(struct filter_regex *regex, const char *text, size_t len);

/* Frees all expressions of a filter. */
void filter_regex_free(struct filter_regex *regexes);

#endif
