/* SPDX-License-Identifier: MIT */
/* The table of options, what each value may be, and the help made of it. */
#include "agent/options.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/option_values.h"
#include "event/event.h"

enum {
	/* Two CPUs stay below 40 MB with this, and 40,000 small events wait for the reader. */
	RING_BYTES_DEFAULT = 4 << 20,
	RING_BYTES_MAX = 1 << 30,
	OPTIONS_MAX = 64,
	/* What getopt returns for the row i of the table. */
	OPTION_BASE = 256,
};

typedef int option_setter(struct options *options, const char *value);

struct option_row {
	const char *name;     /* without dashes; a single letter is a short option too */
	const char *argument; /* NULL: takes none */
	option_setter *set;
	const char *accepts;  /* for messages about values that `set` refuses */
	const char *help;
	const char *section;  /* begins with this row; NULL: goes on */
};

static int set_filter(struct options *options, const char *value)
{
	if (options->filter)
		return -EINVAL;
	options->filter = strdup(value);
	return options->filter ? 0 : -ENOMEM;
}

static int set_count(struct options *options, const char *value)
{
	int code = option_read_u64(value, &options->count);

	return code ? code : options->count ? 0 : -EINVAL;
}

static int set_duration(struct options *options, const char *value)
{
	return option_read_seconds(value, &options->duration_ns);
}

static int set_stats(struct options *options, const char *value)
{
	return option_read_seconds(value, &options->stats_ns);
}

static int set_format(struct options *options, const char *value)
{
	static const char *const names[] = {
		[FORMAT_JSON] = "json", [FORMAT_TEXT] = "text", [FORMAT_NONE] = "none",
		[FORMAT_MARKDOWN] = "markdown"};

	for (unsigned int i = FORMAT_JSON; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(value, names[i]) == 0) {
			options->format = i;
			return 0;
		}
	}
	return -EINVAL;
}

static int set_print(struct options *options, const char *value)
{
	options->print = value;
	return 0;
}

static int set_time(struct options *options, const char *value)
{
	static const char letters[] = {
		[TEXT_TIME_OF_DAY] = 'h', [TEXT_TIME_EPOCH] = 'a', [TEXT_TIME_RELATIVE] = 'r',
		[TEXT_TIME_LATENCY] = 'd', [TEXT_TIME_DELTA] = 'D',
	};
	const char *found = memchr(letters, value[0], sizeof(letters));

	if (!found || value[1])
		return -EINVAL;
	options->style.time = (enum text_time)(found - letters);
	return 0;
}

#define BYTES_SETTER(name, form)                                                                   \
	static int name(struct options *options, const char *value)                                \
	{                                                                                          \
		options->style.bytes = form;                                                       \
		return 0;                                                                          \
	}

BYTES_SETTER(set_ascii, TEXT_BYTES_ASCII)
BYTES_SETTER(set_base64, TEXT_BYTES_BASE64)
BYTES_SETTER(set_hex, TEXT_BYTES_HEX)
BYTES_SETTER(set_hex_ascii, TEXT_BYTES_HEX_ASCII)

static int set_color(struct options *options, const char *value)
{
	static const char *const names[] = {
		[COLOR_AUTO] = "auto", [COLOR_ALWAYS] = "always", [COLOR_NEVER] = "never"};

	for (unsigned int i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(value, names[i]) == 0) {
			options->color = i;
			return 0;
		}
	}
	return -EINVAL;
}

static int set_json_fields(struct options *options, const char *value)
{
	options->json_fields = value;
	return 0;
}

static int set_json_base64(struct options *options, const char *value)
{
	options->json_base64 = true;
	return 0;
}

static int set_buffer_size(struct options *options, const char *value)
{
	uint64_t wanted, bytes = (uint64_t)sysconf(_SC_PAGESIZE);
	int code = option_read_bytes(value, RING_BYTES_MAX, &wanted);

	if (code)
		return code;
	if (wanted == 0 || wanted > RING_BYTES_MAX)
		return -EINVAL;
	while (bytes < wanted)
		bytes *= 2;
	options->ring_bytes = (uint32_t)bytes;
	return 0;
}

static int set_snaplen(struct options *options, const char *value)
{
	uint64_t bytes;
	int code = option_read_u64(value, &bytes);

	if (code)
		return code;
	if (bytes > SNAPLEN_MAX)
		return -EINVAL;
	options->snaplen = (uint32_t)bytes;
	options->snaplen_chosen = true;
	return 0;
}

static int set_snaplen_ports(struct options *options, const char *value)
{
	struct snaplen_rules *rules = &options->snaplen_rules;
	uint16_t low, high;
	const char *rest = option_read_port(value, '-', &low);

	if (!rest || !option_read_port(rest, '\0', &high) || low > high)
		return -EINVAL;
	rules->full_low = low;
	rules->full_high = high;
	options->snaplen_chosen = true;
	return 0;
}

