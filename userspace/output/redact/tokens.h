/* SPDX-License-Identifier: MIT */
/*
 * Secrets that are known by themselves: by a prefix that their maker gave them, or by their shape.
 * They are looked for in long runs of letters and digits only, so that a row more costs nothing.
 */
#ifndef OUTPUT_REDACT_TOKENS_H
#define OUTPUT_REDACT_TOKENS_H

#include <stdbool.h>
#include <stddef.h>

#include "output/redact/patterns.h"

/* What follows a prefix. */
enum token_chars {
	TOKEN_HEX,
	TOKEN_ALNUM,
	TOKEN_WORD, /* and '_' and '-' */
	TOKEN_DOTTED, /* and '.' */
	TOKEN_BASE64, /* letters, digits, '_', '-', '+', '/', '=', '.' */
};

struct net_token {
	const char *prefix;
	enum token_chars chars;
	unsigned int least, most; /* characters behind the prefix; most 0: any number */
};

/* In the order of the first byte of their prefixes. */
extern const struct net_token tokens[];
extern const size_t tokens_count;

/*
 * Finds a secret in a run of letters, digits and "_-.~" from `*at` on, which is in the run, and is
 * set to where to go on: maybe behind the run. Returns false if there is none.
 */
bool token_find(const char *text, size_t len, const struct redact_extent *run, size_t *at,
		struct redact_extent *secret);

/* The secret of an id of Amazon's that ends at `at`, if it stands right behind it. */
bool token_find_companion(const char *text, size_t len, size_t at, struct redact_extent *secret);

#endif
