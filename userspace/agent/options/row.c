/* SPDX-License-Identifier: MIT */
/* The groups of options. */
#include "agent/options/row.h"

#include <string.h>

const struct option_group option_groups[] = {
	{"What to capture", option_rows_capture},
	{"Pods of Kubernetes", option_rows_kubernetes},
	{"Capture files", option_rows_file},
	{"What to print", option_rows_print},
	{"Other", option_rows_other},
	{0},
};

const struct option_row *option_row(unsigned int place)
{
	for (const struct option_group *group = option_groups; group->title; group++)
		for (const struct option_row *row = group->rows; row->name; row++)
			if (place-- == 0)
				return row;
	return NULL;
}

const struct option_row *option_find(const char *name, unsigned int *place)
{
	const struct option_row *row;

	for (unsigned int i = 0; (row = option_row(i)); i++) {
		if (strcmp(row->name, name) == 0) {
			*place = i;
			return row;
		}
	}
	return NULL;
}

size_t option_help_clause(const char *help)
{
	size_t len = strcspn(help, ";.");

	while (help[len] && help[len + 1] != ' ')
		len += 1 + strcspn(help + len + 1, ";.");
	return len;
}
