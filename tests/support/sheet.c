/* SPDX-License-Identifier: MIT */
/* The sheets of tests/reference, line by line. */
#include "sheet.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

FILE *sheet_file(const char *name)
{
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", REFERENCE, name);
	file = fopen(path, "re");
	if (!file)
		fail_msg("cannot open %s: %s", path, strerror(errno));
	return file;
}

void sheet_open(struct sheet *sheet, const char *name)
{
	sheet->file = sheet_file(name);
	assert_non_null(fgets(sheet->line, sizeof(sheet->line), sheet->file));
}

bool sheet_next(struct sheet *sheet)
{
	char *rest = sheet->line;

	if (!fgets(sheet->line, sizeof(sheet->line), sheet->file)) {
		fclose(sheet->file);
		return false;
	}
	rest[strcspn(rest, "\n")] = '\0';
	for (int i = 0; i < SHEET_COLUMNS_MAX; i++) {
		sheet->columns[i] = rest;
		rest += strcspn(rest, "\t");
		if (*rest)
			*rest++ = '\0';
	}
	return true;
}

unsigned int sheet_number(const char *text, int base)
{
	char *end;
	unsigned long value = strtoul(text, &end, base);

	assert_true(end > text && *end == '\0');
	return (unsigned int)value;
}

const char *sheet_type_name(enum param_type type)
{
	static const char *const names[PT_TYPES_COUNT] = {
#define TYPE(name) [PT_##name] = #name
		TYPE(INT8),	  TYPE(INT16),	     TYPE(INT32),	 TYPE(INT64),
		TYPE(UINT8),	  TYPE(UINT16),	     TYPE(UINT32),	 TYPE(UINT64),
		TYPE(FLAGS8),	  TYPE(FLAGS16),     TYPE(FLAGS32),	 TYPE(FLAGS64),
		TYPE(ENUMFLAGS8), TYPE(ENUMFLAGS16), TYPE(ENUMFLAGS32),	 TYPE(MODE),
		TYPE(FD),	  TYPE(PID),	     TYPE(ERRNO),	 TYPE(UID),
		TYPE(GID),	  TYPE(SYSCALLID),   TYPE(SIGTYPE),	 TYPE(SIGSET),
		TYPE(RELTIME),	  TYPE(ABSTIME),     TYPE(PORT),	 TYPE(L4PROTO),
		TYPE(BOOL),	  TYPE(DOUBLE),	     TYPE(CHARBUF),	 TYPE(FSPATH),
		TYPE(FSRELPATH),  TYPE(BYTEBUF),     TYPE(SOCKADDR),	 TYPE(SOCKTUPLE),
		TYPE(FDLIST),	  TYPE(DYN),	     TYPE(CHARBUFARRAY), TYPE(UINT32LIST),
		TYPE(UINT64LIST), TYPE(BITSET),	     TYPE(FD32),	 TYPE(PID32),
		TYPE(IPADDR),
#undef TYPE
	};

	return names[type];
}
