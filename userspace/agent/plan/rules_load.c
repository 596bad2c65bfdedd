/* SPDX-License-Identifier: MIT */
/* Loads rules from paths. */
#include "agent/plan/rules_load.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The files of all paths. */
struct inputs {
	struct rules_input *list; /* owned, the paths too */
	size_t count;
};

static int add_input(struct inputs *inputs, char *path)
{
	struct rules_input *list =
		path ? realloc(inputs->list, (inputs->count + 1) * sizeof(*list)) : NULL;

	if (!list) {
		free(path);
		return -ENOMEM;
	}
	inputs->list = list;
	inputs->list[inputs->count++] = (struct rules_input){.path = path};
	return 0;
}

static void inputs_finish(struct inputs *inputs)
{
	for (size_t i = 0; i < inputs->count; i++)
		free((char *)inputs->list[i].path);
	free(inputs->list);
}

static int is_rules_file(const struct dirent *entry)
{
	const char *dot = strrchr(entry->d_name, '.');

	return entry->d_name[0] != '.' && dot &&
	       (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".yml") == 0);
}

static char *join_path(const char *folder, const char *name)
{
	struct buf path = {0};

	buf_printf(&path, "%s/%s", folder, name);
	buf_append_char(&path, '\0');
	if (!path.failed)
		return path.data;
	buf_finish(&path);
	return NULL;
}

/* A path that is no folder is treated as a file: errors are reported by the reader. */
static int add_path(struct inputs *inputs, const char *path, struct buf *messages)
{
	struct dirent **entries;
	int n = scandir(path, &entries, is_rules_file, alphasort), code = 0;

	if (n < 0)
		return errno == ENOMEM ? -ENOMEM : add_input(inputs, strdup(path));
	for (int i = 0; i < n; i++) {
		if (code == 0)
			code = add_input(inputs, join_path(path, entries[i]->d_name));
		free(entries[i]);
	}
	free(entries);
	if (n)
		return code;
	buf_printf(messages, "%s: error: there is no *.yaml or *.yml in this folder\n", path);
	return -EINVAL;
}

/* Notes are only for check-rules, not for captures. */
static enum rules_severity least_severe(const struct options *options)
{
	return options->subcommand && options->verbose ? RULES_NOTE : RULES_WARNING;
}

int rules_load_options(const struct options *options, const struct printer *printer,
		       struct ruleset **ruleset, struct rules_counts *counts, struct buf *messages)
{
	const struct ruleset_config config = {
		.rules = {.filter = {.exact_types = options->exact_types},
			  .least = options->priority},
		.filter = options->filter,
		.format = printer->format,
		.style = printer->style,
		.container_info = printer->container_info,
	};
	struct rules_report report = {0};
	struct inputs inputs = {0};
	int code = 0;

	for (size_t i = 0; i < options->rules_count && code == 0; i++)
		code = add_path(&inputs, options->rules[i], messages);
	if (code == 0)
		code = ruleset_create(inputs.list, inputs.count, &config, ruleset, counts, &report);
	rules_report_render(&report, least_severe(options), messages);
	rules_report_finish(&report);
	inputs_finish(&inputs);
	return code;
}

static void append_count(struct buf *out, size_t n, const char *what, const char **separator)
{
	if (n == 0)
		return;
	buf_printf(out, "%s%zu %s", *separator, n, what);
	*separator = ", ";
}

void rules_append_summary(const struct rules_counts *counts, struct buf *out)
{
	const char *separator = " (";

	buf_printf(out, "%zu rule%s", counts->rules, counts->rules == 1 ? "" : "s");
	append_count(out, counts->disabled, "disabled", &separator);
	append_count(out, counts->foreign, "not about system calls", &separator);
	append_count(out, counts->unknown, "with fields that are not known here", &separator);
	append_count(out, counts->minor, "of a lower priority", &separator);
	if (separator[0] == ',')
		buf_append_char(out, ')');
	buf_printf(out, ", %zu macro%s, %zu list%s", counts->macros, counts->macros == 1 ? "" : "s",
		   counts->lists, counts->lists == 1 ? "" : "s");
}