static int set_dynamic_snaplen(struct options *options, const char *value)
{
	options->snaplen_rules.dynamic = true;
	options->snaplen_chosen = true;
	return 0;
}

/* Who names the port wants more of it. */
static int set_statsd_port(struct options *options, const char *value)
{
	if (!option_read_port(value, '\0', &options->snaplen_rules.statsd_port))
		return -EINVAL;
	return set_dynamic_snaplen(options, NULL);
}

static int add_rules(struct options *options, const char *value)
{
	const char **paths = realloc(options->rules,
				     (options->rules_count + 1) * sizeof(options->rules[0]));

	if (!paths)
		return -ENOMEM;
	options->rules = paths;
	options->rules[options->rules_count++] = value;
	return 0;
}

static int set_all_rules(struct options *options, const char *value)
{
	options->all_rules = true;
	return 0;
}

static int set_priority(struct options *options, const char *value)
{
	return rules_priority_read(value, &options->priority);
}

static int set_explain(struct options *options, const char *value)
{
	options->command = COMMAND_EXPLAIN;
	return 0;
}

static int set_exact_types(struct options *options, const char *value)
{
	options->exact_types = true;
	return 0;
}

static int set_self(struct options *options, const char *value)
{
	options->include_self = true;
	return 0;
}

static int set_verbose(struct options *options, const char *value)
{
	options->verbose = true;
	return 0;
}

static int set_version(struct options *options, const char *value)
{
	options->command = COMMAND_VERSION;
	return 0;
}

static int set_help(struct options *options, const char *value)
{
	options->command = COMMAND_HELP;
	return 0;
}

/* In a help text: goes on below its beginning. */
#define NEXT_LINE "\n                           "

static const struct option_row rows[] = {
	{"filter", "EXPR", set_filter, "one expression, given once",
	 "which events to print; also as the trailing words", "What to capture"},
	{"rules", "FILE", add_rules, NULL, "rules in YAML, a file or a folder; may be repeated"},
	{"priority", "LEVEL", set_priority, "emergency, alert, critical, error, warning, notice, "
	 "informational or debug",
	 "leave out rules below that priority"},
	{"all-rules", NULL, set_all_rules, NULL, "a line for each rule, not for the first alone"},
	{"exact-types", NULL, set_exact_types, NULL, "evt.type=open is not also openat and openat2"},
	{"self", NULL, set_self, NULL, "include the agent's own events"},
	{"n", "COUNT", set_count, "a number of 1 or more", "end after COUNT events that match"},
	{"M", "SECONDS", set_duration, "a number above 0", "end after SECONDS"},
	{"buffer-size", "BYTES", set_buffer_size, "a size up to 1G such as 65536, 64K or 8M",
	 "ring of each CPU, rounded up to a power of two;" NEXT_LINE "default 4M"},
	{"snaplen", "BYTES", set_snaplen, "a number from 0 to 65000",
	 "how much of each data buffer to keep; default 80"},
	{"snaplen-ports", "LOW-HIGH", set_snaplen_ports, "two ports such as 8000-8099",
	 "keep 16000 bytes on sockets with these ports"},
	{"dynamic-snaplen", NULL, set_dynamic_snaplen, NULL,
	 "keep more of DNS, statsd, HTTP and databases"},
	{"statsd-port", "PORT", set_statsd_port, "a port",
	 "the same, with statsd on this port; default 8125"},
	{"o", "KIND", set_format, "json, text, none or (for lists) markdown",
	 "json, text or none; default json, on a terminal text", "What to print"},
	{"json-fields", "LIST", set_json_fields, NULL,
	 "fields with commas between; also 'default' and 'all'"},
	{"json-b64", NULL, set_json_base64, NULL,
	 "in JSON, NAME_b64 beside text that is not UTF-8"},
	{"p", "FORMAT", set_print, NULL, "text with %FIELD in it; with * in front also when a" NEXT_LINE
	 "field is missing. -pc: the usual line and containers"},
	{"t", "h|a|r|d|D", set_time, "one of h, a, r, d, D",
	 "time: of day (default), since 1970, since the start," NEXT_LINE
	 "that the call took, since the event before"},
	{"A", NULL, set_ascii, NULL, "buffers as text of several lines"},
	{"b", NULL, set_base64, NULL, "buffers in base64"},
	{"x", NULL, set_hex, NULL, "buffers in hexadecimal"},
	{"X", NULL, set_hex_ascii, NULL, "buffers in hexadecimal and as text"},
	{"color", "WHEN", set_color, "auto, always or never",
	 "auto (on a terminal; default), always or never"},
	{"stats", "SECONDS", set_stats, "a number above 0",
	 "print counters to stderr every SECONDS", "Other"},
	{"explain", NULL, set_explain, NULL, "print what would be hooked, and why; then end"},
	{"v", NULL, set_verbose, NULL, "say more on stderr; do not cut buffers in text"},
	{"version", NULL, set_version, NULL, "print the version"},
	{"help", NULL, set_help, NULL, "print this"},
};

