/* SPDX-License-Identifier: MIT */
/* Splits a text into the words of a command line. */
#include "typed.h"

#include <stdio.h>
#include <string.h>

enum { TEXT_BYTES = 256, WORDS_MAX = 24 };

int typed_read(const struct own_options *own, const char *words, void *options, struct error *err)
{
	static char text[TEXT_BYTES];
	static char *argv[WORDS_MAX];
	char *rest = text;
	int argc = 0;

	snprintf(text, sizeof(text), "%s %s", own->command, words);
	while (argc < WORDS_MAX - 1 && (argv[argc] = strsep(&rest, " ")))
		argc += argv[argc][0] != '\0';
	argv[argc] = NULL;
	return own_options_read(own, argc, argv, options, err);
}
