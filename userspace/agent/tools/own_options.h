/* SPDX-License-Identifier: MIT */
/*
 * Options of commands that read all behind their names by themselves, as they are named like those
 * of another program: a table of rows for each command.
 */
#ifndef AGENT_COMMANDS_OWN_OPTIONS_H
#define AGENT_COMMANDS_OWN_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
	size_t help; /* offset of a bool in the options: whether the help is asked for */
	/* Words are no command to start: options may stand between and behind them, too. */
	bool options_anywhere;
	void (*reset)(void *options); /* to the defaults, whatever the memory has */
	/* Checks them, and takes the words that are no options. Returns 0, or -errno with a
	 * message.
	 */
	int (*complete)(void *options, int count, char **words, struct error *err);
	void (*finish)(void *options); /* NULL: they own nothing */
};

/*
 * Reads the words behind the command, which argv[0] is, and completes the options unless the help
 * is asked for. They may point to the words, whose order changes. Returns 0; or -errno with a
 * message, and nothing to finish.
 */
int own_options_read(const struct own_options *own, int argc, char **argv, void *options,
		     struct error *err);

/*
 * Reads the options of a command that is to run. Returns whether it shall, with options that the
 * caller finishes; or false with the exit code: its help was printed, or why it cannot run.
 */
bool own_options_begin(const struct own_options *own, const struct options *agent, void *options,
		       int *code);

#endif
