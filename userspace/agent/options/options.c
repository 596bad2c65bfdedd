/* SPDX-License-Identifier: MIT */
/* The memory that options own. */
#include "agent/options/options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "output/targets/kinds.h"
#include "output/config.h"

/* Adds a word of the command line to a list. Returns 0 or -ENOMEM. */
static int add_word(const char ***paths, size_t *count, const char *path)
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
	return add_word(&options->rules, &options->rules_count, path);
}

int options_add_file(struct options *options, const char *path)
{
	return add_word(&options->files, &options->files_count, path);
}

int options_add_runtime_socket(struct options *options, const char *path)
{
	return add_word(&options->runtime_sockets, &options->runtime_sockets_count, path);
}

int options_add_output(struct options *options, const char *text)
{
	return add_word(&options->output_texts, &options->output_texts_count, text);
}

int options_add_output_config(struct options *options, struct output_config *config)
{
	size_t size = (options->outputs_count + 1) * sizeof(options->outputs[0]);
	struct output_config **more = realloc(options->outputs, size);

	if (!more) {
		output_config_destroy(config);
		return -ENOMEM;
	}
	more[options->outputs_count++] = config;
	options->outputs = more;
	return 0;
}

/* Without the keys, and what else may have passwords. */
static int reject_output(const char *text, int code, const struct error *wrong, struct error *err)
{
	struct buf shown = {0};

	output_append_shown(text, strcspn(text, ","), &shown);
	error_set(err, code, "--output %.*s: %s", (int)shown.len, shown.data ? shown.data : "",
		  wrong->text);
	buf_finish(&shown);
	return code;
}

int options_read_outputs(struct options *options, struct error *err)
{
	for (size_t i = 0; i < options->output_texts_count; i++) {
		const char *text = options->output_texts[i];
		struct output_config *config;
		struct error wrong = {""};
		int code = output_config_read(output_kinds, text, &config, &wrong);

		if (code)
			return reject_output(text, code, &wrong, err);
		if (options_add_output_config(options, config))
			return error_set(err, -ENOMEM, "out of memory");
	}
	return 0;
}

static void finish_outputs(struct options *options)
{
	for (size_t i = 0; i < options->outputs_count; i++)
		output_config_destroy(options->outputs[i]);
	free(options->outputs);
	free(options->output_texts);
	options->outputs = NULL;
	options->output_texts = NULL;
	options->outputs_count = options->output_texts_count = 0;
}

void options_finish(struct options *options)
{
	finish_outputs(options);
	free(options->filter);
	free(options->files);
	free(options->rules);
	free(options->runtime_sockets);
	free(options->pids);
	settings_finish(&options->settings);
	options->filter = NULL;
	options->files = NULL;
	options->rules = NULL;
	options->runtime_sockets = NULL;
	options->pids = NULL;
}

void options_destroy(struct options *options)
{
	if (options)
		options_finish(options);
	free(options);
}

const char *options_input_name(const struct options *options)
{
	return strcmp(options->read, "-") ? options->read : "standard input";
}
