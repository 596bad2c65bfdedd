/* SPDX-License-Identifier: MIT */
/* Finds the view, and fills it with the words behind its name. */
#include "agent/options/view.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
			      size_t count)
{
	*folders = (struct options_view_folders){
		.paths = calloc(count + 1, sizeof(folders->paths[0])), .own = own_folder()};
	if (!folders->paths)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		folders->paths[folders->count++] = given[i];
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

/* The values of an option in both, in their order. Returns how many there are. */
static size_t values_of(const struct settings *const settings[2], const char *name,
			const char **values, size_t room)
{
	const struct setting *setting;
	unsigned int place;
	size_t n = 0;

	option_find(name, &place);
	for (unsigned int k = 0; k < 2; k++)
		for (size_t i = 0; n < room && (setting = settings_get(settings[k], place, i)); i++)
			values[n++] = setting->value;
	return n;
}

/* What -pc and -pk put before the keys of a view. */
static const struct first_keys {
	const char *words[2], *keys[2];
	size_t count;
} first_keys[] = {
	{{"c", "container"}, {"container.name"}, 1},
	{{"k", "kubernetes"}, {"k8s.ns.name", "k8s.pod.name"}, 2},
};

static int find_first_keys(const struct settings *const settings[2], struct views_config *config,
			   struct error *err)
{
	const char *print;

	if (!values_of(settings, "print", &print, 1))
		return 0;
	for (size_t i = 0; i < COUNT(first_keys); i++) {
		const struct first_keys *row = &first_keys[i];

		if (strcmp(print, row->words[0]) && strcmp(print, row->words[1]))
			continue;
		config->keys = row->keys;
		config->keys_count = row->count;
		return 0;
	}
	return error_set(err, -EINVAL,
			 "-p: a view has columns of its own; -pc adds the container, -pk the pod");
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

/* How many words behind the name are its arguments: it is read once with none to see that. */
static int count_args(const struct yaml_file *file, char **words, size_t *count, struct error *err)
{
	const struct views_config config = {.checks = true};
	struct yaml_report report = {0};
	struct views_view *view = NULL;
	int r = views_view_read(file, &config, &view, &report);

	*count = 0;
	if (r)
		reject_view(&report, r, err);
	else
		while (*count < view->args_count && words[*count])
			++*count;
	views_view_destroy(view);
	yaml_report_finish(&report);
	return r;
}

static int read_with_args(const struct yaml_file *file, struct views_config *config, char ***words,
			  struct options *options, struct error *err)
{
	struct yaml_report report = {0};
	int r = count_args(file, *words, &config->args_count, err);

	if (r)
		return r;
	config->args = (const char *const *)*words;
	*words += config->args_count;
	r = views_view_read(file, config, &options->view, &report);
	if (r)
		reject_view(&report, r, err);
	yaml_report_finish(&report);
	return r;
}

int options_take_view(const struct settings *files, const struct settings *line, const char *name,
		      char ***words, struct options *options, struct error *err)
{
	enum { FOLDERS_MAX = 16 };
	const struct settings *const settings[2] = {files, line};
	const char *given[FOLDERS_MAX];
	size_t count = values_of(settings, "view-dir", given, FOLDERS_MAX);
	struct options_view_folders folders;
	struct views_config config = {0};
	struct yaml_file file = {0};
	struct views_folders places;
	int r;

	if (!name && !**words)
		return error_set(err, -EINVAL, "view needs the name of a view: see agent views");
	if (!name)
		name = *(*words)++;
	r = options_view_folders_init(&folders, given, count);
	places = options_view_places(&folders);
	if (r)
		error_set(err, r, "out of memory");
	if (r == 0)
		r = find_first_keys(settings, &config, err);
	if (r == 0)
		r = views_folder_open(&places, name, &file, err);
	if (r == 0)
		r = read_with_args(&file, &config, words, options, err);
	yaml_file_finish(&file);
	options_view_folders_finish(&folders);
	return r;
}

int options_apply_view(struct options *options, struct error *err)
{
	struct error why = {""};

	if (options->sort && views_view_sort(options->view, options->sort, &why))
		return error_set(err, -EINVAL, "--sort: %s", why.text);
	if (options->limits.files)
		options->view->limit = (uint32_t)options->limits.files;
	return 0;
}
