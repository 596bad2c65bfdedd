/* SPDX-License-Identifier: MIT */
/* Options: reports about a capture, and commands instead of one. */
#include "agent/options/row.h"

#include <errno.h>

#include "agent/options/setters.h"

CONSTANT_SETTER(set_summary, summary, true)
CONSTANT_SETTER(set_explain, explain, true)
CONSTANT_SETTER(set_verbose, verbose, true)

/* More frequent lines are unreadable and slow the run. */
enum { STATS_LEAST_NS = 100000000 };

static int set_stats(struct options *options, const char *value)
{
	uint64_t ns;
	int code = option_read_seconds(value, &ns);

	if (code)
		return code;
	if (ns < STATS_LEAST_NS)
		return -EINVAL;
	options->stats_ns = ns;
	return 0;
}

static const char *help_word(unsigned int i)
{
	return i == 0 ? "all" : NULL;
}

static int set_help(struct options *options, const char *value)
{
	unsigned int place;

	options->operand = value;
	return value ? words_find(help_word, value, &place) : 0;
}

const struct option_row option_rows_other[] = {
	{'S', "summary", NULL, "at the end, count calls, processes and descriptors",
	 set_summary, .usual = true},
	{0, "stats", "SECONDS", "print counters to stderr every SECONDS", set_stats,
	 .accepts = "a number of 0.1 or more"},
	{0, "explain", NULL, "print what would be hooked, and why; then exit", set_explain,
	 .about = LIVE, .usual = true},
	{'v', NULL, NULL, "print more on stderr; do not cut buffers in text", set_verbose,
	 .about = OF_LISTS | OF_RULE_CHECKS, .usual = true},
	{'l', "list", NULL, "the same as agent fields", .subcommand = "fields",
	 .about = OF_LISTS},
	{'L', "list-events", NULL, "the same as agent events", .subcommand = "events",
	 .about = OF_LISTS},
	{'V', "version", NULL, "print the version", .subcommand = "version"},
	{'h', "help", "all", "print the usual options, or all", set_help, .words = help_word,
	 .subcommand = "help", .optional = true, .usual = true},
	{0},
};
