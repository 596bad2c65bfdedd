/* SPDX-License-Identifier: MIT */
/*
 * Regular expressions without backtracking: all ways to match are followed at once, so that the
 * time is at most the length of the value times the number of states. Slower than PCRE2 for most
 * values; asked when that gives up.
 */
#ifndef SINSP_FILTER_AUTOMATON_H
#define SINSP_FILTER_AUTOMATON_H

#include <stdbool.h>
#include <stddef.h>

#include "util/buf.h"

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

#endif
