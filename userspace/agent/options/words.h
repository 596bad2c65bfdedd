/* SPDX-License-Identifier: MIT */
/* Valid values of options and operands of subcommands. */
#ifndef AGENT_OPTIONS_WORDS_H
#define AGENT_OPTIONS_WORDS_H

#include "util/buf.h"
#include "util/error.h"

/* The i-th word of the list, or NULL after the last one. */
typedef const char *word_list(unsigned int i);

/* What a shell completes if there is no such list. */
enum offer {
	OFFER_NOTHING,
	OFFER_FILES,
	OFFER_FIELDS,
	OFFER_EVENTS,
	OFFER_FIELD_LIST, /* separated by commas */
	OFFER_FORMAT, /* text with %FIELD in it */
};

/* Stores the index of the word `text`. Returns 0, or -EINVAL if there is none. */
int words_find(word_list *words, const char *text, unsigned int *place);

/* Appends "a, b or c". */
void words_append(word_list *words, struct buf *out);

/*
 * Sets a message for `text` that is none of the words: "WHAT: expected a, b or c". Returns -EINVAL.
 */
int words_reject(const char *what, word_list *words, const char *text, struct error *err);

#endif
