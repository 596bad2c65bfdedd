/* SPDX-License-Identifier: MIT */
/*
 * Kinds of secrets and what looks like them, of tests/reference/facts/secrets.tsv: as texts and as
 * arguments of programs. What is not hidden stands here with its reason.
 */
#include "sheet.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/redact/redact.h"
#include "unit.h"

enum { LINE_BYTES = 4096, COLUMNS = 9, SECRETS = 233, INNOCENTS = 98, RUN_LEAST = 6 };

/* An example. Its longest and its last run of one character stand for secrets. */
struct example {
	char text[LINE_BYTES];
	size_t len;
	size_t longest, longest_len, last, last_len;
};

/* What only its surroundings tell. */
static const struct {
	const char *kind, *reason;
} shown[] = {
	{"passwd-pipeline", "USER:X is data of one program, and anything elsewhere"},
	{"tty-input-without-echo", "nothing in the data says what the terminal was asked"},
};

static bool is_shown(const char *kind)
{
	for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]); i++)
		if (strcmp(shown[i].kind, kind) == 0)
			return true;
	return false;
}

static void note_run(struct example *example, char c, size_t count)
{
	if (count < RUN_LEAST || isdigit((unsigned char)c))
		return;
	example->last = example->len;
	example->last_len = count;
	if (count > example->longest_len) {
		example->longest = example->len;
		example->longest_len = count;
	}
}

/* Expands {c*N} and "\n". */
static void expand(const char *from, struct example *example)
{
	unsigned int count;
	char c;

	*example = (struct example){.len = 0};
	while (*from) {
		int taken = 0;

		if (sscanf(from, "{%c*%u}%n", &c, &count, &taken) == 2 && taken) {
			note_run(example, c, count);
			memset(example->text + example->len, c, count);
			example->len += count;
			from += taken;
		} else if (from[0] == '\\' && from[1] == 'n') {
			example->text[example->len++] = '\n';
			from += 2;
		} else {
			example->text[example->len++] = *from++;
		}
	}
}

/* Its words with a NUL for each, where they stand in the text: a shell takes the quotes away. */
static size_t make_arguments(const struct example *example, char *strings, size_t *places)
{
	char quote = 0;
	size_t n = 0;

	for (size_t i = 0; i < example->len; i++) {
		char c = example->text[i];

		if (quote ? c == quote : c == '"' || c == '\'') {
			quote = quote ? 0 : c;
			continue;
		}
		places[n] = i;
		strings[n++] = c == ' ' && !quote ? '\0' : c;
	}
	places[n] = example->len;
	strings[n++] = '\0';
	return n;
}

/* As the command line of an event is hidden: argument by argument, then as a text. */
static void hide_as_arguments(struct redact *redact, struct example *example)
{
	size_t places[LINE_BYTES], len, program;
	char strings[LINE_BYTES];

	len = make_arguments(example, strings, places);
	program = strlen(strings) + 1;
	redact_arguments(redact, strings, strings + program, len - program);
	for (size_t i = 0; i < len; i++)
		if (strings[i] == '\0')
			strings[i] = ' ';
	redact_text(redact, strings, len - 1);
	for (size_t i = 0; i + 1 < len; i++)
		example->text[places[i]] = strings[i];
}

static bool is_hidden(const struct example *example, size_t from, size_t len)
{
	for (size_t i = from; i < from + len; i++)
		if (example->text[i] != '*')
			return false;
	return true;
}

/* Returns whether it is as it should be. */
static bool check_row(struct redact *redact, char *const *columns, bool as_arguments)
{
	bool is_secret = strcmp(columns[0], "secret") == 0, right;
	struct example example, before;

	expand(columns[6], &example);
	before = example;
	if (as_arguments)
		hide_as_arguments(redact, &example);
	else
		redact_text(redact, example.text, example.len);
	if (is_secret)
		right = is_hidden(&example, example.last, example.last_len) &&
			is_hidden(&example, example.longest, example.longest_len);
	else
		right = memcmp(example.text, before.text, before.len) == 0;
	right = right != is_shown(columns[1]);
	if (!right)
		print_error("%s %s: %.*s\n", columns[0], columns[1], (int)example.len,
			    example.text);
	return right;
}

static bool next_row(FILE *file, char *line, char **columns)
{
	char *rest = line;

	do {
		if (!fgets(line, LINE_BYTES, file))
			return false;
	} while (strncmp(line, "secret\t", 7) != 0 && strncmp(line, "innocent\t", 9) != 0);
	for (int i = 0; i < COLUMNS; i++)
		columns[i] = strsep(&rest, "\t\n");
	return true;
}

static void test_sheet(void **state)
{
	FILE *file = sheet_file("facts/secrets.tsv");
	char line[LINE_BYTES], *columns[COLUMNS];
	unsigned int secrets = 0, innocents = 0, wrong = 0;
	struct redact *redact = NULL;

	assert_int_equal(redact_create(NULL, 0, &redact, NULL), 0);
	while (next_row(file, line, columns)) {
		bool is_secret = strcmp(columns[0], "secret") == 0;
		bool is_argument = strstr(columns[2], "argv");

		secrets += is_secret;
		innocents += !is_secret;
		if (!is_secret || is_argument)
			wrong += !check_row(redact, columns, true);
		if (!is_secret || !is_argument)
			wrong += !check_row(redact, columns, false);
	}
	fclose(file);
	redact_destroy(redact);
	assert_int_equal(secrets, SECRETS);
	assert_int_equal(innocents, INNOCENTS);
	assert_int_equal(wrong, 0);
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(test_sheet)};

UNIT_GROUP(tests);
