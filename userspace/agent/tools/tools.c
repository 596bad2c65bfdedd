/* SPDX-License-Identifier: MIT */
/* The table of tools and of their options; what command line of a view they make. */
#include "agent/tools/tools.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/calls.h"
#include "util/buf.h"
#include "util/count.h"
#include "util/error.h"

enum { TOOL_OPTIONS_MAX = 12, WORDS_MAX = 64, ERRNO_MAX = 4095 };

/* An option: what it adds. All but `letter` and `help` may be NULL. */
struct tool_option {
	char letter;
	const char *argument; /* of its value */
	const char *filter; /* the value, quoted, stands behind */
	const char *column; /* a word of -p */
	const char
		*part; /* of the view's name, behind that of the tool; in the order of the table */
	const char *option; /* of captures, with the value */
	const char *(*read)(const char *value); /* what the value means; NULL: nothing */
	bool removes; /* that filter of the tool */
	const char *help;
	const char *name; /* a long name, of an option without a value */
};

/* The name of an error that is given by its name or number. */
static const char *read_error(const char *value)
{
	bool is_number = value[0] && value[strspn(value, "0123456789")] == '\0';

	for (int number = 1; number <= ERRNO_MAX; number++) {
		const char *name = error_errno_name(-number);

		if (name &&
		    (is_number ? strtol(value, NULL, 10) == number : strcmp(value, name) == 0))
			return name;
	}
	return NULL;
}

struct tool_order {
	const char *word, *value;
};

static const char *read_order(const struct tool_order *orders, const char *word)
{
	for (; orders->word; orders++)
		if (strcmp(orders->word, word) == 0)
			return orders->value;
	return NULL;
}

static const char *read_file_order(const char *word)
{
	static const struct tool_order orders[] = {
		{"all", "all"},		  {"reads", "reads"},	       {"writes", "writes"},
		{"rbytes", "read_bytes"}, {"wbytes", "written_bytes"}, {NULL, NULL}};

	return read_order(orders, word);
}

static const char *read_tcp_order(const char *word)
{
	static const struct tool_order orders[] = {
		{"all", "all"}, {"sent", "tx"}, {"received", "rx"}, {NULL, NULL}};

	return read_order(orders, word);
}

static const struct tool_option
	of_pid = {'p', "PID", .filter = "proc.pid =", .help = "of this process"},
	of_tid = {'t', "TID", .filter = "thread.tid =", .help = "of this thread"},
	of_user = {'u', "UID", .filter = "user.uid =", .help = "of this user"},
	of_name = {'n', "NAME", .filter = "proc.name contains",
		   .help = "of programs whose name has this in it"},
	with_time = {'T', .column = "time", .help = "with the time of day"},
	with_seconds = {'t', .column = "seconds", .help = "with the seconds since the first"},
	with_user = {'U', .column = "user", .help = "with the user"},
	only_failed = {'x', .filter = "evt.failed = true", .help = "only calls that failed"},
	also_failed = {'x', .removes = true, .help = "also calls that failed"},
	for_seconds = {'d', "SECONDS", .option = "--duration", .help = "end after that time"};

static const struct tool_option
	by_signal = {'s', "SIGNAL",
		     .filter = "evt.rawarg.sig =", .help = "this signal alone, by its number"},
	only_bad_exits = {'x', .filter = "evt.rawarg.status != 0",
			  .help = "only exits with a code or by a signal"},
	by_process = {'P', .part = "_process", .help = "by process"},
	for_each_process = {'P', .column = "process", .help = "by process"},
	also_threads = {'T', .name = "per-thread", .removes = true,
			.help = "also threads that end before their process"},
	at_time = {'t', .column = "time", .help = "with the time of day"},
	for_each_thread = {'L', .column = "thread", .help = "by thread"},
	in_milliseconds = {'m', .part = "_ms", .help = "in milliseconds"},
	off_cpus = {'O', .part = "_off", .help = "the time off the CPUs", .name = "offcpu"},
	with_previous = {'P', .part = "_previous", .help = "with the thread that ran before"},
	by_latency = {'L', .part = "_latency", .help = "with the time that they took"},
	to_port = {'P', "PORT", .filter = "evt.addr.port =", .help = "to this port alone"},
	at_port = {'P', "PORT", .filter = "fd.lport =", .help = "at this port alone"},
	top_count = {'T', "COUNT", .option = "--limit", .help = "so many rows"},
	rows_count = {'r', "COUNT", .option = "--limit", .help = "so many rows"},
	also_others = {'a', .part = "_all", .help = "also sockets, pipes and other kinds"},
	file_order = {'s', "ORDER", .option = "--sort", .read = read_file_order,
		      .help = "by all, reads, writes, rbytes or wbytes"},
	tcp_order = {'s', "ORDER", .option = "--sort", .read = read_tcp_order,
		     .help = "by all, sent or received"},
	by_error = {'e', "ERRNO", .filter = "evt.res =", .read = read_error,
		    .help = "only calls with this error, by its name or number"},
	each_seconds = {'i', "SECONDS", .option = "--interval",
			.help = "a table every so many seconds"},
	remote_port = {'D', "PORT", .filter = "tcp.remote.port =", .help = "to this port alone"},
	local_port = {'L', "PORT", .filter = "tcp.local.port =", .help = "from this port alone"};

