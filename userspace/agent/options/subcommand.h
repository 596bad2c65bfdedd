/* SPDX-License-Identifier: MIT */
/*
 * A subcommand is the word "fields" of `agent fields proc`. Their table is in
 * agent/commands/subcommands.c.
 */
#ifndef AGENT_OPTIONS_SUBCOMMAND_H
#define AGENT_OPTIONS_SUBCOMMAND_H

#include <stdbool.h>

#include "agent/options/words.h"
#include "util/error.h"

struct options;

/* The number of words after it. */
enum subcommand_operands {
	OPERAND_NONE,
	OPERAND_OPTIONAL, /* at most one */
	OPERAND_REQUIRED, /* one */
	RULES_REQUIRED, /* one or more files of rules */
	ACTION_REQUIRED, /* one of `words`, then one of any text */
	FILES_OPTIONAL, /* any number */
};

struct subcommand {
	const char *name; /* NULL: after the last row */
	const char *operand; /* name of the following word in help and messages; NULL: none */
	enum subcommand_operands operands;
	const char *operand_default; /* or NULL */
	word_list *words; /* valid operands, or actions; NULL: any text */
	enum offer offer; /* completion of operands if `words` does not have them */
	const char *help;
	/*
	 * It takes the words after it as a filter, "-- COMMAND", and all options of captures;
	 * `operand`, `operands`, `words` and `takes` stay empty.
	 */
	bool captures;
	unsigned int takes; /* which options: bits of enum option_about */
	bool at_once; /* as an option: the rest of the command line is ignored */
	int (*run)(const struct options *options); /* returns the exit code of the agent */
};

/* What completes the words after it, if `words` does not. */
static inline enum offer subcommand_offer(const struct subcommand *command)
{
	return command->captures ? OFFER_FIELDS : command->offer;
}

/* The subcommand of that name, or NULL. */
const struct subcommand *subcommand_find(const struct subcommand *subcommands, const char *name);

/*
 * Rejects a mistyped subcommand at the start of a filter: a name without a dot and without an
 * operator after it. Returns 0, or -EINVAL with a message.
 */
int subcommand_check_mistyped(const struct subcommand *subcommands, char **words,
			      struct error *err);

#endif
