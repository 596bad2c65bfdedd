/* SPDX-License-Identifier: MIT */
/* The sheets of tests/reference: lines with columns between TABs. */
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

/* Opens a file of tests/reference; the test fails when it cannot. The caller closes it. */
FILE *sheet_file(const char *name);

/* Opens a sheet of tests/reference after its first line; the test fails when it cannot. */
void sheet_open(struct sheet *sheet, const char *name);

/* The next line; closes the sheet at its end. Columns that a line does not have are "". */
bool sheet_next(struct sheet *sheet);

/* The number that a column is, and nothing besides; the test fails otherwise. */
unsigned int sheet_number(const char *text, int base);

/* The name that sheets have for a type. */
const char *sheet_type_name(enum param_type type);

#endif
