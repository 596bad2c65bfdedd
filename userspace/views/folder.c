/* SPDX-License-Identifier: MIT */
/* Views by their names, in folders and in the program. */
#include "views/folder.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "util/buf.h"
#include "util/nearest.h"

/* "opens" of "/etc/views/opens.yaml". Returns its length. */
static size_t name_in(const char *path, const char **name)
{
	const char *slash = strrchr(path, '/'), *end;

	*name = slash ? slash + 1 : path;
	end = strrchr(*name, '.');
	return end ? (size_t)(end - *name) : strlen(*name);
}

static bool is_named(const char *path, const char *name)
{
	const char *begin;
	size_t len = name_in(path, &begin);

	return strlen(name) == len && memcmp(begin, name, len) == 0;
}

static int read_builtin(const struct views_builtin *view, struct yaml_file *file, struct error *err)
{
	return yaml_file_copy(view->name, view->text, strlen(view->text), file, err);
}

/* Returns 0, -ENOENT if the folder has no such view, or another -errno with a message. */
static int open_in(const char *path, const char *name, struct yaml_file *file, struct error *err)
{
	struct yaml_folder folder;
	int r = yaml_folder_read(path, &folder);
	const char *found = NULL;

	for (size_t i = 0; r == 0 && i < folder.count && !found; i++)
		if (is_named(folder.paths[i], name))
			found = folder.paths[i];
	if (r && r != -ENOENT)
		error_set(err, r, "%s: %s", path, strerror(-r));
	else if (r == 0)
		r = found ? yaml_file_read(found, file, err) : -ENOENT;
	yaml_folder_finish(&folder);
	return r;
}

static int offer(void *context, const struct yaml_file *file)
{
	struct buf *names = context;
	const char *name;
	size_t len = name_in(file->path, &name);

	buf_append(names, name, len);
	buf_append_char(names, '\0');
	return 0;
}

static int reject(const struct views_folders *folders, const char *name, struct error *err)
{
	struct nearest nearest;
	struct buf names = {0};

	nearest_init(&nearest, name, strlen(name));
	views_folder_each(folders, offer, &names, NULL);
	for (size_t at = 0; at < names.len && !names.failed; at += strlen(names.data + at) + 1)
		nearest_offer(&nearest, names.data + at);
	if (nearest.word)
		error_set(err, -ENOENT, "there is no view '%s'; did you mean '%s'? (agent views)",
			  name, nearest.word);
	else
		error_set(err, -ENOENT, "there is no view '%s' (agent views lists them)", name);
	buf_finish(&names);
	return -ENOENT;
}

int views_folder_open(const struct views_folders *folders, const char *name, struct yaml_file *file,
		      struct error *err)
{
	int r = -ENOENT;

	*file = (struct yaml_file){0};
	if (strchr(name, '/'))
		return yaml_file_read(name, file, err);
	for (size_t i = 0; i < folders->count && r == -ENOENT; i++)
		r = open_in(folders->paths[i], name, file, err);
	for (const struct views_builtin *view = views_builtins; view->name && r == -ENOENT; view++)
		if (strcmp(view->name, name) == 0)
			r = read_builtin(view, file, err);
	return r == -ENOENT ? reject(folders, name, err) : r;
}

/* Whether a place before that of index `n` has a view of this name. */
static bool is_hidden(const struct yaml_folder *read, size_t n, const char *path)
{
	const char *begin;
	size_t len = name_in(path, &begin);

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < read[i].count; k++) {
			const char *other;
			size_t other_len = name_in(read[i].paths[k], &other);

			if (len == other_len && memcmp(begin, other, len) == 0)
				return true;
		}
	return false;
}

static int see_file(const char *path, int (*see)(void *context, const struct yaml_file *file),
		    void *context, struct error *err)
{
	struct yaml_file file = {0};
	int r = yaml_file_read(path, &file, err);

	if (r == 0)
		r = see(context, &file);
	yaml_file_finish(&file);
	return r;
}

static int see_builtins(const struct yaml_folder *read, size_t n,
			int (*see)(void *context, const struct yaml_file *file), void *context,
			struct error *err)
{
	int r = 0;

	for (const struct views_builtin *view = views_builtins; view->name && r == 0; view++) {
		struct yaml_file file = {0};

		if (is_hidden(read, n, view->name))
			continue;
		r = read_builtin(view, &file, err);
		if (r == 0)
			r = see(context, &file);
		yaml_file_finish(&file);
	}
	return r;
}

int views_folder_each(const struct views_folders *folders,
		      int (*see)(void *context, const struct yaml_file *file), void *context,
		      struct error *err)
{
	struct yaml_folder *read = calloc(folders->count + 1, sizeof(*read));
	int r = read ? 0 : error_set(err, -ENOMEM, "out of memory");

	for (size_t i = 0; i < folders->count && r == 0; i++) {
		r = yaml_folder_read(folders->paths[i], &read[i]);
		if (r == -ENOENT)
			r = 0;
		else if (r)
			error_set(err, r, "%s: %s", folders->paths[i], strerror(-r));
		for (size_t k = 0; k < read[i].count && r == 0; k++)
			if (!is_hidden(read, i, read[i].paths[k]))
				r = see_file(read[i].paths[k], see, context, err);
	}
	if (r == 0)
		r = see_builtins(read, folders->count, see, context, err);
	for (size_t i = 0; read && i < folders->count; i++)
		yaml_folder_finish(&read[i]);
	free(read);
	return r;
}
