/* SPDX-License-Identifier: MIT */
/* Damerau-Levenshtein distance, for words of up to WORD_MAX letters. */
#include "util/nearest.h"

#include <stdbool.h>
#include <string.h>

enum { WORD_MAX = 64 };

static unsigned int min3(unsigned int a, unsigned int b, unsigned int c)
{
	unsigned int least = a < b ? a : b;

	return least < c ? least : c;
}

static char nearest_lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool same(char a, char b)
{
	return nearest_lower(a) == nearest_lower(b);
}

/* The number of insertions, deletions, replacements and swaps of neighbours. */
static unsigned int distance(const char *a, size_t a_len, const char *b, size_t b_len)
{
	unsigned int rows[3][WORD_MAX + 1]; /* of i, i - 1 and i - 2 letters of `a`, in turns */

	for (size_t j = 0; j <= b_len; j++)
		rows[0][j] = (unsigned int)j;
	for (size_t i = 1; i <= a_len; i++) {
		unsigned int *row = rows[i % 3];
		const unsigned int *before = rows[(i + 2) % 3], *swapped = rows[(i + 1) % 3];

		row[0] = (unsigned int)i;
		for (size_t j = 1; j <= b_len; j++) {
			row[j] = min3(before[j] + 1, row[j - 1] + 1,
				      before[j - 1] + !same(a[i - 1], b[j - 1]));
			if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]))
				row[j] = min3(row[j], row[j], swapped[j - 2] + 1);
		}
	}
	return rows[a_len % 3][b_len];
}

void nearest_init(struct nearest *nearest, const char *text, size_t len)
{
	nearest->text = text;
	nearest->len = len;
	nearest->word = NULL;
	nearest->distance = (unsigned int)(len < 3 ? 1 : len / 3) + 1;
}

void nearest_offer(struct nearest *nearest, const char *word)
{
	size_t len = strlen(word);
	unsigned int d;

	if (nearest->len > WORD_MAX || len > WORD_MAX)
		return;
	d = distance(nearest->text, nearest->len, word, len);
	if (d < nearest->distance) {
		nearest->distance = d;
		nearest->word = word;
	}
}
