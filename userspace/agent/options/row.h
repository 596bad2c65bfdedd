/* SPDX-License-Identifier: MIT */
/*
 * The table of options, in groups. A row describes an option for the parser, the help, the
 * completion of shells and the check of the manual.
 */
#ifndef AGENT_OPTIONS_ROW_H
#define AGENT_OPTIONS_ROW_H

#include <stdbool.h>
#include <stddef.h>

#include "util/buf.h"
#include "util/error.h"

/* Valid values of options and operands of subcommands. */

/* The i-th word of the list, or NULL after the last one. */
typedef const char *option_words(unsigned int i);

/* What a shell completes if there is no such list. */
enum option_offer {
	OFFER_NOTHING,
	OFFER_FILES,
	OFFER_FIELDS,
	OFFER_EVENTS,
	OFFER_FIELD_LIST, /* separated by commas */
	OFFER_FORMAT, /* text with %FIELD in it */
};

/* Stores the index of the word `text`. Returns 0, or -EINVAL if there is none. */
int option_words_find(option_words *words, const char *text, unsigned int *place);

/* Appends "a, b or c". */
void option_words_append(option_words *words, struct buf *out);

/* What a word is perhaps that is none of the list, and near none; NULL: nothing is known. */
typedef const char *option_words_otherwise(const char *text);

/*
 * Sets a message for `text` that is none of the words: "WHAT: expected a, b or c". otherwise: NULL,
 * or what adds to it. Returns -EINVAL.
 */
int option_words_reject(const char *what, option_words *words, option_words_otherwise *otherwise,
			const char *text, struct error *err);

struct options;

/* The subject of an option: without that, the option is rejected. Bits. */
enum option_about {
	LIVE = 1 << 0, /* events from the kernel */
	INPUT = 1 << 1, /* a file that is read */
	OUTPUT = 1 << 2, /* a file that is written */
	SPLITS = 1 << 3, /* starts another file */
	SPLIT = 1 << 4, /* several files */
	RULES = 1 << 5,
	PROCESSES = 1 << 6, /* chosen processes */
	PRINTS = 1 << 7, /* asks for events to be printed */
	COMPRESSES = 1 << 8, /* compression of the file that is written: only one */
	/* Subcommands that accept it though they do not capture. */
	OF_LISTS = 1 << 9,
	OF_CHECKS = 1 << 10,
	OF_RULE_CHECKS = 1 << 11,
	OF_DOCTOR = 1 << 12,
	OF_RELOAD = 1 << 13,
	OF_RULE_LISTS = 1 << 14,
	PAGES = 1 << 15, /* what is served */
	METRICS = 1 << 16, /* of requests or TCP */
	SERVED = 1 << 17, /* on pages alone */
	SERIES = 1 << 18, /* metrics of any kind that have labels */
	VIEWS = 1 << 19, /* a view */
	OF_VIEWS = 1 << 20,
};

/* Options that may be given several times, and what a sequence is in a file. */
enum option_list {
	LIST_NONE,
	LIST_REPEATED, /* each element is a value */
	LIST_COMMAS, /* the elements with commas between are the value */
	LIST_KEYS, /* of a mapping in a file: KEY=VALUE,... is the value */
};

struct option_row {
	char letter; /* '\0': none */
	const char *name; /* long name without dashes */
	const char *argument; /* name of its value in the help; NULL: no value */
	const char *help; /* the short help and completion have only its first clause */
	/*
	 * NULL: nothing to store. `value`: NULL if none was given. Returns 0, -EINVAL or -ENOMEM.
	 */
	int (*set)(struct options *options, const char *value);
	option_words *words; /* all valid values, or NULL; */
	option_words_otherwise *otherwise; /* what others may be meant to be; NULL: not known */
	const char *accepts; /* then a description: "a port". NULL: `set` rejects no value */
	const char *subcommand; /* that the option selects, or NULL; */
	const char *with_rules; /* in its place if rules are given, too, or NULL */
	unsigned int about; /* bits of enum option_about */
	enum option_offer offer;
	bool optional; /* the value; if given it is in the same word: --help=all */
	bool usual; /* shown in the short help */
	bool reloads; /* a change in the file takes effect without a restart */
	enum option_list list;
	const char *key; /* its name in files; NULL: the long name */
	const char
		*not_a_key; /* why it cannot be in a file; NULL: it can, unless it is a command */
};

struct option_group {
	const char *title;
	const struct option_row *rows; /* the last one has no name */
};

/* Their order is that of the help. The last one has no title. */
extern const struct option_group option_groups[];

extern const struct option_row option_rows_capture[], option_rows_kubernetes[], option_rows_file[],
	option_rows_print[], option_rows_views[], option_rows_other[];

enum { OPTIONS_MAX = 128 };

/* The row with this index over all groups, or NULL after the last one. */
const struct option_row *option_row(unsigned int place);

/* The name of an option in files. */
static inline const char *option_key(const struct option_row *row)
{
	return row->key ? row->key : row->name;
}

/*
 * Whether it is about captures, so that every command that captures takes it: all are that do not
 * select another command.
 */
static inline bool option_is_about_captures(const struct option_row *row)
{
	return !row->subcommand;
}

/* The row of that long name, and its index; or NULL. */
const struct option_row *option_find(const char *name, unsigned int *place);

/*
 * The length of the first clause of a help text: up to a semicolon, or a full stop before its end.
 */
size_t option_help_clause(const char *help);

#endif
