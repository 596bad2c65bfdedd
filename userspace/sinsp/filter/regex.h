/* SPDX-License-Identifier: MIT */
/*
 * Regular expressions that match whole values. The syntax is RE2's POSIX one: alternatives, groups,
 * classes ([[:alpha:]]), repetition, and nothing of Perl's (\d, \b, (?i), lazy repetition).
 */
#ifndef SINSP_FILTER_REGEX_H
#define SINSP_FILTER_REGEX_H

#include "sinsp/filter/program.h"

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
