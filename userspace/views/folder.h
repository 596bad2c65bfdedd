/* SPDX-License-Identifier: MIT */
/* Where views are: in folders, as NAME.yaml, and in the program. */
#ifndef VIEWS_FOLDER_H
#define VIEWS_FOLDER_H

#include <stddef.h>

#include "util/error.h"
#include "yaml/file.h"

/* A view in the program: a file of deploy/views. */
struct views_builtin {
	const char *name, *text;
};

/* All of them, sorted by name; the last one has no name. */
extern const struct views_builtin views_builtins[];

/* Folders in which views are looked for first; paths borrowed. */
struct views_folders {
	const char *const *paths;
	size_t count;
};

/*
 * Reads the file of a view: that of its name in the first folder that has it, or in the program; a
 * name with a slash is that of a file. Returns 0, -ENOENT with a message that has the nearest name,
 * or another -errno with a message; call yaml_file_finish() in every case.
 */
int views_folder_open(const struct views_folders *folders, const char *name, struct yaml_file *file,
		      struct error *err);

/*
 * Calls `see` for each view, sorted by name within its place; one that is in an earlier place, too,
 * once. Returns 0; what `see` returned, if it is not 0; or -errno with a message.
 */
int views_folder_each(const struct views_folders *folders,
		      int (*see)(void *context, const struct yaml_file *file), void *context,
		      struct error *err);

#endif
