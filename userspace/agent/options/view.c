/* SPDX-License-Identifier: MIT */
/* Finds the view, and fills it with the words behind its name. */
#include "agent/options/view.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/count.h"

/* The first existing of $XDG_CONFIG_HOME and ~/.config. */
static char *own_folder(void)
{
	const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	char *path = NULL;
	int n = 0;

	if (config && *config)
		n = asprintf(&path, "%s/lanner/views", config);
	else if (home && *home)
		n = asprintf(&path, "%s/.config/lanner/views", home);
	return n < 0 ? NULL : path;
}

int options_view_folders_init(struct options_view_folders *folders, const char *const *given,
			      size_t count, struct error *err)
{
	*folders = (struct options_view_folders){
		.paths = calloc(count + 1, sizeof(folders->paths[0])), .own = own_folder()};
	if (!folders->paths)
		return error_set(err, -ENOMEM, "out of memory");
	for (size_t i = 0; i < count; i++) {
		if (access(given[i], F_OK))
			return error_set(err, -errno, "--view-dir %s: %s", given[i],
					 strerror(errno));
		folders->paths[folders->count++] = given[i];
	}
	if (folders->own)
		folders->paths[folders->count++] = folders->own;
	return 0;
}

void options_view_folders_finish(struct options_view_folders *folders)
{
	free(folders->paths);
	free(folders->own);
	*folders = (struct options_view_folders){0};
}

/* The folders that both name, in their order. The array is the caller's; NULL without memory. */
static const char **folders_given(const struct settings *files, const struct settings *line,
				  size_t *count)
{
	const struct settings *const settings[2] = {files, line};
	const char **given = calloc(files->count + line->count + 1, sizeof(given[0]));
	const struct setting *setting;
	unsigned int place;

	*count = 0;
	option_find("view-dir", &place);
	for (unsigned int k = 0; given && k < 2; k++)
		for (size_t i = 0; (setting = settings_get(settings[k], place, i)); i++)
			given[(*count)++] = setting->value;
	return given;
}

/* What words of -p put before the keys of a view. */
static const struct first_keys {
	const char *words[2];
	struct views_first_key keys[2];
	size_t count;
} first_keys[] = {
	{{"c", "container"}, {{"container.name", "container.name"}}, 1},
	{{"k", "kubernetes"},
	 {{"k8s.ns.name", "k8s.ns.name"}, {"k8s.pod.name", "k8s.pod.name"}},
	 2},
	{{"time", "T"}, {{"evt.time.s", "TIME"}}, 1},
	{{"seconds", "t"}, {{"evt.reltime", "TIME(s)"}}, 1},
	{{"user", "U"}, {{"user.uid", "UID"}}, 1},
	{{"process", "P"}, {{"proc.pid", "pid"}, {"proc.name", "comm"}}, 2},
	{{"thread", "L"}, {{"thread.tid", "tid"}, {"proc.name", "comm"}}, 2},
};

enum { FIRST_KEYS_MAX = 8 };

static const struct first_keys *find_word(const char *word, size_t len)
{
	for (size_t i = 0; i < COUNT(first_keys); i++)
		for (size_t k = 0; k < COUNT(first_keys[i].words); k++)
			if (strlen(first_keys[i].words[k]) == len &&
			    strncmp(first_keys[i].words[k], word, len) == 0)
				return &first_keys[i];
	return NULL;
}

/* Of -p the last one is valid, of the command line before those of files. */
static int find_first_keys(const struct settings *files, const struct settings *line,
			   struct views_first_key keys[FIRST_KEYS_MAX], struct views_config *config,
			   struct error *err)
{
	const struct setting *print;
	unsigned int place;

	option_find("print", &place);
	print = settings_find(line, place);
	if (!print)
		print = settings_find(files, place);
	config->keys = keys;
	for (const char *word = print ? print->value : ""; *word; word += strspn(word, ",")) {
		size_t len = strcspn(word, ",");
		const struct first_keys *row = find_word(word, len);

		if (!row || config->keys_count + row->count > FIRST_KEYS_MAX)
			return error_set(err, -EINVAL,
					 "-p: a view has columns of its own; -pc adds the "
					 "container, -pk the pod, -p time the time, -p user the "
					 "user, -p process the process, -p thread the thread");
		for (size_t i = 0; i < row->count; i++)
			keys[config->keys_count++] = row->keys[i];
		word += len;
	}
	return 0;
}

