/* SPDX-License-Identifier: MIT */
/*
 * Options as they were given, before they take effect: by the command line and by files. A setting
 * keeps its origin for messages.
 */
#ifndef AGENT_OPTIONS_SETTINGS_H
#define AGENT_OPTIONS_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>

#include "agent/options/row.h"
#include "util/arena.h"
#include "yaml/tree.h"

/* How an option was named: messages use the same name. */
enum option_given { GIVEN_LETTER, GIVEN_NAME, GIVEN_KEY };

struct setting {
	unsigned int place; /* index of the row */
	enum option_given given;
	bool off; /* a flag that is false: it only takes back what an earlier file said */
	bool secret; /* the file has a password */
	const char *value; /* NULL: none */
	/* GIVEN_KEY: where it is, in a file of `settings` */
	const struct yaml_node *key, *node;
};

/* A zeroed struct is empty. */
struct settings {
	struct setting *list; /* owned, in the order in which they were given */
	size_t count;
	struct arena memory; /* of values and nodes */
	struct yaml_file **files; /* owned: those that were read */
	size_t files_count;
};

void settings_finish(struct settings *settings);

/* Adds a setting with a copy of its value. Returns 0 or -ENOMEM. */
int settings_add(struct settings *settings, const struct setting *setting);

/* Removes one of the settings; those behind it move. */
void settings_remove(struct settings *settings, const struct setting *setting);

/* Adds an empty file, which keeps its address. Returns NULL if out of memory. */
struct yaml_file *settings_add_file(struct settings *settings);

/* The last setting of an option, or NULL. */
const struct setting *settings_find(const struct settings *settings, unsigned int place);

/* The setting of an option with index `n` among those of the option, or NULL. */
const struct setting *settings_get(const struct settings *settings, unsigned int place, size_t n);

/* Whether an option has the same values in both. */
bool settings_are_same(const struct settings *a, const struct settings *b, unsigned int place);

#endif
