/* SPDX-License-Identifier: MIT */
/* The table of options of `agent trace`, what they set, and the filter that is made of them. */
#include "agent/commands/trace_options.h"

#include <errno.h>
#include <getopt.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "trace/calls.h"
#include "util/count.h"
#include "util/value.h"

typedef int trace_set(struct trace_command_options *options, const char *value, struct error *err);

static int trace_reject(const char *option, const char *value, const char *why, struct error *err)
{
	return error_set(err, -EINVAL, "trace: %s %s: %s", option, value, why);
}

#define TRACE_FLAG(setter, member, constant)                                                       \
	static int setter(struct trace_command_options *options, const char *value,                \
			  struct error *err)                                                       \
	{                                                                                          \
		options->member = constant;                                                        \
		return 0;                                                                          \
	}

TRACE_FLAG(set_durations, lines.durations, true)
TRACE_FLAG(set_relative, lines.relative, true)
TRACE_FLAG(set_lines_and_table, lines.shows, TRACE_LINES_AND_TABLE)
TRACE_FLAG(set_successful, status, "successful")
TRACE_FLAG(set_failed, status, "failed")
TRACE_FLAG(set_output, output, value)
TRACE_FLAG(set_append, append, true)
TRACE_FLAG(set_no_redact, no_redact, true)
TRACE_FLAG(set_trace_help, help, true)
TRACE_FLAG(set_separate, separate, true)

static int set_trace_follow(struct trace_command_options *options, const char *value,
			    struct error *err)
{
	options->separate |= options->lines.follows;
	options->lines.follows = true;
	return 0;
}

/* Lines that are asked for stay: -C and -c is -C. */
static int set_table(struct trace_command_options *options, const char *value, struct error *err)
{
	if (options->lines.shows == TRACE_LINES)
		options->lines.shows = TRACE_TABLE;
	return 0;
}

/* Each repetition adds to it. */
static int set_time(struct trace_command_options *options, const char *value, struct error *err)
{
	if (options->lines.time < TRACE_TIME_EPOCH)
		options->lines.time++;
	return 0;
}

static int set_names(struct trace_command_options *options, const char *value, struct error *err)
{
	if (options->lines.names < TRACE_NAMES_ALL)
		options->lines.names++;
	return 0;
}

static int set_quiet(struct trace_command_options *options, const char *value, struct error *err)
{
	options->quiet++;
	return 0;
}

/* "1,2 3", as strace takes it. */
static int set_pid(struct trace_command_options *options, const char *value, struct error *err)
{
	if (!*value || value[strspn(value, "0123456789, ")])
		return trace_reject("-p", value, "expected process IDs such as 17 or 17,18", err);
	if (options->pids_count == TRACE_PIDS_MAX)
		return trace_reject("-p", value, "too many", err);
	options->pids[options->pids_count++] = value;
	return 0;
}

static int set_path(struct trace_command_options *options, const char *value, struct error *err)
{
	if (options->paths_count == TRACE_PATHS_MAX)
		return trace_reject("-P", value, "too many", err);
	options->paths[options->paths_count++] = value;
	return 0;
}

static int set_string_max(struct trace_command_options *options, const char *value,
			  struct error *err)
{
	uint64_t bytes;

	if (value_read_u64(value, &bytes) || bytes > 65000)
		return trace_reject("-s", value, "expected a number from 0 to 65000", err);
	options->lines.string_max = bytes;
	return 0;
}

static int set_column(struct trace_command_options *options, const char *value, struct error *err)
{
	uint64_t column;

	if (value_read_u64(value, &column) || column > 500)
		return trace_reject("-a", value, "expected a column", err);
	options->lines.column = (unsigned int)column;
	return 0;
}

/* Words of strace, which takes underscores, too. */
static bool trace_is_word(const char *word, const char *value)
{
	for (; *word && (*word == *value || (*word == '-' && *value == '_')); word++)
		value++;
	return *word == *value;
}

