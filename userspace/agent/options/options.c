/* SPDX-License-Identifier: MIT */
/* The memory that options own. */
#include "agent/options/options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int options_add_rules(struct options *options, const char *value)
{
	const char **paths = realloc(options->rules,
				     (options->rules_count + 1) * sizeof(options->rules[0]));

	if (!paths)
		return -ENOMEM;
	options->rules = paths;
	options->rules[options->rules_count++] = value;
	return 0;
}

void options_finish(struct options *options)
{
	free(options->filter);
	free(options->rules);
	free(options->pids);
	options->filter = NULL;
	options->rules = NULL;
	options->pids = NULL;
}

const char *options_input_name(const struct options *options)
{
	return strcmp(options->read, "-") ? options->read : "standard input";
}
