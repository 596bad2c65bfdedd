/* SPDX-License-Identifier: MIT */
/* Loads rules from paths. */
#include "agent/plan/pushdown.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "yaml/file.h"

/* The files of all paths. */
struct inputs {
	struct rules_input *list; /* owned, the paths too */
	size_t count;
};

/* Adds a copy of the path. */
static int add_input(struct inputs *inputs, const char *path)
{
	char *copy = strdup(path);
	struct rules_input *list =
		copy ? realloc(inputs->list, (inputs->count + 1) * sizeof(*list)) : NULL;

	if (!list) {
		free(copy);
		return -ENOMEM;
	}
	inputs->list = list;
	inputs->list[inputs->count++] = (struct rules_input){.path = copy};
	return 0;
}

static void inputs_finish(struct inputs *inputs)
{
	for (size_t i = 0; i < inputs->count; i++)
		free((char *)inputs->list[i].path);
	free(inputs->list);
}

/* A path that is no folder is treated as a file: errors are reported by the reader. */
static int add_path(struct inputs *inputs, const char *path, struct buf *messages)
{
	struct yaml_folder folder;
	int r = yaml_folder_read(path, &folder);

	if (r && r != -ENOMEM)
		return add_input(inputs, path);
	for (size_t i = 0; i < folder.count && r == 0; i++)
		r = add_input(inputs, folder.paths[i]);
	if (r == 0 && folder.count == 0) {
		buf_printf(messages, "%s: error: there is no *.yaml or *.yml in this folder\n",
			   path);
		r = -EINVAL;
	}
	yaml_folder_finish(&folder);
	return r;
}

/* Notes are only for check-rules, not for captures. */
static enum yaml_severity least_severe(const struct options *options)
{
	const struct agent_subcommand *command = options->subcommand;

	return command && !command->captures && options->verbose ? YAML_NOTE : YAML_WARNING;
}

int rules_load_options(const struct options *options, const struct printer *printer,
		       const char *filter, struct ruleset **ruleset, struct rules_counts *counts,
		       struct buf *messages)
{
	const struct ruleset_line line = {.format = printer->format};
	const struct ruleset_config config = {
		.rules = {.filter = {.exact_types = options->exact_types},
			  .least = options->priority,
			  .wanted = {options->tags, options->tags_count},
			  .excluded = {options->excluded_tags, options->excluded_tags_count},
			  .names = {options->on_rules, options->on_rules_count}},
		.filter = filter,
		.recorded = options->read != NULL,
		.lines = printer->lines_count ? printer->lines : &line,
		.lines_count = printer->lines_count ? printer->lines_count : 1,
		.style = printer->style,
		.container_info = printer->container_info,
	};
	struct yaml_report report = {0};
	struct inputs inputs = {0};
	int r = 0;

	for (size_t i = 0; i < options->rules_count && r == 0; i++)
		r = add_path(&inputs, options->rules[i], messages);
	if (r == 0)
		r = ruleset_create(inputs.list, inputs.count, &config, ruleset, counts, &report);
	yaml_report_render(&report, least_severe(options), messages);
	yaml_report_finish(&report);
	inputs_finish(&inputs);
	return r;
}

static void rules_load_append_count(struct buf *out, size_t n, const char *what,
				    const char **separator)
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
	rules_load_append_count(out, counts->disabled, "disabled", &separator);
	rules_load_append_count(out, counts->foreign, "not about system calls", &separator);
	rules_load_append_count(out, counts->unknown, "with fields that are not known here",
				&separator);
	rules_load_append_count(out, counts->minor, "of a lower priority", &separator);
	rules_load_append_count(out, counts->untagged, "with other tags", &separator);
	if (separator[0] == ',')
		buf_append_char(out, ')');
	buf_printf(out, ", %zu macro%s, %zu list%s", counts->macros, counts->macros == 1 ? "" : "s",
		   counts->lists, counts->lists == 1 ? "" : "s");
}