static int set_order(struct trace_command_options *options, const char *value, struct error *err)
{
	static const struct {
		const char *name;
		enum trace_order order;
	} orders[] = {
		{"time", TRACE_BY_TIME},	 {"time-percent", TRACE_BY_TIME},
		{"time-total", TRACE_BY_TIME},	 {"total-time", TRACE_BY_TIME},
		{"avg-time", TRACE_BY_MEAN},	 {"time-avg", TRACE_BY_MEAN},
		{"min-time", TRACE_BY_MIN},	 {"time-min", TRACE_BY_MIN},
		{"shortest", TRACE_BY_MIN},	 {"max-time", TRACE_BY_MAX},
		{"time-max", TRACE_BY_MAX},	 {"longest", TRACE_BY_MAX},
		{"calls", TRACE_BY_CALLS},	 {"count", TRACE_BY_CALLS},
		{"errors", TRACE_BY_ERRORS},	 {"error", TRACE_BY_ERRORS},
		{"name", TRACE_BY_NAME},	 {"syscall", TRACE_BY_NAME},
		{"syscall-name", TRACE_BY_NAME}, {"none", TRACE_BY_NOTHING},
		{"nothing", TRACE_BY_NOTHING},
	};

	for (size_t i = 0; i < COUNT(orders); i++)
		if (trace_is_word(orders[i].name, value)) {
			options->lines.order = orders[i].order;
			return 0;
		}
	return trace_reject(
		"-S", value,
		"expected time, avg-time, min-time, max-time, calls, errors, name or none", err);
}

/* What -e is about: "trace=LIST", "LIST", "status=LIST"... */
static int set_expression(struct trace_command_options *options, const char *value,
			  struct error *err)
{
	static const struct {
		const char *name;
		size_t offset;
	} qualifiers[] = {
		{"trace", offsetof(struct trace_command_options, calls)},
		{"t", offsetof(struct trace_command_options, calls)},
		{"status", offsetof(struct trace_command_options, status)},
		{"signal", offsetof(struct trace_command_options, signals)},
		{"signals", offsetof(struct trace_command_options, signals)},
		{"s", offsetof(struct trace_command_options, signals)},
	};
	size_t len = strcspn(value, "=");

	if (!value[len]) {
		options->calls = value;
		return 0;
	}
	for (size_t i = 0; i < COUNT(qualifiers); i++) {
		if (strlen(qualifiers[i].name) != len || strncmp(qualifiers[i].name, value, len))
			continue;
		*(const char **)((char *)options + qualifiers[i].offset) = value + len + 1;
		return 0;
	}
	if (len == 5 && strncmp(value, "quiet", len) == 0) {
		options->quiet++;
		return 0;
	}
	return trace_reject("-e", value,
			    "expected trace=, status= or signal=: calls are watched, not changed",
			    err);
}

static const struct trace_row {
	char letter; /* '\0': none */
	const char *name, *argument; /* argument: NULL if there is none */
	const char *help;
	trace_set *set;
} rows[] = {
	{'f', "follow-forks", NULL, "also children and threads", set_trace_follow},
	{'p', "attach", "PID", "processes that run: 17 or 17,18; may be repeated", set_pid},
	{'e', "expr", "LIST",
	 "calls: openat,%file,!read,/regex; classes are %file %process %network %desc %memory "
	 "%signal %ipc %creds %clock %stat; or status=failed, signal=SIGCHLD",
	 set_expression},
	{0, "trace", "LIST", "the same calls", set_expression},
	{'P', "trace-path", "PATH", "only calls about this file; may be repeated", set_path},
	{'z', "successful-only", NULL, "only calls that succeeded", set_successful},
	{'Z', "failed-only", NULL, "only calls that failed", set_failed},
	{'t', "absolute-timestamps", NULL,
	 "the time of day; -tt: with microseconds; -ttt: since 1970", set_time},
	{'r', "relative-timestamps", NULL, "the time since the call before", set_relative},
	{'T', "syscall-times", NULL, "how long each call took", set_durations},
	{'y', "decode-fds", NULL, "paths of descriptors; -yy: ends of sockets, too", set_names},
	{'s', "string-limit", "BYTES", "show BYTES of each buffer; default 32", set_string_max},
	{'a', "columns", "COLUMN", "where results begin; default 40", set_column},
	{'c', "summary-only", NULL, "print a table of calls instead, with percentiles below",
	 set_table},
	{'C', "summary", NULL, "print calls, and the table behind them", set_lines_and_table},
	{'S', "summary-sort-by", "COLUMN",
	 "sort it by time, avg-time, min-time, max-time, calls, errors, name or none", set_order},
	{'w', "summary-wall-clock", NULL, "the table has the time that passed, as always",
	 set_table},
	{'o', "output", "FILE", "print to a file; default: standard error", set_output},
	{0, "output-separately", NULL, "not offered: lines of a file have their process ID",
	 set_separate},
	{'A', "output-append-mode", NULL, "append to the file", set_append},
	{'q', "quiet", NULL, "no messages; -qq: no lines of exits either", set_quiet},
	{0, "no-redact", NULL, "show secrets", set_no_redact},
	{'h', "help", NULL, "print this", set_trace_help},
};