static const struct tool {
	const char *name, *view;
	const char *filter; /* beside that of the view, unless an option removes it; or NULL */
	const struct tool_option *options[TOOL_OPTIONS_MAX];
	bool takes_number; /* one stands for an argument of the view, not for an interval */
} tools[] = {
	{"bindsnoop", NULL, NULL, {&of_pid, &of_user, &with_seconds}},
	{"cpudist",
	 NULL,
	 NULL,
	 {&of_pid, &for_each_process, &for_each_thread, &off_cpus, &in_milliseconds}},
	{"execsnoop",
	 NULL,
	 "evt.failed = false",
	 {&of_pid, &of_name, &of_user, &with_time, &with_seconds, &with_user, &also_failed}},
	{"exitsnoop",
	 NULL,
	 "thread.ismain = true",
	 {&of_pid, &of_name, &only_bad_exits, &at_time, &also_threads}},
	{"filelife", NULL, NULL, {&of_pid}},
	{"fileslower", "slowfiles", NULL, {&of_pid}, .takes_number = true},
	{"filetop", NULL, NULL, {&of_pid, &rows_count, &also_others, &file_order}},
	{"fsslower", NULL, NULL, {&of_pid, &for_seconds}, .takes_number = true},
	{"gethostlatency", NULL, NULL, {&of_pid}},
	{"killsnoop", NULL, NULL, {&of_pid, &only_failed, &by_signal}},
	{"mountsnoop", NULL, NULL, {&of_pid, &with_seconds}},
	{"opensnoop",
	 NULL,
	 NULL,
	 {&of_pid, &of_tid, &of_user, &of_name, &only_failed, &with_time, &with_user,
	  &for_seconds}},
	{"pidpersec", NULL, NULL, {&of_pid}},
	{"runqlat", NULL, NULL, {&of_pid, &for_each_process, &for_each_thread, &in_milliseconds}},
	{"runqslower", NULL, NULL, {&of_pid, &of_tid, &with_previous}, .takes_number = true},
	{"shmsnoop", NULL, NULL, {&of_pid, &of_tid, &of_name, &with_time, &for_seconds}},
	{"sigsnoop", NULL, NULL, {&of_pid, &only_failed, &by_signal}},
	{"sofdsnoop", NULL, NULL, {&of_pid, &of_tid, &of_name, &with_time, &for_seconds}},
	{"solisten", NULL, NULL, {&of_pid}},
	{"statsnoop", NULL, NULL, {&of_pid, &only_failed, &with_time, &with_seconds}},
	{"syncsnoop", NULL, NULL, {&of_pid}},
	{"syscount",
	 NULL,
	 NULL,
	 {&of_pid, &only_failed, &by_process, &by_latency, &top_count, &by_error, &each_seconds,
	  &for_seconds}},
	{"tcpaccept", NULL, NULL, {&of_pid, &with_time, &with_seconds, &at_port}},
	{"tcpconnect", NULL, NULL, {&of_pid, &of_user, &with_seconds, &with_user, &to_port}},
	{"tcpconnlat", NULL, NULL, {&of_pid, &with_seconds}},
	{"tcpdrop", NULL, NULL, {&for_seconds}},
	{"tcplife", NULL, NULL, {&of_pid, &with_time, &with_seconds, &remote_port, &local_port}},
	{"tcpretrans", NULL, NULL, {&of_pid}},
	{"tcprtt", NULL, NULL, {&for_seconds}},
	{"tcpstates", NULL, NULL, {&with_time, &with_seconds, &remote_port, &local_port}},
	{"tcptop", NULL, NULL, {&of_pid, &rows_count, &tcp_order}},
	{"threadsnoop", NULL, NULL, {&of_pid}},
	{"vfsstat", NULL, NULL, {&of_pid}},
};

