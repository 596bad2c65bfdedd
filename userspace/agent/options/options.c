/* SPDX-License-Identifier: MIT */
/* Options as a whole, the settings that they were given by, and the table rows of commands. */
#include "agent/options/options.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "agent/options/settings.h"
#include "output/config.h"
#include "output/targets/kinds.h"
#include "util/buf.h"
#include "util/nearest.h"

/* Subcommands by name, and words that are probably mistyped ones. */

#define LETTERS "abcdefghijklmnopqrstuvwxyz"

const struct agent_subcommand *agent_subcommand_find(const struct agent_subcommand *subcommands,
						     const char *name)
{
	for (; subcommands->name; subcommands++)
		if (strcmp(subcommands->name, name) == 0)
			return subcommands;
	return NULL;
}

const struct agent_subcommand *
agent_subcommand_of_own_options(const struct agent_subcommand *subcommands, int argc, char **argv)
{
	const struct agent_subcommand *command =
		argc > 1 ? agent_subcommand_find(subcommands, argv[1]) : NULL;

	return command && command->own_options ? command : NULL;
}

static bool is_bare_word(const char *word)
{
	return word[0] && word[strspn(word, LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZ-_")] == '\0';
}

static void options_append_names(const struct agent_subcommand *subcommands, struct buf *out)
{
	for (const struct agent_subcommand *command = subcommands; command->name; command++)
		buf_printf(out, "%s%s", command == subcommands ? "" : ", ", command->name);
}

int agent_subcommand_check_mistyped(const struct agent_subcommand *subcommands, char **words,
				    struct error *err)
{
	struct nearest nearest;
	struct buf names = {0};

	if (!is_bare_word(words[0]))
		return 0;
	nearest_init(&nearest, words[0], strlen(words[0]));
	for (const struct agent_subcommand *command = subcommands; command->name; command++)
		nearest_offer(&nearest, command->name);
	if (nearest.word)
		return error_set(err, -EINVAL,
				 "'%s' is no command and no filter; did you mean "
				 "'agent %s'?",
				 words[0], nearest.word);
	if (words[1])
		return 0;
	options_append_names(subcommands, &names);
	buf_append_char(&names, '\0');
	error_set(err, -EINVAL,
		  "'%s' is no command and no filter (commands: %s; a filter is like "
		  "proc.name=cat)",
		  words[0], names.failed ? "" : names.data);
	buf_finish(&names);
	return -EINVAL;
}

/* Lists of settings, and the memory of their values. */

void settings_finish(struct settings *settings)
{
	for (size_t i = 0; i < settings->files_count; i++) {
		yaml_file_finish(settings->files[i]);
		free(settings->files[i]);
	}
	free(settings->files);
	free(settings->list);
	arena_finish(&settings->memory);
	*settings = (struct settings){0};
}

int settings_add(struct settings *settings, const struct setting *setting)
{
	struct setting *list = realloc(settings->list, (settings->count + 1) * sizeof(*list));
	struct setting added = *setting;

	if (!list)
		return -ENOMEM;
	settings->list = list;
	if (added.value)
		added.value = arena_text(&settings->memory, added.value, strlen(added.value));
	if (setting->value && !added.value)
		return -ENOMEM;
	list[settings->count++] = added;
	return 0;
}

void settings_remove(struct settings *settings, const struct setting *setting)
{
	size_t i = (size_t)(setting - settings->list);

	settings->count--;
	memmove(&settings->list[i], &settings->list[i + 1],
		(settings->count - i) * sizeof(settings->list[0]));
}

struct yaml_file *settings_add_file(struct settings *settings)
{
	struct yaml_file **files =
		realloc(settings->files, (settings->files_count + 1) * sizeof(*files));

	if (!files)
		return NULL;
	settings->files = files;
	files[settings->files_count] = calloc(1, sizeof(**files));
	if (!files[settings->files_count])
		return NULL;
	return files[settings->files_count++];
}

const struct setting *settings_find(const struct settings *settings, unsigned int place)
{
	for (size_t i = settings->count; i-- > 0;)
		if (settings->list[i].place == place)
			return &settings->list[i];
	return NULL;
}

/* The next setting of an option from index `i` on, or NULL; `i` is then behind it. */
static const struct setting *next_of(const struct settings *settings, unsigned int place, size_t *i)
{
	while (*i < settings->count) {
		const struct setting *setting = &settings->list[(*i)++];

		if (setting->place == place)
			return setting;
	}
	return NULL;
}

const struct setting *settings_get(const struct settings *settings, unsigned int place, size_t n)
{
	const struct setting *setting;
	size_t i = 0;

	do
		setting = next_of(settings, place, &i);
	while (setting && n-- > 0);
	return setting;
}

static bool is_same_value(const struct setting *a, const struct setting *b)
{
	if (!a->value || !b->value)
		return a->value == b->value;
	return strcmp(a->value, b->value) == 0;
}

bool settings_are_same(const struct settings *a, const struct settings *b, unsigned int place)
{
	const struct setting *of_a, *of_b;
	size_t i = 0, j = 0;

	do {
		of_a = next_of(a, place, &i);
		of_b = next_of(b, place, &j);
	} while (of_a && of_b && is_same_value(of_a, of_b));
	return !of_a && !of_b;
}

/* The memory that options own. */

/* Adds a word of the command line to a list. Returns 0 or -ENOMEM. */
static int options_add_word(const char ***paths, size_t *count, const char *path)
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
	return options_add_word(&options->rules, &options->rules_count, path);
}

int options_add_tag(struct options *options, const char *tag)
{
	return options_add_word(&options->tags, &options->tags_count, tag);
}

int options_add_excluded_tag(struct options *options, const char *tag)
{
	return options_add_word(&options->excluded_tags, &options->excluded_tags_count, tag);
}

int options_add_on_rule(struct options *options, const char *name)
{
	return options_add_word(&options->on_rules, &options->on_rules_count, name);
}

int options_add_file(struct options *options, const char *path)
{
	return options_add_word(&options->files, &options->files_count, path);
}

int options_add_view_folder(struct options *options, const char *path)
{
	return options_add_word(&options->view_folders, &options->view_folders_count, path);
}

int options_add_runtime_socket(struct options *options, const char *path)
{
	return options_add_word(&options->runtime_sockets, &options->runtime_sockets_count, path);
}

int options_add_sample(struct options *options, const char *text)
{
	return options_add_word(&options->samples, &options->samples_count, text);
}

int options_add_counters(struct options *options, const char *text)
{
	return options_add_word(&options->counters, &options->counters_count, text);
}

int options_add_tracepoint(struct options *options, const char *text)
{
	return options_add_word(&options->tracepoints, &options->tracepoints_count, text);
}

int options_add_probe(struct options *options, const char *text)
{
	return options_add_word(&options->probes, &options->probes_count, text);
}

int options_set_profile(struct options *options, const char *text)
{
	return options_read_continuous(text, &options->settings.memory, &options->continuous);
}

int options_add_output(struct options *options, const char *text)
{
	return options_add_word(&options->output_texts, &options->output_texts_count, text);
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
		int r = output_config_read(output_kinds, text, &config, &wrong);

		if (r)
			return reject_output(text, r, &wrong, err);
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
	free(options->tags);
	free(options->excluded_tags);
	free(options->runtime_sockets);
	free(options->samples);
	free(options->counters);
	free(options->tracepoints);
	free(options->probes);
	free(options->on_rules);
	free(options->view_folders);
	views_view_destroy(options->view);
	free(options->pids);
	settings_finish(&options->settings);
	options->filter = NULL;
	options->files = NULL;
	options->rules = NULL;
	options->tags = options->excluded_tags = NULL;
	options->runtime_sockets = options->counters = NULL;
	options->samples = options->tracepoints = options->probes = NULL;
	options->on_rules = options->view_folders = NULL;
	options->view = NULL;
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
