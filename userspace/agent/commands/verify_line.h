/* SPDX-License-Identifier: MIT */
/* Reads a record from a line of JSON, in any schema. */
#ifndef AGENT_COMMANDS_VERIFY_LINE_H
#define AGENT_COMMANDS_VERIFY_LINE_H

#include <stddef.h>

#include "agent/commands/verify_life.h"
#include "util/error.h"

struct line_reader;

/* Returns 0 or -ENOMEM. */
int line_reader_create(struct line_reader **reader);
void line_reader_destroy(struct line_reader *reader); /* accepts NULL */

/*
 * Reads a line without its newline. The record is valid until the next call. Returns 0, -EBADMSG
 * with a message that says what is wrong, or -ENOMEM.
 */
int line_reader_read(struct line_reader *reader, const char *line, size_t len,
		     struct verify_record *record, struct error *err);

#endif