const struct tool *tools_find(const char *name)
{
	for (size_t i = 0; i < COUNT(tools); i++)
		if (strcmp(tools[i].name, name) == 0)
			return &tools[i];
	return NULL;
}

const char *tools_name(unsigned int i)
{
	return i < COUNT(tools) ? tools[i].name : NULL;
}

static const struct tool_option *tool_option_find(const struct tool *tool, char letter)
{
	for (size_t i = 0; i < TOOL_OPTIONS_MAX && tool->options[i]; i++)
		if (tool->options[i]->letter == letter)
			return tool->options[i];
	return NULL;
}

/* That of "--per-thread", or NULL. */
static const struct tool_option *tool_option_named(const struct tool *tool, const char *word)
{
	for (size_t i = 0; i < TOOL_OPTIONS_MAX && tool->options[i]; i++) {
		const char *name = tool->options[i]->name;

		if (name && strncmp(word, "--", 2) == 0 && strcmp(word + 2, name) == 0)
			return tool->options[i];
	}
	return NULL;
}

static unsigned int tool_option_index(const struct tool *tool, const struct tool_option *option)
{
	unsigned int i = 0;

	while (tool->options[i] != option)
		i++;
	return i;
}

/* What options add up to. */
struct tool_made {
	struct tools_line *line;
	struct buf filter, columns;
	const char *view;
	uint32_t parts; /* bits of the options that have one */
	bool removes;
	bool has_number; /* the argument of the view */
	unsigned int numbers; /* words that were an interval and a count */
};

static int tools_add(struct tools_line *line, const char *word)
{
	char *copy = line->argc < WORDS_MAX ? strdup(word) : NULL;

	if (!copy)
		return -ENOMEM;
	line->argv[line->argc++] = copy;
	return 0;
}

static int tool_apply(const struct tool *tool, const struct tool_option *option, const char *value,
		      struct tool_made *made)
{
	if (option->part)
		made->parts |= 1U << tool_option_index(tool, option);
	if (option->filter) {
		buf_printf(&made->filter, "%s%s ", made->filter.len ? " and " : "", option->filter);
		if (option->argument)
			trace_calls_append_operand(value, &made->filter);
	}
	if (option->column)
		buf_printf(&made->columns, "%s%s", made->columns.len ? "," : "", option->column);
	made->removes |= option->removes;
	if (!option->option)
		return 0;
	return tools_add(made->line, option->option) ? -ENOMEM : tools_add(made->line, value);
}

/* Letters of a word such as "-xT", the last of which may have its value behind it or next. */
static int tool_read_letters(const struct tool *tool, char **argv, int argc, int *at,
			     struct tool_made *made, struct error *err)
{
	for (const char *letter = argv[*at] + 1; *letter; letter++) {
		const struct tool_option *option = tool_option_find(tool, *letter);
		const char *value = NULL;

		if (!option && *letter == 'h') {
			made->line->help = true;
			continue;
		}
		if (!option)
			return error_set(err, -EINVAL,
					 "%s: -%c: unknown option; agent %s -h lists them",
					 tool->name, *letter, tool->name);
		if (option->argument) {
			value = letter[1] ? letter + 1 : *at + 1 < argc ? argv[++*at] : NULL;
			if (!value)
				return error_set(err, -EINVAL, "%s: -%c needs a value: %s",
						 tool->name, *letter, option->argument);
		}
		if (value && option->read && !(value = option->read(value)))
			return error_set(err, -EINVAL, "%s: -%c: there is no such %s: %s",
					 tool->name, *letter, option->argument, argv[*at]);
		if (tool_apply(tool, option, value, made))
			return error_set(err, -ENOMEM, "%s: too many options", tool->name);
		if (value)
			break;
	}
	return 0;
}

/* A number is an interval, the second one a count; all else belongs to a filter or the agent. */
static int tool_read_word(const struct tool *tool, const char *word, struct tool_made *made,
			  struct error *err)
{
	static const char *const options[] = {"--interval", "--count"};
	bool is_number = *word && word[strspn(word, "0123456789.")] == '\0';
	int r = 0;

