/* SPDX-License-Identifier: MIT */
/* The table of options of `agent stat`, and what they set. */
#include "agent/tools/stat_options.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "util/count.h"

static int set_events(void *options, const char *value, struct error *err)
{
	struct stat_options *stat = options;

	buf_printf(&stat->events, stat->events.len ? ",%s" : "%s", value);
	return 0;
}

static int set_separator(void *options, const char *value, struct error *err)
{
	struct stat_options *stat = options;

	stat->form = STAT_CSV;
	/* As perf-stat(1): a tab has a name that shells do not take. */
	stat->separator = strcmp(value, "\\t") == 0 ? "\t" : value;
	return 0;
}

static int set_json(void *options, const char *value, struct error *err)
{
	((struct stat_options *)options)->form = STAT_JSON;
	return 0;
}

#define STORES(member) offsetof(struct stat_options, member)

static const struct own_row rows[] = {
	{'e', "event", "EVENTS", "count these events: see agent perf-list", OWN_SET,
	 .set = set_events},
	{'p', "pid", "PID,...", "of these processes", OWN_TEXT, STORES(pids)},
	{'t', "tid", "TID,...", "of these threads", OWN_TEXT, STORES(tids)},
	{'a', "all-cpus", NULL, "of all tasks, on all CPUs", OWN_FLAG, STORES(all_cpus)},
	{'C', "cpu", "CPUS", "of all tasks, on these CPUs: 0-3,8", OWN_TEXT, STORES(cpus)},
	{'G', "cgroup", "NAME", "of the tasks of this control group", OWN_TEXT, STORES(cgroup)},
	{0, "per-container", NULL, "of each container, with its name", OWN_FLAG,
	 STORES(per_container)},
	{0, "per-pod", NULL, "of all containers of each pod of Kubernetes", OWN_FLAG,
	 STORES(per_pod)},
	{'i', "no-inherit", NULL, "without the children of the tasks", OWN_FLAG,
	 STORES(no_inherit)},
	{'I', "interval-print", "MS", "print what was counted every MS milliseconds", OWN_COUNT,
	 STORES(interval_ms)},
	{0, "timeout", "MS", "end after MS milliseconds", OWN_COUNT, STORES(timeout_ms)},
	{'r', "repeat", "N", "run the command N times; print the mean and its deviation", OWN_COUNT,
	 STORES(runs)},
	{'x', "field-separator", "SEP", "print columns with SEP between", OWN_SET,
	 .set = set_separator},
	{'j', "json-output", NULL, "print an object a line", OWN_SET, .set = set_json},
	{'o', "output", "FILE", "print to a file, not to standard error", OWN_TEXT, STORES(output)},
	{'v', "verbose", NULL, "print how events are opened, and why others are not", OWN_FLAG,
	 STORES(verbose)},
	{'h', "help", NULL, "print this", OWN_FLAG, STORES(help)},
};

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

static int stat_options_complete(void *chosen, int count, char **words, struct error *err)
{
	struct stat_options *options = chosen;
	int r;

	if (count)
		options->command = words;
	r = stat_options_check(options, err);
	if (options->events.len)
		buf_append_char(&options->events, '\0');
	if (r == 0 && options->events.failed)
		r = error_set(err, -ENOMEM, "out of memory");
	return r;
}

static void stat_options_reset(void *options)
{
	*(struct stat_options *)options = (struct stat_options){.runs = 1, .separator = ","};
}

void stat_options_finish(void *options)
{
	buf_finish(&((struct stat_options *)options)->events);
}

const struct own_options stat_own_options = {
	.command = "stat",
	.usage = "Usage: agent stat [OPTION]... [[--] COMMAND [ARG]...]\n\n"
		 "Counts events while a command runs, or of other tasks until it ends or ^C.\n",
	.rows = rows,
	.count = COUNT(rows),
	.help = STORES(help),
	.reset = stat_options_reset,
	.complete = stat_options_complete,
	.finish = stat_options_finish,
};
