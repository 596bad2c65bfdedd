/* SPDX-License-Identifier: MIT */
/*
 * The known word nearest to a mistyped one, for messages ("did you mean …?").
 */
#ifndef UTIL_NEAREST_H
#define UTIL_NEAREST_H

#include <stddef.h>

struct nearest {
	const char *text; /* borrowed */
	size_t len;
	const char *word; /* the best candidate so far; NULL if none is near */
	unsigned int distance;
};

/* A search for words that differ from `text`, ignoring case, in at most a third of its letters. */
void nearest_init(struct nearest *nearest, const char *text, size_t len);

/* Offers a candidate, which must outlive the search. Among equally near ones the first wins. */
void nearest_offer(struct nearest *nearest, const char *word);

#endif
