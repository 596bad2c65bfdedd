/* SPDX-License-Identifier: MIT */
/*
 * What there is to say about rules files: errors, warnings and notes, each with its place, the line
 * there, and a caret.
 */
#ifndef RULES_REPORT_H
#define RULES_REPORT_H

#include <stdbool.h>

#include "rules/file.h"
#include "util/buf.h"

enum rules_severity {
	RULES_ERROR, /* the rules cannot be used */
	RULES_WARNING, /* they can, but perhaps not as they were meant */
	RULES_NOTE, /* good to know */
	RULES_SEVERITIES_COUNT,
};

/* More of a severity are counted and not kept; after so many errors nothing is read on. */
enum { RULES_MESSAGES_MAX = 100, RULES_ERRORS_MAX = 1000 };

struct rules_message {
	enum rules_severity severity;
	unsigned int file; /* its number */
	unsigned int line, column; /* from 1; 0: the file as a whole */
	char *text; /* owned: "path:line:column: error: ...", line and caret, each with newline */
};

/* A zeroed struct is an empty report. */
struct rules_report {
	struct rules_message *messages; /* owned */
	size_t count;
	size_t counts[RULES_SEVERITIES_COUNT]; /* of all, also of those that are not kept */
	bool failed; /* without memory for a message */
};

void rules_report_finish(struct rules_report *report);

static inline bool rules_report_is_full(const struct rules_report *report)
{
	return report->counts[RULES_ERROR] >= RULES_ERRORS_MAX;
}

/* Adds a message about an offset of a file. */
__attribute__((format(printf, 5, 6))) void rules_report_add(struct rules_report *report,
							     enum rules_severity severity,
							     const struct rules_file *file,
							     size_t offset, const char *format,
							     ...);

/* Adds a message about a file as a whole, which may not have been read. */
void rules_report_add_file(struct rules_report *report, enum rules_severity severity,
			   unsigned int number, const char *path, const char *text);

/*
 * Appends the messages down to a severity in the order of the files, and how many errors there are
 * if they are not all here.
 */
void rules_report_render(struct rules_report *report, enum rules_severity least, struct buf *out);

#endif
