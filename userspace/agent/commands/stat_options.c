/* SPDX-License-Identifier: MIT */
/* The table of options of `agent stat`, and what they set. */
#include "agent/commands/stat_options.h"

#include <errno.h>
#include <getopt.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "util/count.h"
#include "util/nearest.h"
#include "util/value.h"

enum stat_value { VALUE_TEXT, VALUE_FLAG, VALUE_COUNT, VALUE_EVENTS, VALUE_SEPARATOR, VALUE_JSON };

struct stat_row {
	char letter; /* '\0': none */
	const char *name, *argument; /* argument: NULL if there is none */
	const char *help;
	enum stat_value value;
	size_t offset; /* in struct stat_options */
};

#define STORES(member) offsetof(struct stat_options, member)

static const struct stat_row rows[] = {
	{'e', "event", "EVENTS", "count these events: see agent perf-list", VALUE_EVENTS},
	{'p', "pid", "PID,...", "of these processes", VALUE_TEXT, STORES(pids)},
	{'t', "tid", "TID,...", "of these threads", VALUE_TEXT, STORES(tids)},
	{'a', "all-cpus", NULL, "of all tasks, on all CPUs", VALUE_FLAG, STORES(all_cpus)},
	{'C', "cpu", "CPUS", "of all tasks, on these CPUs: 0-3,8", VALUE_TEXT, STORES(cpus)},
	{'G', "cgroup", "NAME", "of the tasks of this control group", VALUE_TEXT, STORES(cgroup)},
	{0, "per-container", NULL, "of each container, with its name", VALUE_FLAG,
	 STORES(per_container)},
	{0, "per-pod", NULL, "of all containers of each pod of Kubernetes", VALUE_FLAG,
	 STORES(per_pod)},
	{'i', "no-inherit", NULL, "without the children of the tasks", VALUE_FLAG,
	 STORES(no_inherit)},
	{'I', "interval-print", "MS", "print what was counted every MS milliseconds", VALUE_COUNT,
	 STORES(interval_ms)},
	{0, "timeout", "MS", "end after MS milliseconds", VALUE_COUNT, STORES(timeout_ms)},
	{'r', "repeat", "N", "run the command N times; print the mean and its deviation",
	 VALUE_COUNT, STORES(runs)},
	{'x', "field-separator", "SEP", "print columns with SEP between", VALUE_SEPARATOR,
	 STORES(separator)},
	{'j', "json-output", NULL, "print an object a line", VALUE_JSON},
	{'o', "output", "FILE", "print to a file, not to standard error", VALUE_TEXT,
	 STORES(output)},
	{'v', "verbose", NULL, "print how events are opened, and why others are not", VALUE_FLAG,
	 STORES(verbose)},
	{'h', "help", NULL, "print this", VALUE_FLAG, STORES(help)},
};

enum { ROWS = COUNT(rows), CODE_NAME = 256 };

static const struct stat_row *find_row(int code)
{
	for (size_t i = 0; i < ROWS; i++)
		if (code == CODE_NAME + (int)i || (code && code == rows[i].letter))
			return &rows[i];
	return NULL;
}

