/* SPDX-License-Identifier: MIT */
/* Shared by the scripts of several shells. */
#include "agent/commands/completion_script.h"

#include <stdio.h>
#include <string.h>

#include "agent/options/row.h"

void completion_print_words(word_list *words)
{
	for (unsigned int i = 0; words(i); i++)
		printf("%s%s", i ? " " : "", words(i));
}

void completion_print_help(const char *help, const char *escaped)
{
	const char *end = help + option_help_clause(help);

	for (; help < end; help++) {
		if (*help == '\'') {
			fputs("'\\''", stdout);
			continue;
		}
		if (strchr(escaped, *help))
			putchar('\\');
		putchar(*help);
	}
}
