/* SPDX-License-Identifier: MIT */
/*
 * The verdicts of LANNER_SHARED/conformance/filters.tsv. A case is skipped only when a field that
 * it names is of the sheet of fields but not in the tables yet; those are counted and listed.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sinsp/filter.h"
#include "sinsp/filter_lex.h"

enum { FIELDS_MAX = 512 };

/* The fields of the sheet that the tables lack, and how many cases each one costs. */
struct missing {
	char names[FIELDS_MAX][64];
	unsigned int cases[FIELDS_MAX];
	size_t count;
};

static FILE *open_shared(const char *path)
{
	const char *shared = getenv("LANNER_SHARED");
	char name[4096];

	snprintf(name, sizeof(name), "%s/%s", shared ? shared : "../shared", path);
	return fopen(name, "re");
}

static bool field_exists(const char *name)
{
	for (size_t t = 0; field_tables[t]; t++)
		for (const struct field_desc *desc = field_tables[t]; desc->name; desc++)
			if (strcmp(desc->name, name) == 0)
				return true;
	return false;
}

static void read_missing(FILE *sheet, struct missing *missing)
{
	char line[512], name[64];

	while (fgets(line, sizeof(line), sheet)) {
		if (sscanf(line, "%*s %63s", name) != 1 || strcmp(name, "name") == 0)
			continue;
		if (!field_exists(name) && missing->count < FIELDS_MAX)
			strcpy(missing->names[missing->count++], name);
	}
}

/* Whether a field that is written in `text` is missing; a longer one that exists is not. */
static bool names_missing_field(const char *text, struct missing *missing)
{
	for (const char *at = text; *at;) {
		size_t n = filter_lex_field(at);
		char name[64];

		if (!n) {
			size_t word = filter_lex_identifier(at);

			at += word ? word : 1;
			continue;
		}
		snprintf(name, sizeof(name), "%.*s", (int)n, at);
		for (size_t i = 0; i < missing->count; i++) {
			if (strcmp(missing->names[i], name) == 0) {
				missing->cases[i]++;
				return true;
			}
		}
		at += n;
	}
	return false;
}

static bool accepted(const char *text, struct filter_error *err)
{
	struct filter *filter;

	if (filter_create(text, NULL, &filter, err))
		return false;
	filter_destroy(filter);
	return true;
}

/* A parameter that no event of the table has yet. */
static bool names_missing_param(const struct filter_error *err)
{
	return strstr(err->text, "no event has a parameter") ||
	       strstr(err->text, "no event is called");
}

static void test_verdicts(void **state)
{
	unsigned int run = 0, skipped = 0, wrong = 0;
	static struct missing missing;
	FILE *cases = open_shared("conformance/filters.tsv");
	FILE *sheet = open_shared("facts/fields.tsv");
	char *line = NULL;
	size_t capacity = 0;
	ssize_t len;

	if (!cases || !sheet) {
		print_message("conformance/filters.tsv not found under LANNER_SHARED\n");
		skip();
	}
	read_missing(sheet, &missing);
	while ((len = getline(&line, &capacity, cases)) > 0) {
		struct filter_error err = {0};
		bool expected = strncmp(line, "OK\t", 3) == 0;
		char *text = strchr(line, '\t') + 1;
		bool verdict;

		if (line[len - 1] == '\n')
			line[len - 1] = '\0';
		verdict = accepted(text, &err);
		/* What a missing field would make of an accepted case is not known. */
		if (names_missing_field(text, &missing) ||
		    (expected && names_missing_param(&err))) {
			skipped++;
			continue;
		}
		run++;
		if (verdict == expected)
			continue;
		wrong++;
		print_error("expected %s: %s\n", expected ? "OK" : "ERR", text);
		if (!verdict)
			print_error("  column %u: %s\n", err.column, err.text);
	}
	print_message("%u cases, %u skipped, %u wrong\n", run, skipped, wrong);
	for (size_t i = 0; i < missing.count; i++)
		if (missing.cases[i])
			print_message("skipped %u: %s is not in the tables\n", missing.cases[i],
				      missing.names[i]);
	assert_true(run > 100);
	assert_int_equal(wrong, 0);
	free(line);
	fclose(cases);
	fclose(sheet);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_verdicts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