/* The first error as a message; `agent check-view` has all. */
static int reject_view(struct yaml_report *report, int code, struct error *err)
{
	struct buf text = {0};

	if (code != -EINVAL)
		return error_set(err, code, "out of memory");
	yaml_report_render(report, YAML_ERROR, &text);
	while (text.len && text.data[text.len - 1] == '\n')
		text.len--;
	buf_append_char(&text, '\0');
	error_set(err, code, "%s", text.failed ? "the view has errors" : text.data);
	buf_finish(&text);
	return code;
}

static bool is_number(const char *text)
{
	return text && *text && text[strspn(text, "0123456789")] == '\0';
}

/*
 * Whether a word cannot be meant as the argument, but begins the filter: where a number is the
 * default, all that is none; where one has to be given, what looks like a part of a filter.
 */
static bool begins_filter(const struct views_arg *arg, const char *word)
{
	if (is_number(arg->otherwise))
		return !is_number(word);
	return !arg->otherwise && is_number(arg->example) && strpbrk(word, "=<>!() ");
}

/* Whether it is the argument. Of one that has words, all others are not: it has its default. */
static bool is_arg(const struct views_arg *arg, const char *word)
{
	return arg->words ? views_arg_text(arg, word) != NULL : !begins_filter(arg, word);
}

/*
 * Which words behind the name are its arguments: it is read once with none to see that. Returns how
 * many in *count.
 */
static int find_args(const struct yaml_file *file, char **words, const char *args[VIEWS_ARGS_MAX],
		     size_t *count, struct error *err)
{
	const struct views_config config = {.checks = true};
	struct yaml_report report = {0};
	struct views_view *view = NULL;
	int r = views_view_read(file, &config, &view, &report);

	*count = 0;
	if (r)
		reject_view(&report, r, err);
	for (size_t i = 0; r == 0 && i < view->args_count && words[*count]; i++) {
		if (is_arg(&view->args[i], words[*count]))
			args[i] = words[(*count)++];
		else if (!view->args[i].words)
			break;
	}
	views_view_destroy(view);
	yaml_report_finish(&report);
	return r;
}

static int read_with_args(const struct yaml_file *file, struct views_config *config, char ***words,
			  struct options *options, struct error *err)
{
	const char *args[VIEWS_ARGS_MAX] = {NULL};
	struct yaml_report report = {0};
	size_t count;
	int r = find_args(file, *words, args, &count, err);

	if (r)
		return r;
	config->args = args;
	for (size_t i = 0; i < VIEWS_ARGS_MAX; i++)
		if (args[i])
			config->args_count = i + 1;
	*words += count;
	r = views_view_read(file, config, &options->view, &report);
	config->args = NULL;
	config->args_count = 0;
	if (r)
		reject_view(&report, r, err);
	yaml_report_finish(&report);
	return r;
}

int options_take_view(const struct settings *files, const struct settings *line, const char *name,
		      char ***words, struct options *options, struct error *err)
{
	struct options_view_folders folders = {0};
	struct views_first_key keys[FIRST_KEYS_MAX];
	struct views_config config = {0};
	struct yaml_file file = {0};
	struct views_folders places;
	const char **given;
	size_t count;
	int r;

	if (!name && !**words)
		return error_set(err, -EINVAL, "view needs the name of a view: see agent views");
	if (!name)
		name = *(*words)++;
	given = folders_given(files, line, &count);
	r = given ? options_view_folders_init(&folders, given, count, err)
		  : error_set(err, -ENOMEM, "out of memory");
	places = options_view_places(&folders);
	if (r == 0)
		r = find_first_keys(files, line, keys, &config, err);
	if (r == 0)
		r = views_folder_open(&places, name, &file, err);
	if (r == 0)
		r = read_with_args(&file, &config, words, options, err);
	yaml_file_finish(&file);
	options_view_folders_finish(&folders);
	free(given);
	return r;
}

int options_apply_view(struct options *options, struct error *err)
{
	struct error why = {""};

	if (options->sort && views_view_sort(options->view, options->sort, &why))
		return error_set(err, -EINVAL, "--sort: %s", why.text);
	if ((options->interval_ns || options->tables) && options->view->kind == VIEWS_LIST &&
	    !options->view->order_count)
		return error_set(err, -EINVAL,
				 "%s: a list shows its rows as they come, without tables, unless "
				 "it is sorted (--sort)",
				 options->interval_ns ? "--interval" : "--count");
	if (options->limits.files)
		options->view->limit = (uint32_t)options->limits.files;
	/* It says nothing of the files of -w, unless these are several: see check.c. */
	if (!options->limits.bytes && !options->limits.ns && !options->limits.events)
		options->limits.files = 0;
	return 0;
}
