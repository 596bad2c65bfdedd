/* SPDX-License-Identifier: MIT */
/* The terms between the slashes of an event: "period=1000,umask=0x41". */
#ifndef PERF_TERMS_H
#define PERF_TERMS_H

#include "perf/parser.h"

enum { PERF_TERMS_MAX = 32 };

struct perf_term {
	struct perf_word name, value; /* value.at: NULL if none was given; without quotes */
	uint64_t number; /* of the value, 1 if none was given; 0 if it is no number */
	bool is_number;
	const char *alias; /* the kernel's: where the alias stands that it comes from; else NULL */
};

struct perf_terms {
	struct perf_term terms[PERF_TERMS_MAX];
	size_t count;
};

/* Reads the terms up to a slash, which it reads, too. Returns 0 or -EINVAL. */
int perf_terms_read(struct perf_parser *parser, struct perf_terms *terms);

/*
 * Appends the terms of an alias, which stands at `alias`. Returns 0 or -EINVAL.
 */
int perf_terms_read_alias(struct perf_parser *parser, const char *text, const char *alias,
			  struct perf_terms *terms);

/* Where an error about a part of a term points. */
const char *perf_term_place(const struct perf_term *term, const char *at);

/* What the terms are of. */
enum perf_term_scope {
	PERF_SCOPE_ANY = 1 << 0,
	PERF_SCOPE_CONFIG = 1 << 1, /* takes config and the other words */
};

/*
 * Applies a term that events of all kinds have to `event`. `*known` says whether it is one. Returns
 * 0, -EINVAL or -ENOMEM.
 */
int perf_term_apply(struct perf_parser *parser, const struct perf_term *term, unsigned int scopes,
		    struct perf_event *event, bool *known);

/* Offers the names of those terms. */
void perf_term_guess(unsigned int scopes, struct perf_guess *guess);

/* A word of an attr that terms and formats name. */
uint64_t *perf_event_word(struct perf_event *event, unsigned int word);

#endif