enum { ROWS = COUNT(rows), CODE_NAME = 256 };

static void trace_make_tables(char letters[2 * ROWS + 3], struct option names[ROWS + 1])
{
	/* Options end at the first word that is none: the command. */
	*letters++ = '+';
	*letters++ = ':';
	for (size_t i = 0; i < ROWS; i++) {
		names[i] = (struct option){rows[i].name,
					   rows[i].argument ? required_argument : no_argument, NULL,
					   CODE_NAME + (int)i};
		if (rows[i].letter)
			*letters++ = rows[i].letter;
		if (rows[i].letter && rows[i].argument)
			*letters++ = ':';
	}
	*letters = '\0';
	names[ROWS] = (struct option){0};
}

static const struct trace_row *trace_find_row(int code)
{
	for (size_t i = 0; i < ROWS; i++)
		if (code == CODE_NAME + (int)i || (code && code == rows[i].letter))
			return &rows[i];
	return NULL;
}

/* What strace has and this has not, and why. */
static int trace_reject_option(int code, int letter, const char *word, struct error *err)
{
	static const struct {
		char letter;
		const char *why;
	} others[] = {
		{'U', "the table has the columns that it has"},
		{'O', "nothing is subtracted from times, as no process is stopped"},
		{'k', "stacks of calls are not captured: agent offcputime has those of waits"},
		{'E', "set the environment by env(1)"},
		{'u', "change the user by setpriv(1) or su(1)"},
		{'i', "the instruction pointer of a call is not captured"},
		{'D', "the traced process has no other parent here"},
		{'b', "what is followed stays so"},
		{'x', "strings are shown with octal escapes"},
	};

	if (code == ':')
		return error_set(err, -EINVAL, "trace: %s needs a value", word);
	for (size_t i = 0; i < COUNT(others); i++)
		if (others[i].letter == letter)
			return error_set(err, -EINVAL, "trace: -%c: %s", letter, others[i].why);
	return error_set(err, -EINVAL, "trace: %s: unknown option; agent trace --help lists them",
			 word);
}

static int trace_options_check(const struct trace_command_options *options, struct error *err)
{
	if (!options->command && !options->pids_count)
		return error_set(err, -EINVAL, "trace needs a command, or -p PID");
	if (options->command && options->pids_count)
		return error_set(err, -EINVAL, "trace: a command or -p PID: one of them");
	if (options->separate && options->output)
		return error_set(err, -EINVAL,
				 "trace: -ff, --output-separately: all lines are in one file, each "
				 "with its process ID: give -f, and grep '^PID '");
	return 0;
}

/* How many threads a process has, which the kernel adds to the links of their folder; at least 1.
 */
static size_t trace_count_threads(unsigned long pid)
{
	char path[48];
	struct stat folder;

	snprintf(path, sizeof(path), "/proc/%lu/task", pid);
	return stat(path, &folder) == 0 && folder.st_nlink > 3 ? folder.st_nlink - 2 : 1;
}

/* How many threads are traced at first: of the processes in the lists of -p. */
static size_t trace_count_pids(const struct trace_command_options *options)
{
	size_t count = 0;

	for (size_t i = 0; i < options->pids_count; i++)
		for (const char *at = options->pids[i]; *(at += strspn(at, ", "));
		     at += strcspn(at, ", "))
			count += options->lines.follows ? trace_count_threads(strtoul(at, NULL, 10))
							: 1;
	return count;
}

