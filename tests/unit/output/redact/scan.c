/* SPDX-License-Identifier: MIT */
/* Pairs of bytes at every place of texts of every length. */
#include "output/redact/scan.h"
#include "unit.h"

#include <stdlib.h>
#include <string.h>

enum { LEN_MAX = 70 };

static void test_every_place(void **state)
{
	struct scan scan = {0};

	scan_add(&scan, "ab");
	scan_add(&scan, "k_");
	scan_add(&scan, "AB");
	assert_int_equal(scan.count, 2);
	for (size_t len = 0; len <= LEN_MAX; len++)
		for (size_t at = 0; at + 2 <= len; at++) {
			/* Of its exact size, so that a sanitizer sees a byte too many. */
			char *text = malloc(len);

			memset(text, 'a', len);
			memcpy(text + at, at % 2 ? "aB" : "K_", 2);
			for (size_t from = 0; from <= at + 1; from++) {
				size_t place = from <= at ? at : len;

				assert_int_equal(scan_find(&scan, text, len, from), place);
				assert_int_equal(scan_find_plain(&scan, text, len, from), place);
			}
			free(text);
		}
}

/* As many pairs as there can be: groups hold several of them. */
static void test_every_pair(void **state)
{
	struct scan scan = {0};
	char text[LEN_MAX];

	for (uint8_t i = 0; i < SCAN_PAIRS_MAX; i++)
		scan_add(&scan, (const char[]){(char)('`' + i), (char)(i % 5 + ':')});
	assert_int_equal(scan.count, SCAN_PAIRS_MAX);
	for (unsigned int first = 0; first < 256; first++)
		for (unsigned int second = 0; second < 256; second++) {
			size_t place = (first * 7 + second) % (LEN_MAX - 1);

			memset(text, ' ', LEN_MAX);
			text[place] = (char)first;
			text[place + 1] = (char)second;
			assert_int_equal(scan_find(&scan, text, LEN_MAX, 0),
					 scan_find_plain(&scan, text, LEN_MAX, 0));
		}
}

static void test_nothing(void **state)
{
	struct scan scan = {0};

	assert_int_equal(scan_find(&scan, "abc", 3, 0), 3);
	scan_add(&scan, "ab");
	assert_int_equal(scan_find(&scan, "", 0, 0), 0);
	assert_int_equal(scan_find(&scan, "a", 1, 0), 1);
	assert_int_equal(scan_find(&scan, "ba", 2, 0), 2);
}

/* On processors without the look-up a text may have all. */
static void expect_kinds(const struct scan *scan, const char *text, size_t len, unsigned int kinds)
{
	char *exact = malloc(len);
	unsigned int found;

	memcpy(exact, text, len);
	found = scan_kinds(scan, exact, len);
	free(exact);
	if (found != (SCAN_WORDS | SCAN_MARKS | SCAN_RUNS))
		assert_int_equal(found, kinds);
}

static void test_kinds_at_every_place(void **state)
{
	struct scan scan = {0};
	char text[LEN_MAX];

	scan_add(&scan, "ab");
	for (size_t len = 1; len <= LEN_MAX; len++)
		for (size_t at = 0; at < len; at++) {
			memset(text, '/', len);
			text[at] = at % 2 ? '@' : '?';
			expect_kinds(&scan, text, len, SCAN_MARKS);
			text[at] = 'a';
			expect_kinds(&scan, text, len, 0);
			if (at + 2 > len)
				continue;
			text[at + 1] = 'b';
			expect_kinds(&scan, text, len, SCAN_WORDS);
			if (at + SCAN_RUN_LEAST > len)
				continue;
			memset(text + at, 'x', SCAN_RUN_LEAST);
			expect_kinds(&scan, text, len, SCAN_RUNS);
			text[at + SCAN_RUN_LEAST / 2] = '/';
			expect_kinds(&scan, text, len, 0);
		}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_every_place),
	cmocka_unit_test(test_every_pair),
	cmocka_unit_test(test_nothing),
	cmocka_unit_test(test_kinds_at_every_place),
};

UNIT_GROUP(tests);
