/* SPDX-License-Identifier: MIT */
/* A text joined from values of YAML files, which keeps the origin of each byte. */
#ifndef RULES_TEXT_H
#define RULES_TEXT_H

#include "yaml/report.h"
#include "yaml/tree.h"

struct rules_piece {
	struct rules_piece *next;
	size_t at; /* where it begins in the text */
	const struct yaml_node *node;
};

struct rules_text {
	const char *data; /* followed by a NUL; NULL until it is joined */
	size_t len;
	struct rules_piece *first, **end;
};

/* Appends a value, after a space unless it is the first. Returns 0 or -ENOMEM. */
int rules_text_add(struct rules_text *text, struct arena *arena, const struct yaml_node *node);

/* Joins the values to one text. Returns 0 or -ENOMEM. */
int rules_text_join(struct rules_text *text, struct arena *arena);

/* The file and offset from which a byte of the text originates. */
const struct yaml_file *rules_text_place(const struct rules_text *text, size_t at, size_t *offset);

/* Adds a message about a position of the text, which must have a piece, to the report. */
__attribute__((format(printf, 5, 6))) void
rules_text_report(struct yaml_report *report, enum yaml_severity severity,
		  const struct rules_text *text, size_t position, const char *format, ...);

#endif