static int trace_options_finish(struct trace_command_options *options, struct error *err)
{
	struct trace_options *lines = &options->lines;

	lines->quiet_exits = options->quiet > 1;
	lines->traced = options->command ? 1 : trace_count_pids(options);
	lines->pid_column = options->output && lines->follows;
	return trace_options_check(options, err);
}

int trace_options_read(int argc, char **argv, struct trace_command_options *options,
		       struct error *err)
{
	char letters[2 * ROWS + 3];
	struct option names[ROWS + 1];
	int code, r = 0;

	*options = (struct trace_command_options){
		.lines = {.string_max = TRACE_STRING_MAX, .column = TRACE_COLUMN}};
	trace_make_tables(letters, names);
	optind = 0;
	opterr = 0;
	while (r == 0 && (code = getopt_long(argc, argv, letters, names, NULL)) != -1) {
		const struct trace_row *row =
			code == ':' || code == '?' ? NULL : trace_find_row(code);

		r = row ? row->set(options, optarg, err)
			: trace_reject_option(code, optopt, argv[optind - 1], err);
	}
	if (optind < argc)
		options->command = argv + optind;
	return r || options->help ? r : trace_options_finish(options, err);
}

/* These have an event in the new thread, too. */
#define TRACE_MAKES_TASKS "clone, clone3, fork, vfork"

/* A file by its path, as a call names it, and by its descriptor. */
static void trace_append_path(const char *path, struct buf *out)
{
	static const char *const fields[] = {"fd.name", "fs.path.name", "fs.path.source",
					     "fs.path.target", "evt.abspath"};

	for (size_t i = 0; i < COUNT(fields); i++) {
		buf_printf(out, "%s%s = ", i ? " or " : "", fields[i]);
		trace_calls_append_operand(path, out);
	}
}

static int trace_append_calls(const struct trace_command_options *options, struct buf *out,
			      struct error *err)
{
	int r = trace_calls_append_filter(options->calls ? options->calls : "all", out, err);

	if (r == 0 && options->status) {
		BUF_LITERAL(out, " and ");
		r = trace_calls_append_status(options->status, out, err);
	}
	for (size_t i = 0; i < options->paths_count && r == 0; i++) {
		buf_append_string(out, i ? " or " : " and (");
		trace_append_path(options->paths[i], out);
	}
	if (options->paths_count)
		buf_append_char(out, ')');
	return r;
}

int trace_options_append_filter(const struct trace_command_options *options, struct buf *out,
				struct error *err)
{
	bool no_signals = false;
	size_t start;
	int r;

	buf_append_char(out, '(');
	r = trace_append_calls(options, out, err);
	BUF_LITERAL(out, ") or evt.type = procexit");
	/* What is new is counted, also where calls that make threads are not shown. */
	if (options->lines.follows && options->lines.shows != TRACE_TABLE)
		BUF_LITERAL(out, " or (evt.type in (" TRACE_MAKES_TASKS ") and evt.rawres = 0)");
	start = out->len;
	BUF_LITERAL(out, " or (evt.type = signaldeliver and ");
	if (r == 0)
		r = trace_calls_append_signals(options->signals ? options->signals : "all",
					       &no_signals, out, err);
	buf_append_char(out, ')');
	if (no_signals || options->lines.shows == TRACE_TABLE)
		out->len = start;
	return r ? r : out->failed ? error_set(err, -ENOMEM, "out of memory") : 0;
}

void trace_options_print_help(void)
{
	puts("Usage: agent trace [OPTION]... -p PID | [--] COMMAND [ARG]...\n\n"
	     "Prints system calls as strace(1) does, on standard error, each when it has ended.\n");
	for (size_t i = 0; i < ROWS; i++) {
		char letter[8] = "", name[64];

		if (rows[i].letter)
			snprintf(letter, sizeof(letter), "-%c, ", rows[i].letter);
		snprintf(name, sizeof(name), "%s--%s%s%s", letter, rows[i].name,
			 rows[i].argument ? " " : "", rows[i].argument ? rows[i].argument : "");
		printf("  %-30s %s\n", name, rows[i].help);
	}
}
