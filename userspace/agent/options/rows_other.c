/* SPDX-License-Identifier: MIT */
/* Options: reports about a capture, and commands instead of one. */
#include "agent/options/row.h"

#include <errno.h>

#include "agent/control/listen.h"
#include "agent/options/setters.h"

CONSTANT_SETTER(set_summary, summary, true)
CONSTANT_SETTER(set_explain, explain, true)
CONSTANT_SETTER(set_verbose, verbose, true)
CONSTANT_SETTER(set_config, config, value)
CONSTANT_SETTER(set_pid_file, pid_file, value)

static const char *const take_over_words[] = {"exit", "wait"};

static const char *take_over_word(unsigned int i)
{
	return i < sizeof(take_over_words) / sizeof(take_over_words[0]) ? take_over_words[i] : NULL;
}

static int set_take_over(struct options *options, const char *value)
{
	unsigned int place = 0;
	int code = value ? words_find(take_over_word, value, &place) : 0;

	options->take_over = place ? TAKE_OVER_WAIT : TAKE_OVER_EXIT;
	return code;
}

/* More frequent lines are unreadable and slow the run. */
enum { STATS_LEAST_NS = 100000000 };

static int set_stats(struct options *options, const char *value)
{
	uint64_t ns;
	int code = value_read_seconds(value, &ns);

	if (code)
		return code;
	if (ns < STATS_LEAST_NS)
		return -EINVAL;
	options->stats_ns = ns;
	return 0;
}

static int set_http(struct options *options, const char *value)
{
	int code = listen_check(value, NULL);

	for (size_t i = 0; code == 0 && i < HTTP_MAX; i++)
		if (!options->http[i]) {
			options->http[i] = value;
			return 0;
		}
	return code ? code : -EINVAL;
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
	{'c', "config", "FILE",
	 "take options from a file, too; their long names are its keys. The command line comes "
	 "before it",
	 set_config, .offer = OFFER_FILES, .usual = true,
	 .not_a_key = "files are named by 'include'"},
	{0, "pid-file", "FILE",
	 "while the agent runs, FILE has its process ID and a lock; for agent reload. Default "
	 "there: "
	 "/run/lanner/agent.pid",
	 set_pid_file, .about = OF_RELOAD, .offer = OFFER_FILES},
	{0, "take-over", "exit|wait",
	 "take over from the agent that runs with the same --pid-file, without a gap; when another "
	 "one takes "
	 "over from this one, exit, or wait for a signal. Default: exit",
	 set_take_over, .words = take_over_word, .about = LIVE, .optional = true},
	{'S', "summary", NULL, "at the end, count calls, processes and descriptors", set_summary,
	 .usual = true},
	{0, "stats", "SECONDS", "print counters to stderr every SECONDS", set_stats,
	 .accepts = "a number of 0.1 or more"},
	{0, "http", "ADDRESS",
	 "serve /metrics, /healthz, /readyz and /status at 127.0.0.1:PORT or unix:PATH. May be "
	 "repeated",
	 set_http, .list = LIST_REPEATED,
	 .accepts = "127.0.0.1:9100, [::1]:9100, :9100 (all addresses) or unix:PATH; up to 4 of "
		    "them"},
	{0, "explain", NULL, "print what would be hooked, and why; then exit", set_explain,
	 .not_a_key = "it prints in place of a capture", .about = LIVE, .usual = true},
	{'v', "verbose", NULL, "print more on stderr; do not cut buffers in text", set_verbose,
	 .about = OF_LISTS | OF_RULE_CHECKS, .usual = true},
	{'l', "list", NULL, "the same as agent fields", .subcommand = "fields", .about = OF_LISTS},
	{'L', "list-events", NULL, "the same as agent events", .subcommand = "events",
	 .about = OF_LISTS},
	{0, "list-outputs", NULL, "the same as agent outputs", .subcommand = "outputs",
	 .about = OF_LISTS},
	{'V', "version", NULL, "print the version", .subcommand = "version"},
	{'h', "help", "all", "print the usual options, or all", set_help, .words = help_word,
	 .subcommand = "help", .optional = true, .usual = true},
	{0},
};
