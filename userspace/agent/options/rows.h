/* SPDX-License-Identifier: MIT */
/* The table of options: their names, what they set, where they mean something, and their help. */
#ifndef AGENT_OPTIONS_ROWS_H
#define AGENT_OPTIONS_ROWS_H

#include "agent/options/options.h"

/* What an option is about; where that is not, it is refused. Bits. */
enum option_about {
	LIVE = 1 << 0, /* events from the kernel */
	INPUT = 1 << 1, /* a file that is read */
	OUTPUT = 1 << 2, /* a file that is written */
	SPLITS = 1 << 3, /* makes several files of it */
	SPLIT = 1 << 4, /* several files */
	RULES = 1 << 5,
	PRINTS = 1 << 6, /* asks for events to be printed */
	PACKS = 1 << 7, /* how the file that is written is compressed: once */
};

struct option_row {
	const char *name; /* without dashes; a single letter is a short option */
	const char *argument; /* NULL: takes none */
	int (*set)(struct options *options, const char *value); /* 0, -EINVAL or -ENOMEM */
	const char *accepts; /* for messages about values that `set` refuses */
	const char *help;
	const char *section; /* begins with this row; NULL: goes on */
	const char *also; /* the long name of a short option, or NULL */
	unsigned int about; /* enum option_about bits */
	unsigned int commands; /* sub-commands that take it, too: bits of enum agent_action */
};

enum { OPTIONS_MAX = 64 };

/* In the order of the help. */
extern const struct option_row option_rows[];
extern const unsigned int option_rows_count;

/* Also for words that are no options. */
int option_add_rules(struct options *options, const char *value);

#endif
