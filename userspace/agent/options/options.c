/* SPDX-License-Identifier: MIT */
/* The memory that options own. */
#include "agent/options/options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Adds a path to a list. Returns 0 or -ENOMEM. */
static int add_path(const char ***paths, size_t *count, const char *path)
{
	const char **more = realloc(*paths, (*count + 1) * sizeof(**paths));

	if (!more)
		return -ENOMEM;
	more[(*count)++] = path;
	*paths = more;
	return 0;
}

int options_add_rules(struct options *options, const char *path)
{
	return add_path(&options->rules, &options->rules_count, path);
}

int options_add_runtime_socket(struct options *options, const char *path)
{
	return add_path(&options->runtime_sockets, &options->runtime_sockets_count, path);
}

void options_finish(struct options *options)
{
	free(options->filter);
	free(options->rules);
	free(options->runtime_sockets);
	free(options->pids);
	options->filter = NULL;
	options->rules = NULL;
	options->runtime_sockets = NULL;
	options->pids = NULL;
}

const char *options_input_name(const struct options *options)
{
	return strcmp(options->read, "-") ? options->read : "standard input";
}
