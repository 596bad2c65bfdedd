/* SPDX-License-Identifier: MIT */
/* Values of options that are one of a few words: look-up, and messages for others. */
#include "agent/options/row.h"

#include <errno.h>
#include <string.h>

#include "util/nearest.h"

int option_words_find(option_words *words, const char *text, unsigned int *place)
{
	for (unsigned int i = 0; words(i); i++) {
		if (strcmp(words(i), text) == 0) {
			*place = i;
			return 0;
		}
	}
	return -EINVAL;
}

void option_words_append(option_words *words, struct buf *out)
{
	for (unsigned int i = 0; words(i); i++) {
		if (i > 0)
			buf_append_string(out, words(i + 1) ? ", " : " or ");
		buf_append_string(out, words(i));
	}
}

int option_words_reject(const char *what, option_words *words, option_words_otherwise *otherwise,
			const char *text, struct error *err)
{
	struct nearest nearest;
	struct buf list = {0}, more = {0};
	const char *other;

	nearest_init(&nearest, text, strlen(text));
	for (unsigned int i = 0; words(i); i++)
		nearest_offer(&nearest, words(i));
	option_words_append(words, &list);
	buf_append_char(&list, '\0');
	other = nearest.word || !otherwise ? NULL : otherwise(text);
	if (nearest.word)
		buf_printf(&more, " (did you mean '%s'?)", nearest.word);
	else if (other)
		buf_printf(&more, "; %s", other);
	buf_append_char(&more, '\0');
	error_set(err, -EINVAL, "%s: expected %s, not '%s'%s", what,
		  list.failed ? "another word" : list.data, text, more.failed ? "" : more.data);
	buf_finish(&list);
	buf_finish(&more);
	return -EINVAL;
}