enum { ROWS_COUNT = sizeof(rows) / sizeof(rows[0]) };

/* A letter needs two characters in getopt's string, and each of its tables an end. */
_Static_assert((int)ROWS_COUNT < OPTIONS_MAX, "getopt's tables must have room for all rows");

static bool is_short(const struct option_row *row)
{
	return row->name[1] == '\0';
}

static int argument_kind(const struct option_row *row)
{
	return row->argument ? required_argument : no_argument;
}

/* getopt's two tables from ours. Short options are letters in `letters`, long ones rows. */
static void make_getopt_tables(char *letters, struct option *longs)
{
	*letters++ = ':';
	for (int i = 0; i < ROWS_COUNT; i++) {
		if (is_short(&rows[i])) {
			*letters++ = rows[i].name[0];
			if (rows[i].argument)
				*letters++ = ':';
		} else {
			*longs++ = (struct option){rows[i].name, argument_kind(&rows[i]), NULL,
						   OPTION_BASE + i};
		}
	}
	*letters = '\0';
	*longs = (struct option){0};
}

static const struct option_row *find_row(int code)
{
	if (code >= OPTION_BASE)
		return &rows[code - OPTION_BASE];
	for (int i = 0; i < ROWS_COUNT; i++)
		if (is_short(&rows[i]) && rows[i].name[0] == code)
			return &rows[i];
	return NULL;
}

static const char *dashes(const struct option_row *row)
{
	return is_short(row) ? "-" : "--";
}

/* What getopt did not understand: `code` is ':' or '?', `last` the word that it stopped at. */
static int refuse(int code, const char *last, struct error *err)
{
	static const char hint[] = "part of a filter? put -- before it, or write evt.rawres=-2";

	if (code == ':')
		return error_set(err, -EINVAL, "%s needs a value", last);
	if (optopt >= OPTION_BASE)
		return error_set(err, -EINVAL, "%s: takes no value", last);
	if (optopt)
		return error_set(err, -EINVAL, "unknown option -%c (%s)", optopt, hint);
	return error_set(err, -EINVAL, "%s: unknown or ambiguous option (%s)", last, hint);
}

static int apply(struct options *options, const struct option_row *row, struct error *err)
{
	int result = row->set(options, optarg);

	if (result == -EINVAL)
		error_set(err, result, "%s%s: expected %s, not '%s'", dashes(row), row->name,
			  row->accepts, optarg);
	else if (result)
		error_set(err, result, "out of memory");
	return result;
}

/* The words of a filter, joined with blanks. */
static int join_words(char **words, struct options *options, struct error *err)
{
	size_t len = 0;
	char *at;

	if (options->filter)
		return error_set(err, -EINVAL, "the filter is given twice: '%s', and the word '%s'",
				 options->filter, words[0]);
	for (char **word = words; *word; word++)
		len += strlen(*word) + 1;
	at = options->filter = malloc(len);
	if (!at)
		return error_set(err, -ENOMEM, "out of memory");
	for (char **word = words; *word; word++) {
		at = stpcpy(at, *word);
		*at++ = ' ';
	}
	at[-1] = '\0';
	return 0;
}

/* Sub-commands: the first word that is no option. Another word may follow. */
static const struct command_row {
	const char *word;
	enum agent_command command;
	const char *operand; /* what the other word is, for messages */
	const char *operand_default;
	option_setter *takes[3]; /* the options that mean something to it */
	bool several; /* operands, at least one */
} command_rows[] = {
	{"check-filter", COMMAND_CHECK_FILTER, "file", "-", {set_exact_types}},
	{"fields", COMMAND_FIELDS, "pattern", NULL, {set_format, set_verbose}},
	{"events", COMMAND_EVENTS, "pattern", NULL, {set_format, set_verbose}},
	{"check-rules", COMMAND_CHECK_RULES, "file", NULL,
	 {set_exact_types, set_verbose, set_priority}, true},
};

enum { COMMAND_ROWS_COUNT = sizeof(command_rows) / sizeof(command_rows[0]) };

static const struct command_row *find_command(const char *word)
{
	for (int i = 0; i < COMMAND_ROWS_COUNT; i++)
		if (word && strcmp(command_rows[i].word, word) == 0)
			return &command_rows[i];
	return NULL;
}

static bool takes(const struct command_row *command, option_setter *set)
{
	for (size_t i = 0; i < sizeof(command->takes) / sizeof(command->takes[0]); i++)
		if (command->takes[i] == set)
			return true;
	return false;
}

