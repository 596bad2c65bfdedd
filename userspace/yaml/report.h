/* SPDX-License-Identifier: MIT */
/*
 * Messages about files of YAML: errors, warnings and notes, each with its position, the source line
 * and a caret.
 */
#ifndef YAML_REPORT_H
#define YAML_REPORT_H

#include <stdbool.h>

#include "yaml/file.h"
#include "util/buf.h"

enum yaml_severity {
	YAML_ERROR, /* the file cannot be used */
	YAML_WARNING, /* it can be used, but probably not as intended */
	YAML_NOTE, /* information */
	YAML_SEVERITIES_COUNT,
};

/* Further messages of a severity are only counted; after YAML_ERRORS_MAX errors reading stops. */
enum { YAML_MESSAGES_MAX = 100, YAML_ERRORS_MAX = 1000 };

struct yaml_message {
	enum yaml_severity severity;
	unsigned int file; /* the number of the file */
	unsigned int line, column; /* from 1; 0: the file as a whole */
	/* Owned: "path:line:column: error: what", line and caret, each with a newline. */
	char *text;
	size_t path_len, what_at, what_len; /* the parts of it */
};

/* A zeroed struct is an empty report. */
struct yaml_report {
	struct yaml_message *messages; /* owned */
	size_t count;
	size_t counts[YAML_SEVERITIES_COUNT]; /* of all messages, including those not kept */
	bool failed; /* out of memory for a message */
};

void yaml_report_finish(struct yaml_report *report);

static inline bool yaml_report_is_full(const struct yaml_report *report)
{
	return report->counts[YAML_ERROR] >= YAML_ERRORS_MAX;
}

/* Adds a message about an offset of a file. */
__attribute__((format(printf, 5, 6))) void yaml_report_add(struct yaml_report *report,
							   enum yaml_severity severity,
							   const struct yaml_file *file,
							   size_t offset, const char *format, ...);

/* Adds a message about a file as a whole, even one that was not read. */
void yaml_report_add_file(struct yaml_report *report, enum yaml_severity severity,
			  unsigned int number, const char *path, const char *text);

const char *yaml_severity_name(enum yaml_severity severity);

/*
 * Appends the messages down to a severity in the order of the files, and the number of errors if
 * not all were kept.
 */
void yaml_report_render(struct yaml_report *report, enum yaml_severity least, struct buf *out);

#endif
