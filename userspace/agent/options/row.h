/* SPDX-License-Identifier: MIT */
/*
 * The table of options, in groups. A row says all about an option; the parser, the help, the
 * completion of shells and the check of the manual are made of it.
 */
#ifndef AGENT_OPTIONS_ROW_H
#define AGENT_OPTIONS_ROW_H

#include <stdbool.h>
#include <stddef.h>

#include "agent/options/words.h"

struct options;

/* What an option is about; where that is not, it is rejected. Bits. */
enum option_about {
	LIVE = 1 << 0, /* events from the kernel */
	INPUT = 1 << 1, /* a file that is read */
	OUTPUT = 1 << 2, /* a file that is written */
	SPLITS = 1 << 3, /* starts another file */
	SPLIT = 1 << 4, /* several files */
	RULES = 1 << 5,
	PROCESSES = 1 << 6, /* chosen processes */
	PRINTS = 1 << 7, /* asks for events to be printed */
	PACKS = 1 << 8, /* how the file that is written is compressed: once */
	/* Subcommands that take it, too. */
	OF_LISTS = 1 << 9,
	OF_CHECKS = 1 << 10,
	OF_RULE_CHECKS = 1 << 11,
};

struct option_row {
	char letter; /* '\0': none */
	const char *name; /* the long one, without dashes; NULL: none. It has one of both */
	const char *argument; /* what help calls its value; NULL: takes none */
	const char *help; /* its first clause alone in the short help and in completion */
	/* NULL: nothing to store. `value` is NULL without one. Returns 0, -EINVAL or -ENOMEM. */
	int (*set)(struct options *options, const char *value);
	word_list *words; /* all that the value can be; or NULL, */
	const char *accepts; /* and what it can be: "a port". NULL: `set` rejects no value */
	const char *subcommand; /* that the option stands for, or NULL */
	unsigned int about; /* bits of enum option_about */
	enum offer offer;
	bool optional; /* the value, which then is part of the word: --help=all */
	bool usual; /* shown in the short help */
};

struct option_group {
	const char *title;
	const struct option_row *rows; /* the last one has neither letter nor name */
};

/* Their order is that of the help. The last one has no title. */
extern const struct option_group option_groups[];

extern const struct option_row option_rows_capture[], option_rows_file[], option_rows_print[],
	option_rows_other[];

enum { OPTIONS_MAX = 96 };

/* The row at this place in all groups, or NULL after the last one. */
const struct option_row *option_row(unsigned int place);

/*
 * How long the first clause of a help is: up to a semicolon, or a full stop that does not end it.
 */
size_t option_help_clause(const char *help);

#endif
