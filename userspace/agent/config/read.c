/* SPDX-License-Identifier: MIT */
/* The files of a configuration: the main one, and what its key `include` names. */
#include "agent/config/read.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "agent/config/expand.h"
#include "agent/config/reader.h"
#include "yaml/folder.h"

struct files {
	struct config_reader reader;
	const char *main_path;
	size_t bytes; /* of all files so far */
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
static int find_root(struct files *files, const struct yaml_link *roots,
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
	int code = file ? yaml_file_read(path, file, &err) : -ENOMEM;

	if (code == -ENOMEM)
		return code;
	if (code)
		return reject_file(files, path, from, err.text);
	file->number = (unsigned int)settings->files_count - 1;
	files->bytes += file->len;
	if (files->bytes > CONFIG_BYTES_MAX)
		return reject_file(files, path, from, "the configuration is larger than 16 MiB");
	code = yaml_tree_read(file, &settings->memory, files->reader.report, &roots);
	if (code == 0)
		code = find_root(files, roots, &root);
	return code || !root ? code : config_keys_read(&files->reader, root, include);
}

static int read_included(struct files *files, const char *path, const struct yaml_node *from)
{
	const struct yaml_node *nested = NULL;
	int code;

	if (files->reader.settings->files_count == CONFIG_FILES_MAX)
		return config_reject(&files->reader, from, "more than %d files", CONFIG_FILES_MAX);
	code = read_file(files, path, from, &nested);
	if (code == 0 && nested)
		code = config_reject(&files->reader, nested, "only the main file includes others");
	return code;
}

/* A path relative to the folder of the main file. Returns it, owned by the caller, or NULL. */
static char *resolve(const struct files *files, const char *path)
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
	int code;

	if (!yaml_is_scalar(node))
		return config_reject(&files->reader, node,
				     "include: expected a file or a folder, not %s",
				     config_kind_name(node));
	code = config_expand(node, &files->reader.left, files->reader.report, &files->reader.value);
	if (code)
		return code;
	path = resolve(files, files->reader.value.data);
	code = path ? yaml_folder_read(path, &folder) : -ENOMEM;
	if (code == -ENOTDIR)
		code = read_included(files, path, node);
	else if (code && code != -ENOMEM)
		code = config_reject(&files->reader, node, "%s: %s", path, strerror(-code));
	for (size_t i = 0; i < folder.count && code != -ENOMEM; i++)
		code = read_included(files, folder.paths[i], node);
	yaml_folder_finish(&folder);
	free(path);
	return code;
}

static int read_includes(struct files *files, const struct yaml_node *include)
{
	int code = 0;

	if (include->kind != YAML_SEQUENCE)
		return include_path(files, include);
	for (const struct yaml_link *link = include->first; link && code != -ENOMEM;
	     link = link->next)
		code = include_path(files, link->value);
	return code;
}

int config_read(const char *path, struct settings *settings, struct yaml_report *report)
{
	struct files files = {
		.reader = {settings, report, .left = CONFIG_EXPANDED_BYTES_MAX},
		.main_path = path,
	};
	const struct yaml_node *include = NULL;
	int code = read_file(&files, path, NULL, &include);

	if (include && code != -ENOMEM)
		code = read_includes(&files, include);
	buf_finish(&files.reader.value);
	if (code == -ENOMEM || report->failed)
		return -ENOMEM;
	return report->counts[YAML_ERROR] ? -EINVAL : 0;
}
