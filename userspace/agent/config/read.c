/* SPDX-License-Identifier: MIT */
/* Reads the configuration file: its keys, and the value of each. */
#include "agent/config/read.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/config/reader.h"
#include "agent/options/check.h"
#include "util/nearest.h"
#include "yaml/file.h"

/* Values of keys: texts, flags, sequences. */

/* Writes the value of a scalar to reader->value; others are rejected with what is expected. */
static int read_text(struct config_reader *reader, const struct yaml_node *key,
		     const struct yaml_node *node, const char *expected)
{
	if (!yaml_is_scalar(node))
		return config_reject(reader, node, "%s: expected %s, not %s", key->text, expected,
				     config_kind_name(node));
	return config_expand(node, &reader->left, reader->report, &reader->value);
}

/* Adds what reader->value has, if the option accepts it; `node` is where it came from. */
static int add_value(struct config_reader *reader, struct setting *setting,
		     const struct yaml_node *node)
{
	const struct option_row *row = option_row(setting->place);
	struct error err = {""};
	int r;

	setting->value = reader->value.data;
	setting->node = node;
	/* The message has the text of the file: a variable may be a secret. */
	r = option_check_value(row, setting->value, setting->key->text, node->text, &err);
	if (r == -EINVAL)
		return config_reject(reader, node, "%s", err.text);
	return r ? r : config_add_setting(reader, setting);
}

/* A flag that is false is its opposite if there is one: "follow: false" is --no-follow. */
static int read_flag(struct config_reader *reader, struct setting *setting,
		     const struct yaml_node *node)
{
	static const char expected[] = "true or false";
	int r = read_text(reader, setting->key, node, expected);
	const struct option_row *row;
	char name[OPTION_TEXT_MAX];
	bool value;

	if (r)
		return r;
	if (!yaml_bool_read(reader->value.data, &value))
		return config_reject(reader, node, "%s: expected %s, not '%.60s'",
				     setting->key->text, expected, node->text);
	setting->node = node;
	if (value)
		return config_add_setting(reader, setting);
	snprintf(name, sizeof(name), "no-%s", setting->key->text);
	row = option_find(name, &setting->place);
	setting->off = !row;
	return config_add_setting(reader, setting);
}

/* Several values as one, with commas between. */
static int read_commas(struct config_reader *reader, struct setting *setting,
		       const struct yaml_node *node)
{
	struct buf all = {0};
	int r = 0;

	for (const struct yaml_link *link = node->first; link && r == 0; link = link->next) {
		r = read_text(reader, setting->key, link->value, "a text in the sequence");
		if (all.len)
			buf_append_char(&all, ',');
		if (r == 0)
			buf_append_string(&all, reader->value.data);
	}
	buf_append_char(&all, '\0');
	buf_clear(&reader->value);
	buf_append(&reader->value, all.data, all.len);
	if (r == 0 && (all.failed || reader->value.failed))
		r = -ENOMEM;
	buf_finish(&all);
	return r ? r : add_value(reader, setting, node);
}

/* The pairs of a mapping as one text, with a backslash before commas in values. */
static int read_pairs(struct config_reader *reader, struct setting *setting,
		      const struct yaml_node *node)
{
	struct buf all = {0};
	int r = 0;

	for (const struct yaml_link *link = node->first; link && r == 0; link = link->next) {
		r = read_text(reader, link->key, link->value, "one value");
		buf_printf(&all, "%s%s=", all.len ? "," : "", link->key->text);
		for (const char *at = r ? "" : reader->value.data; *at; at++) {
			if (*at == ',' || *at == '\\')
				buf_append_char(&all, '\\');
			buf_append_char(&all, *at);
		}
	}
	buf_append_char(&all, '\0');
	buf_clear(&reader->value);
	buf_append(&reader->value, all.data, all.len);
	if (r == 0 && (all.failed || reader->value.failed))
		r = -ENOMEM;
	buf_finish(&all);
	return r ? r : add_value(reader, setting, node);
}

static int read_sequence(struct config_reader *reader, struct setting *setting,
			 const struct yaml_node *node)
{
	int r = 0, result = 0;

	for (const struct yaml_link *link = node->first; link && r != -ENOMEM; link = link->next) {
		r = read_text(reader, setting->key, link->value, "a text in the sequence");
		if (r == 0)
			r = add_value(reader, setting, link->value);
		if (r)
			result = r;
	}
	return result;
}

/* One output needs no sequence. */
static int read_outputs(struct config_reader *reader, struct setting *setting,
			const struct yaml_node *node)
{
	int r = 0, result = 0;

	if (node->kind != YAML_SEQUENCE)
		return config_output_read(reader, setting, node);
	for (const struct yaml_link *link = node->first; link && r != -ENOMEM; link = link->next) {
		r = config_output_read(reader, setting, link->value);
		if (r)
			result = r;
	}
	return result;
}