/* Options end at the first word that is none: the command. */
static void make_tables(char letters[2 * ROWS + 3], struct option names[ROWS + 1])
{
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

static int reject(int code, const char *word, struct error *err)
{
	struct nearest nearest;

	if (code == ':')
		return error_set(err, -EINVAL, "stat: %s needs a value", word);
	nearest_init(&nearest, word + 2 * (word[0] == '-' && word[1] == '-'), strlen(word));
	if (word[0] == '-' && word[1] == '-')
		nearest_init(&nearest, word + 2, strcspn(word + 2, "="));
	for (size_t i = 0; i < ROWS; i++)
		nearest_offer(&nearest, rows[i].name);
	if (nearest.word)
		return error_set(err, -EINVAL, "stat: %s: unknown option (did you mean --%s?)",
				 word, nearest.word);
	return error_set(err, -EINVAL, "stat: %s: unknown option; agent stat --help lists them",
			 word);
}

static int set_row(const struct stat_row *row, const char *value, struct stat_options *options,
		   struct error *err)
{
	void *place = (char *)options + row->offset;

	switch (row->value) {
	case VALUE_TEXT:
		*(const char **)place = value;
		return 0;
	case VALUE_FLAG:
		*(bool *)place = true;
		return 0;
	case VALUE_COUNT:
		if (value_read_count(value, UINT32_MAX, place) == 0)
			return 0;
		return error_set(err, -EINVAL, "stat: --%s %s: expected a number from 1", row->name,
				 value);
	case VALUE_EVENTS:
		buf_printf(&options->events, options->events.len ? ",%s" : "%s", value);
		return 0;
	case VALUE_SEPARATOR:
		options->form = STAT_CSV;
		/* As perf-stat(1): a tab has a name that shells do not take. */
		options->separator = strcmp(value, "\\t") == 0 ? "\t" : value;
		return 0;
	case VALUE_JSON:
		options->form = STAT_JSON;
		return 0;
	}
	return 0;
}

static int stat_options_check(const struct stat_options *options, struct error *err)
{
	bool has_tasks = options->pids || options->tids;
	bool has_containers = options->per_container || options->per_pod;
	bool has_cpus = options->all_cpus || options->cpus || options->cgroup || has_containers;

	if (has_tasks && has_cpus)
		return error_set(err, -EINVAL,
				 "stat: tasks are counted on all CPUs: not both -p or "
				 "-t and -a, -C, --cgroup, --per-container or --per-pod");
	if (has_containers && (options->cgroup || options->runs > 1))
		return error_set(err, -EINVAL,
				 "stat: --per-container and --per-pod count all containers, once: "
				 "not with --cgroup or -r");
	if (options->per_container && options->per_pod)
		return error_set(err, -EINVAL, "stat: --per-container or --per-pod: one of them");
	if (!has_tasks && !has_cpus && !options->command)
		return error_set(err, -EINVAL,
				 "stat needs something to count: a command, -p PID, "
				 "-C CPUS, --cgroup NAME, --per-container or -a");
	if (options->runs > 1 && !options->command)
		return error_set(err, -EINVAL, "stat: -r repeats a command, and there is none");
	if (options->runs > 1 && options->interval_ms)
		return error_set(err, -EINVAL, "stat: not both -r and -I");
	return 0;
}

int stat_options_read(int argc, char **argv, struct stat_options *options, struct error *err)
{
	char letters[2 * ROWS + 3];
	struct option names[ROWS + 1];
	int code, r = 0;

	*options = (struct stat_options){.runs = 1, .separator = ","};
	make_tables(letters, names);
	optind = 0;
	opterr = 0;
	while (r == 0 && (code = getopt_long(argc, argv, letters, names, NULL)) != -1) {
		const struct stat_row *row = code == ':' || code == '?' ? NULL : find_row(code);

		r = row ? set_row(row, optarg, options, err) : reject(code, argv[optind - 1], err);
	}
	if (optind < argc)
		options->command = argv + optind;
	if (r == 0 && !options->help)
		r = stat_options_check(options, err);
	if (options->events.len)
		buf_append_char(&options->events, '\0');
	if (r == 0 && options->events.failed)
		r = error_set(err, -ENOMEM, "out of memory");
	if (r)
		stat_options_finish(options);
	return r;
}

void stat_options_finish(struct stat_options *options)
{
	buf_finish(&options->events);
}

void stat_options_print_help(void)
{
	puts("Usage: agent stat [OPTION]... [[--] COMMAND [ARG]...]\n\n"
	     "Counts events while a command runs, or of other tasks until it ends or ^C.\n");
	for (size_t i = 0; i < ROWS; i++) {
		char letter[8] = "", name[64];

		if (rows[i].letter)
			snprintf(letter, sizeof(letter), "-%c, ", rows[i].letter);
		snprintf(name, sizeof(name), "%s--%s%s%s", letter, rows[i].name,
			 rows[i].argument ? " " : "", rows[i].argument ? rows[i].argument : "");
		printf("  %-30s %s\n", name, rows[i].help);
	}
}
