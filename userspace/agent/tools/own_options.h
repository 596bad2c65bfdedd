/* SPDX-License-Identifier: MIT */
/*
 * Options of commands that read all behind their names by themselves, as they are named like those
 * of another program: a table of rows for each command.
 */
#ifndef AGENT_COMMANDS_OWN_OPTIONS_H
#define AGENT_COMMANDS_OWN_OPTIONS_H

#include <stddef.h>

#include "agent/options/options.h"
#include "util/error.h"

enum own_value {
	OWN_TEXT, /* sets a const char * */
	OWN_FLAG, /* a bool */
	OWN_COUNT, /* a uint64_t, from 1 to UINT32_MAX */
	OWN_SET, /* calls `set` */
};

enum { OWN_ROWS_MAX = 32 };

struct own_row {
	char letter; /* '\0': none */
	/* name: NULL if it has a letter alone. argument: NULL if there is none; "[=N]": it may be
	 * left out. */
	const char *name, *argument;
	const char *help;
	enum own_value value;
	size_t offset; /* of what it sets, in the options of the command */
	/* `value` is NULL if there is none. Returns 0, or -errno with a message. */
	int (*set)(void *options, const char *value, struct error *err);
};

struct own_options {
	const char *command; /* in messages */
	const char *usage; /* the first lines of the help */
	const struct own_row *rows;
	size_t count; /* at most OWN_ROWS_MAX */
};

/*
 * Whether the command is the first word, as it has to be. Returns 0, or -EINVAL with a message.
 */
int own_options_check_place(const char *command, const struct options *options, struct error *err);

/*
 * Reads the words behind the command, which argv[0] is, up to the first one that is no option,
 * whose index is set in `operands`. Returns 0, or -errno with a message.
 */
int own_options_read(const struct own_options *own, int argc, char **argv, void *options,
		     int *operands, struct error *err);

/* Prints what the options are. */
void own_options_print_help(const struct own_options *own);

#endif