int config_value_read(struct config_reader *reader, unsigned int place,
		      const struct yaml_link *pair)
{
	const struct option_row *row = option_row(place);
	const struct yaml_node *node = pair->value;
	struct setting setting = {.place = place, .given = GIVEN_KEY, .key = pair->key};
	int r;

	if (!row->argument)
		return read_flag(reader, &setting, node);
	if (row->set == options_add_output)
		return read_outputs(reader, &setting, node);
	if (node->kind == YAML_SEQUENCE && row->list == LIST_REPEATED)
		return read_sequence(reader, &setting, node);
	if (node->kind == YAML_SEQUENCE && row->list == LIST_COMMAS)
		return read_commas(reader, &setting, node);
	if (node->kind == YAML_MAPPING && row->list == LIST_KEYS)
		return read_pairs(reader, &setting, node);
	r = read_text(reader, pair->key, node,
		      row->list == LIST_NONE   ? "one value"
		      : row->list == LIST_KEYS ? "keys with values"
					       : "a text or a sequence of texts");
	return r ? r : add_value(reader, &setting, node);
}

/* The keys of a file: the long names of options, and `include`. */

static const struct option_row *read_find_key(const char *text, unsigned int *place)
{
	const struct option_row *row;

	for (*place = 0; (row = option_row(*place)); ++*place)
		if (strcmp(option_key(row), text) == 0)
			break;
	return row;
}

static const char include_key[] = "include";

/* What names the opposite of another option: no-follow, which is "follow: false". */
static const char opposite[] = "no-";

static int reject_unknown(struct config_reader *reader, const struct yaml_node *key)
{
	const struct option_row *row;
	struct nearest nearest;

	nearest_init(&nearest, key->text, key->len);
	nearest_offer(&nearest, include_key);
	for (unsigned int i = 0; (row = option_row(i)); i++)
		if (!row->not_a_key && !row->subcommand)
			nearest_offer(&nearest, option_key(row));
	if (nearest.word)
		return config_reject(reader, key, "there is no key '%.60s'; did you mean '%s'?",
				     key->text, nearest.word);
	return config_reject(reader, key,
			     "there is no key '%.60s'; keys are the long names of options (agent "
			     "--help=all)",
			     key->text);
}

/* Options that are no keys say why. Returns 0, or -EINVAL with an error. */
static int check_is_key(struct config_reader *reader, const struct option_row *row,
			const struct yaml_node *key)
{
	size_t len = sizeof(opposite) - 1;
	unsigned int place;

	if (row->subcommand)
		return config_reject(reader, key, "'%s' is for the command line: it is a command",
				     key->text);
	if (row->not_a_key)
		return config_reject(reader, key, "'%s' is for the command line: %s", key->text,
				     row->not_a_key);
	if (strncmp(key->text, opposite, len) == 0 && option_find(key->text + len, &place))
		return config_reject(reader, key, "'%s' is written '%s: false'", key->text,
				     key->text + len);
	return 0;
}

static int reject_again(struct config_reader *reader, const struct yaml_node *key,
			const struct yaml_node *first)
{
	unsigned int line, column;

	yaml_file_position(first->file, first->start, &line, &column);
	return config_reject(reader, key, "'%s' is there twice: also in line %u", key->text, line);
}

int config_keys_read(struct config_reader *reader, const struct yaml_node *root,
		     const struct yaml_node **include)
{
	const struct yaml_node *seen[OPTIONS_MAX] = {NULL}, *seen_include = NULL;
	int r = 0;

	for (const struct yaml_link *pair = root->first;
	     pair && r != -ENOMEM && !yaml_report_is_full(reader->report); pair = pair->next) {
		const struct yaml_node *key = pair->key, **first;
		bool is_include = strcmp(key->text, include_key) == 0;
		unsigned int place = 0;
		const struct option_row *row = is_include ? NULL : read_find_key(key->text, &place);

		first = is_include ? &seen_include : &seen[place];
		if (!row && !is_include)
			r = reject_unknown(reader, key);
		else if (*first)
			r = reject_again(reader, key, *first);
		else if (is_include)
			*include = pair->value;
		else if ((r = check_is_key(reader, row, key)) == 0)
			r = config_value_read(reader, place, pair);
		if (row || is_include)
			*first = key;
	}
	return r == -ENOMEM ? r : 0;
}

/* The files of a configuration: the main one, and what its key `include` names. */

struct files {
	struct config_reader reader;
	const char *main_path;
	size_t bytes; /* of all files so far */
	bool has_keys; /* one of them so far */
};

/* Adds an error about a file that could not be read; from: where it is named, or NULL. */
static int reject_file(struct files *files, const char *path, const struct yaml_node *from,
		       const char *why)
{
	struct settings *settings = files->reader.settings;

	if (from)
		return config_reject(&files->reader, from, "%s: %s", path, why);
	yaml_report_add_file(files->reader.report, YAML_ERROR,
			     (unsigned int)settings->files_count - 1, path, why);
	return -EINVAL;
}

