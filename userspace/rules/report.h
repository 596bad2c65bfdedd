/* SPDX-License-Identifier: MIT */
/*
 * Messages about rules files: errors, warnings and notes, each with its position, the source line
 * and a caret.
 */
#ifndef RULES_REPORT_H
#define RULES_REPORT_H

#include <stdbool.h>

#include "rules/file.h"
#include "util/buf.h"

enum rules_severity {
	RULES_ERROR, /* the rules cannot be used */
	RULES_WARNING, /* the rules can be used, but probably not as intended */
	RULES_NOTE, /* information */
	RULES_SEVERITIES_COUNT,
};

/* Further messages of a severity are only counted; after RULES_ERRORS_MAX errors reading stops. */
enum { RULES_MESSAGES_MAX = 100, RULES_ERRORS_MAX = 1000 };

struct rules_message {
	enum rules_severity severity;
	unsigned int file; /* the number of the file */
	unsigned int line, column; /* from 1; 0: the file as a whole */
	char *text; /* owned: "path:line:column: error: ...", line and caret, each with a newline */
};

/* A zeroed struct is an empty report. */
struct rules_report {
	struct rules_message *messages; /* owned */
	size_t count;
	size_t counts[RULES_SEVERITIES_COUNT]; /* of all messages, including those not kept */
	bool failed; /* out of memory for a message */
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

/* Adds a message about a file as a whole, even one that was not read. */
void rules_report_add_file(struct rules_report *report, enum rules_severity severity,
			   unsigned int number, const char *path, const char *text);

/*
 * Appends the messages down to a severity in the order of the files, and the number of errors if
 * not all were kept.
 */
void rules_report_render(struct rules_report *report, enum rules_severity least, struct buf *out);

#endif
