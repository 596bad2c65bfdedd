/* SPDX-License-Identifier: MIT */
/* How expressions are understood: as the canonical text of their tree. */
#ifndef TESTS_CANONICAL_H
#define TESTS_CANONICAL_H

#include "sinsp/filter/tree.h"

/* Stores that text in `out`, with its NUL; false with the error if the expression is rejected. */
bool canonical(const char *text, struct buf *out, struct filter_error *err);

/* An expression and its canonical text; NULL: it is rejected. */
struct canonical_pair {
	const char *text, *wanted;
};

/* Fails unless all are understood so, and their canonical texts as themselves. */
void canonical_expect(const struct canonical_pair *pairs, size_t n);

/* Fails unless an expression is rejected there, with a message that contains `says`. */
void canonical_expect_error(const char *text, size_t position, unsigned int line,
			    unsigned int column, const char *says);

#endif
