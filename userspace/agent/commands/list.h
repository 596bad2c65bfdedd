/* SPDX-License-Identifier: MIT */
/*
 * Shared by `agent fields` and `agent events`: rows selected by a pattern, output formats, and the
 * error if nothing was found.
 */
#ifndef AGENT_COMMANDS_LIST_H
#define AGENT_COMMANDS_LIST_H

#include <stdbool.h>

#include "agent/options/options.h"
#include "util/buf.h"
#include "util/nearest.h"
#include "util/table.h"

struct list {
	const char *pattern; /* NULL: everything */
	bool verbose;
	const struct format_lists *format;
	struct table table; /* the rows, unless the format has objects; */
	struct buf json; /* then one in each line */
	size_t found;
	struct nearest nearest; /* compared with all names that the pattern does not select */
};

/* A bit of a set: how objects name it, and what a table says of it (NULL: nothing). */
struct list_flag {
	unsigned int flag;
	const char *name, *note;
};

void list_init(struct list *list, const struct options *options, const char *const *titles,
	       unsigned int fold);

/*
 * Whether the pattern selects this text: it is a part of the text or, with '*' or '?', matches all
 * of it. Ignores case.
 */
bool list_matches(const struct list *list, const char *text);

/* Appends a cell to the table; table_end_cell() ends one whose parts were appended. */
void list_add_cell(struct list *list, const char *text);

/* Append to a JSON object, with a comma if needed. text: NULL for the value null. */
void list_add_key(struct list *list, const char *key);
void list_add_string(struct list *list, const char *key, const char *text);
void list_add_number(struct list *list, const char *key, uint64_t value);
void list_add_bool(struct list *list, const char *key, bool value);

/* Append an element of a JSON array: a string, or the bracket of an object. */
void list_add_element(struct list *list, const char *text);
void list_add_object(struct list *list);

/* Appends to a JSON object an array of the names of those of `rows` that `set` contains. */
void list_add_flags(struct list *list, const char *key, unsigned int set,
		    const struct list_flag *rows, size_t count);

/*
 * Prints the list and releases it. `what` is the plural of the rows, for messages. Returns the exit
 * code of the agent: a failure if nothing was found.
 */
int list_print(struct list *list, const char *what);

/* Releases a list that is not printed. */
void list_finish(struct list *list);

#endif
