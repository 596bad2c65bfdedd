/* SPDX-License-Identifier: MIT */
/* The sheets of LANNER_SHARED/facts for tests: lines with columns between TABs. */
#ifndef TESTS_SHEET_H
#define TESTS_SHEET_H

#include <stdbool.h>
#include <stdio.h>

#include "event/event.h"

enum { SHEET_COLUMNS_MAX = 8, SHEET_LINE_BYTES = 1024 };

struct sheet {
	FILE *file;
	char line[SHEET_LINE_BYTES];
	char *columns[SHEET_COLUMNS_MAX];
};

/* Opens a sheet behind its first line. The test is skipped when it is not there. */
void sheet_open(struct sheet *sheet, const char *name);

/* The next line; closes the sheet at its end. Columns that a line does not have are "". */
bool sheet_next(struct sheet *sheet);

/* The number that a column is, and nothing besides; the test fails otherwise. */
unsigned int sheet_number(const char *text, int base);

/* The name that sheets have for a type. */
const char *sheet_type_name(enum param_type type);

#endif