/* Whether options are among those that speak of rules. */
static bool takes_rules(uint64_t given)
{
	for (int i = 0; i < ROWS_COUNT; i++)
		if ((given >> i & 1) &&
		    (rows[i].set == set_priority || rows[i].set == set_all_rules))
			return true;
	return false;
}

/* `given` has a bit for each row of options. */
static int parse_command(const struct command_row *command, char **words, uint64_t given,
			 struct options *options, struct error *err)
{
	for (int i = 0; i < ROWS_COUNT; i++)
		if ((given >> i & 1) && !takes(command, rows[i].set))
			return error_set(err, -EINVAL, "%s does not take %s%s", command->word,
					 dashes(&rows[i]), rows[i].name);
	if (command->several && !words[1])
		return error_set(err, -EINVAL, "%s needs a %s", command->word, command->operand);
	if (!command->several && words[1] && words[2])
		return error_set(err, -EINVAL, "%s takes one %s, not also '%s'", command->word,
				 command->operand, words[2]);
	if (options->format == FORMAT_NONE)
		return error_set(err, -EINVAL, "%s: -o takes text, json or markdown", command->word);
	options->command = command->command;
	options->operand = words[1] ? words[1] : command->operand_default;
	for (char **word = words + 1; command->several && *word; word++)
		if (add_rules(options, *word))
			return error_set(err, -ENOMEM, "out of memory");
	return 0;
}

static int parse_words(char **words, uint64_t given, struct options *options, struct error *err)
{
	const struct command_row *command = find_command(words[0]);

	if (command)
		return parse_command(command, words, given, options, err);
	if (options->format == FORMAT_MARKDOWN)
		return error_set(err, -EINVAL, "-o markdown: for lists (agent fields, agent events), "
					       "not for events as they happen");
	if (!options->rules_count && takes_rules(given))
		return error_set(err, -EINVAL, "--priority and --all-rules go with --rules");
	return words[0] ? join_words(words, options, err) : 0;
}

void options_append_commands(struct buf *out)
{
	const char *separator = "";

	for (int i = 0; i < COMMAND_ROWS_COUNT; i++) {
		buf_append_string(out, separator);
		buf_append_string(out, command_rows[i].word);
		separator = ", ";
	}
}

int options_parse(int argc, char **argv, struct options *options, struct error *err)
{
	const struct option_row *row;
	struct option longs[OPTIONS_MAX];
	char letters[2 * OPTIONS_MAX];
	uint64_t given = 0;
	int code, result;

	*options = (struct options){
		.ring_bytes = RING_BYTES_DEFAULT,
		.snaplen = SNAPLEN_DEFAULT,
		.snaplen_rules.statsd_port = STATSD_PORT_DEFAULT,
		.priority = PRIORITY_DEBUG,
	};
	make_getopt_tables(letters, longs);
	optind = 0; /* forgets also where in a word it was */
	while ((code = getopt_long(argc, argv, letters, longs, NULL)) != -1) {
		row = find_row(code);
		result = row ? apply(options, row, err) : refuse(code, argv[optind - 1], err);
		if (result)
			return result;
		if (options->command == COMMAND_HELP || options->command == COMMAND_VERSION)
			return 0;
		given |= UINT64_C(1) << (row - rows);
	}
	return parse_words(argv + optind, given, options, err);
}

void options_finish(struct options *options)
{
	free(options->filter);
	free(options->rules);
	options->filter = NULL;
	options->rules = NULL;
}

static void print_on_request(void)
{
	const char *separator = "Captured only when a filter names them: ";

	for (unsigned int id = 0; id < EVENT_ID_MAX; id++) {
		const struct event_desc *desc = event_desc_get(id);

		if (!desc || !(desc->flags & EF_ON_REQUEST))
			continue;
		printf("%s%s", separator, desc->name);
		separator = ", ";
	}
	puts(".");
}

void options_print_help(void)
{
	puts("Usage: agent [OPTION]... [FILTER]...     print the events of the whole machine\n"
	     "       agent check-filter [FILE|-]       check filters, one on each line\n"
	     "       agent check-rules FILE...         check rules\n"
	     "       agent fields|events [PATTERN]     list what filters and outputs can name\n");
	for (int i = 0; i < ROWS_COUNT; i++) {
		char option[32];

		if (rows[i].section)
			printf("%s%s:\n", i ? "\n" : "", rows[i].section);
		snprintf(option, sizeof(option), "%s%s %s", is_short(&rows[i]) ? "-" : "--",
			 rows[i].name, rows[i].argument ? rows[i].argument : "");
		printf("  %-24s %s\n", option, rows[i].help);
	}
	putchar('\n');
	print_on_request();
	puts("Example: agent -n 100 'evt.type=open and proc.name=cat' > events.jsonl\n"
	     "Exit code: 0; 1 for a failure while running; 2 for wrong usage.");
}