/* The only document of a file: a mapping, or NULL if it is empty. */
static int read_find_root(struct files *files, const struct yaml_link *roots,
			  const struct yaml_node **root)
{
	*root = NULL;
	if (!roots || (yaml_is_null(roots->value) && !roots->next))
		return 0;
	if (roots->next)
		return config_reject(&files->reader, roots->next->value,
				     "a configuration is one document of YAML");
	if (roots->value->kind != YAML_MAPPING)
		return config_reject(&files->reader, roots->value,
				     "expected keys with values (KEY: VALUE), not %s",
				     config_kind_name(roots->value));
	*root = roots->value;
	return 0;
}

/* Reads one file; `include` as for config_keys_read(). */
static int read_file(struct files *files, const char *path, const struct yaml_node *from,
		     const struct yaml_node **include)
{
	struct settings *settings = files->reader.settings;
	struct yaml_file *file = settings_add_file(settings);
	const struct yaml_node *root;
	struct yaml_link *roots;
	struct error err = {""};
	int r = file ? yaml_file_read(path, file, &err) : -ENOMEM;

	if (r == -ENOMEM)
		return r;
	if (r)
		return reject_file(files, path, from, err.text);
	file->number = (unsigned int)settings->files_count - 1;
	files->bytes += file->len;
	if (files->bytes > CONFIG_BYTES_MAX)
		return reject_file(files, path, from, "the configuration is larger than 16 MiB");
	r = yaml_tree_read(file, &settings->memory, files->reader.report, &roots);
	if (r == 0)
		r = read_find_root(files, roots, &root);
	files->has_keys |= r == 0 && root && root->first;
	if (r || !root)
		return r;
	if (config_is_falco(root)) {
		r = config_falco_read(&files->reader, root);
		return r == -ENOMEM ? r : 0;
	}
	return config_keys_read(&files->reader, root, include);
}

static int read_included(struct files *files, const char *path, const struct yaml_node *from)
{
	const struct yaml_node *nested = NULL;
	int r;

	if (files->reader.settings->files_count == CONFIG_FILES_MAX)
		return config_reject(&files->reader, from, "more than %d files", CONFIG_FILES_MAX);
	r = read_file(files, path, from, &nested);
	if (r == 0 && nested)
		r = config_reject(&files->reader, nested, "only the main file includes others");
	return r;
}

/* A path relative to the folder of the main file. Returns it, owned by the caller, or NULL. */
static char *read_resolve(const struct files *files, const char *path)
{
	const char *slash = strrchr(files->main_path, '/');
	struct buf out = {0};

	if (path[0] != '/' && slash)
		buf_append(&out, files->main_path, (size_t)(slash + 1 - files->main_path));
	buf_append(&out, path, strlen(path) + 1);
	if (!out.failed)
		return out.data;
	buf_finish(&out);
	return NULL;
}

/* Reads a file, or all files of a folder; one without files is not wrong. */
static int include_path(struct files *files, const struct yaml_node *node)
{
	struct yaml_folder folder = {0};
	char *path;
	int r;

	if (!yaml_is_scalar(node))
		return config_reject(&files->reader, node,
				     "include: expected a file or a folder, not %s",
				     config_kind_name(node));
	r = config_expand(node, &files->reader.left, files->reader.report, &files->reader.value);
	if (r)
		return r;
	path = read_resolve(files, files->reader.value.data);
	r = path ? yaml_folder_read(path, &folder) : -ENOMEM;
	if (r == -ENOTDIR)
		r = read_included(files, path, node);
	else if (r && r != -ENOMEM)
		r = config_reject(&files->reader, node, "%s: %s", path, strerror(-r));
	for (size_t i = 0; i < folder.count && r != -ENOMEM; i++)
		r = read_included(files, folder.paths[i], node);
	yaml_folder_finish(&folder);
	free(path);
	return r;
}

static int read_includes(struct files *files, const struct yaml_node *include)
{
	int r = 0;

	if (include->kind != YAML_SEQUENCE)
		return include_path(files, include);
	for (const struct yaml_link *link = include->first; link && r != -ENOMEM; link = link->next)
		r = include_path(files, link->value);
	return r;
}

int config_read(const char *path, struct settings *settings, struct yaml_report *report)
{
	struct files files = {
		.reader = {settings, report, .left = CONFIG_EXPANDED_BYTES_MAX},
		.main_path = path,
	};
	const struct yaml_node *include = NULL;
	int r = read_file(&files, path, NULL, &include);

	if (r == 0 && !files.has_keys)
		reject_file(&files, path, NULL,
			    "it has no keys: was it truncated, or is it not mounted yet?");
	if (include && r != -ENOMEM)
		r = read_includes(&files, include);
	buf_finish(&files.reader.value);
	if (r == -ENOMEM || report->failed)
		return -ENOMEM;
	return report->counts[YAML_ERROR] ? -EINVAL : 0;
}
