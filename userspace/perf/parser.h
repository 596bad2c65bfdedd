/* SPDX-License-Identifier: MIT */
/* What the parts of the parser of events share: where it is, and its errors. */
#ifndef PERF_PARSER_H
#define PERF_PARSER_H

#include "perf/event.h"
#include "util/nearest.h"

struct perf_parser {
	const char *text; /* all of it: what errors show */
	const char *at;
	const struct perf_machine *machine;
	struct perf_parse_options options;
	struct perf_event_list *list;
	struct error *err;
};

/* A part of the text. */
struct perf_word {
	const char *at;
	size_t len;
};

/* Stops with a message about the place `at`, which is in the text. Returns -EINVAL. */
__attribute__((format(printf, 3, 4))) int perf_parser_fail(struct perf_parser *parser,
							   const char *at, const char *format, ...);

/* The same, of what this machine has not, and another one may have. */
__attribute__((format(printf, 3, 4))) int
perf_parser_lacks(struct perf_parser *parser, const char *at, const char *format, ...);

/* Adds to such a message the known word that was perhaps meant; a candidate for each call. */
struct perf_guess {
	struct nearest nearest;
	char word[64]; /* a copy, as candidates may not outlive the search */
};

void perf_guess_init(struct perf_guess *guess, struct perf_word word);
void perf_guess_offer(struct perf_guess *guess, const char *candidate);

/* "; did you mean 'X'?", or nothing. */
const char *perf_guess_text(const struct perf_guess *guess, char text[96]);

/* The word that begins here, of characters that names have; `more`: further ones. */
struct perf_word perf_parser_word(const struct perf_parser *parser, const char *more);

bool perf_word_is(struct perf_word word, const char *text);

/* Reads a word as a number, "0x" and digits of base 16 or decimal ones. Returns false if it is
 * none. */
bool perf_word_number(struct perf_word word, uint64_t *number);

/* A copy that the list owns; NULL if out of memory. */
const char *perf_parser_keep(struct perf_parser *parser, const char *text, size_t len);

#endif
