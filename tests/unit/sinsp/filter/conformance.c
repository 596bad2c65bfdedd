/* SPDX-License-Identifier: MIT */
/* The verdicts of tests/reference/conformance/filters.tsv, all of them. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sheet.h"
#include "sinsp/filter/filter.h"
#include "unit.h"

static bool accepted(const char *text, struct filter_error *err)
{
	struct filter *filter;

	if (filter_create(text, NULL, &filter, err))
		return false;
	filter_destroy(filter);
	return true;
}

static void test_verdicts(void **state)
{
	unsigned int run = 0, wrong = 0;
	FILE *cases = sheet_file("conformance/filters.tsv");
	char *line = NULL;
	size_t capacity = 0;
	ssize_t len;

	while ((len = getline(&line, &capacity, cases)) > 0) {
		struct filter_error err = {0};
		bool expected = strncmp(line, "OK\t", 3) == 0;
		char *text = strchr(line, '\t') + 1;
		bool verdict;

		if (line[len - 1] == '\n')
			line[len - 1] = '\0';
		verdict = accepted(text, &err);
		run++;
		if (verdict == expected)
			continue;
		wrong++;
		print_error("expected %s: %s\n", expected ? "OK" : "ERR", text);
		if (!verdict)
			print_error("  column %u: %s\n", err.column, err.text);
	}
	print_message("%u cases, %u wrong\n", run, wrong);
	assert_true(run >= 1700);
	assert_int_equal(wrong, 0);
	free(line);
	fclose(cases);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_verdicts),
};

UNIT_GROUP(tests);