	if (is_number && tool->takes_number && !made->has_number)
		made->has_number = true;
	else if (is_number && made->numbers < COUNT(options))
		r = tools_add(made->line, options[made->numbers++]);
	if (r == 0)
		r = tools_add(made->line, word);
	return r ? error_set(err, r, "%s: too many words", tool->name) : 0;
}

/* Long names are those of agent view, but for few. */
static int tool_read_name(const struct tool *tool, const char *word, struct tool_made *made,
			  struct error *err)
{
	const struct tool_option *option = tool_option_named(tool, word);

	if (!option)
		return tool_read_word(tool, word, made, err);
	return tool_apply(tool, option, NULL, made)
		       ? error_set(err, -ENOMEM, "%s: too many options", tool->name)
		       : 0;
}

static char *tool_view_name(const struct tool *tool, const struct tool_made *made)
{
	struct buf name = {0};

	buf_printf(&name, "%s", made->view);
	for (size_t i = 0; i < TOOL_OPTIONS_MAX && tool->options[i]; i++)
		if (made->parts & 1U << i)
			buf_printf(&name, "%s", tool->options[i]->part);
	buf_append_char(&name, '\0');
	if (!name.failed)
		return name.data;
	buf_finish(&name);
	return NULL;
}

/* The filter stands first: "view" takes the words behind its name. */
static int tool_join(const struct tool *tool, struct tool_made *made)
{
	if (tool->filter && !made->removes)
		buf_printf(&made->filter, "%s%s", made->filter.len ? " and " : "", tool->filter);
	buf_append_char(&made->filter, '\0');
	buf_append_char(&made->columns, '\0');
	free(made->line->argv[2]);
	made->line->argv[2] = tool_view_name(tool, made);
	if (made->filter.failed || made->columns.failed || !made->line->argv[2])
		return -ENOMEM;
	if (made->filter.len > 1 &&
	    (tools_add(made->line, "--filter") || tools_add(made->line, made->filter.data)))
		return -ENOMEM;
	if (made->columns.len > 1 &&
	    (tools_add(made->line, "-p") || tools_add(made->line, made->columns.data)))
		return -ENOMEM;
	return 0;
}

int tools_translate(const struct tool *tool, int argc, char **argv, struct tools_line *line,
		    struct error *err)
{
	struct tool_made made = {.line = line, .view = tool->view ? tool->view : tool->name};
	int r = 0, at;

	*line = (struct tools_line){.argv = calloc(WORDS_MAX + 1, sizeof(line->argv[0]))};
	if (!line->argv || tools_add(line, argv[0]) || tools_add(line, "view") ||
	    tools_add(line, made.view))
		r = error_set(err, -ENOMEM, "out of memory");
	for (at = 2; r == 0 && at < argc && strcmp(argv[at], "--"); at++) {
		if (strcmp(argv[at], "--help") == 0)
			line->help = true;
		else if (argv[at][0] == '-' && argv[at][1] && argv[at][1] != '-')
			r = tool_read_letters(tool, argv, argc, &at, &made, err);
		else
			r = tool_read_name(tool, argv[at], &made, err);
	}
	if (r == 0 && tool_join(tool, &made))
		r = error_set(err, -ENOMEM, "%s: too many options", tool->name);
	for (; r == 0 && at < argc; at++)
		if (tools_add(line, argv[at]))
			r = error_set(err, -ENOMEM, "%s: too many words", tool->name);
	buf_finish(&made.filter);
	buf_finish(&made.columns);
	if (r)
		tools_line_finish(line);
	return r;
}

void tools_line_finish(struct tools_line *line)
{
	for (int i = 0; i < line->argc; i++)
		free(line->argv[i]);
	free(line->argv);
	*line = (struct tools_line){0};
}

void tools_print_help(const struct tool *tool)
{
	printf("Usage: agent %s [OPTION]... [FILTER] [-- COMMAND]\n\n"
	       "The view %s, with the options of bcc's %s:\n\n",
	       tool->name, tool->view ? tool->view : tool->name, tool->name);
	for (size_t i = 0; i < TOOL_OPTIONS_MAX && tool->options[i]; i++) {
		const struct tool_option *option = tool->options[i];

		printf("  -%c %-8s %s", option->letter, option->argument ? option->argument : "",
		       option->help);
		printf(option->name ? " (--%s)\n" : "\n", option->name);
	}
	puts("\nLong options of agent view are taken, too: --read=FILE, --format=json");
}
