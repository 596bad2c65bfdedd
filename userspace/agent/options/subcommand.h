/* SPDX-License-Identifier: MIT */
/*
 * What a subcommand is: the word "fields" of `agent fields proc`. Their table is
 * agent/commands/subcommands.c.
 */
#ifndef AGENT_OPTIONS_SUBCOMMAND_H
#define AGENT_OPTIONS_SUBCOMMAND_H

#include <stdbool.h>

#include "agent/options/words.h"
#include "util/error.h"

struct options;

/* How many words can follow it. */
enum subcommand_operands {
	OPERAND_NONE,
	OPERAND_OPTIONAL, /* at most one */
	OPERAND_REQUIRED, /* one */
	RULES_REQUIRED, /* one or more files of rules */
};

struct subcommand {
	const char *name; /* NULL: after the last row */
	const char *operand; /* what help and messages call the word that follows, or NULL: none */
	enum subcommand_operands operands;
	const char *operand_default; /* or NULL */
	word_list *words; /* what the operand can be; NULL: any text */
	enum offer offer; /* then */
	const char *help;
	unsigned int takes; /* which options: bits of enum option_about */
	bool at_once; /* as an option: what follows on the command line does not matter */
	int (*run)(const struct options *options); /* returns the exit code of the agent */
};

/* Or NULL. */
const struct subcommand *subcommand_find(const struct subcommand *subcommands, const char *name);

/*
 * Whether a word where a filter could begin is rather a mistyped subcommand: no filter begins with
 * a name without a dot unless an operator follows it. Returns 0, or -EINVAL with a message.
 */
int subcommand_check_mistyped(const struct subcommand *subcommands, char **words, struct error *err);

#endif
