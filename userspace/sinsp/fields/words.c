/* SPDX-License-Identifier: MIT */
/* Closed sets of values: whether a text is in one, and the word that was probably intended. */
#include <stdio.h>
#include <string.h>

#include "sinsp/fields/field.h"
#include "util/nearest.h"

enum { WORD_BYTES = 64 };

struct search {
	const char *text;
	bool found;
};

static void compare(void *context, const char *word)
{
	struct search *search = context;

	search->found |= strcmp(word, search->text) == 0;
}

static bool is_number(const char *text)
{
	text += *text == '-';
	return *text && text[strspn(text, "0123456789")] == '\0';
}

bool field_words_have(const struct field_words *words, const char *text)
{
	struct search search = {text, words->numbers && is_number(text)};

	words->each(compare, &search);
	return search.found;
}

struct offer {
	struct nearest nearest;
	char *best;
};

static void offer(void *context, const char *word)
{
	struct offer *to = context;

	nearest_offer(&to->nearest, word);
	if (to->nearest.word != word)
		return;
	snprintf(to->best, WORD_BYTES, "%s", word);
	to->nearest.word = to->best;
}

bool field_words_nearest(const struct field_words *words, const char *text, char word[WORD_BYTES])
{
	size_t len = strlen(text);
	struct offer to = {.best = word};

	nearest_init(&to.nearest, text, len);
	words->each(offer, &to);
	/* A word at the distance of the whole length has no letter in common. */
	return to.nearest.word && to.nearest.distance < len;
}
