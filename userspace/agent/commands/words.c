/* SPDX-License-Identifier: MIT */
#include "agent/commands/words.h"

#include <stdio.h>
#include <string.h>

enum { LINE_COLUMNS = 78 };

void words_print(const char *word, int *column)
{
	int len = (int)strlen(word) + 1;

	if (*column + len > LINE_COLUMNS) {
		putchar('\n');
		*column = 0;
	}
	printf(" %s", word);
	*column += len;
}
