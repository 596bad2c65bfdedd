/* SPDX-License-Identifier: MIT */
/* Lists folders. */
#include "yaml/folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int is_yaml(const struct dirent *entry)
{
	const char *dot = strrchr(entry->d_name, '.');

	return entry->d_name[0] != '.' && dot &&
	       (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".yml") == 0);
}

/* Joins the paths of all entries, as far as there is memory. Returns 0 or -ENOMEM. */
static int join_paths(const char *path, struct dirent **entries, size_t count,
		      struct yaml_folder *folder)
{
	folder->paths = calloc(count ? count : 1, sizeof(folder->paths[0]));
	if (!folder->paths)
		return -ENOMEM;
	for (; folder->count < count; folder->count++)
		if (asprintf(&folder->paths[folder->count], "%s/%s", path,
			     entries[folder->count]->d_name) < 0)
			return -ENOMEM;
	return 0;
}

int yaml_folder_read(const char *path, struct yaml_folder *folder)
{
	struct dirent **entries;
	int n = scandir(path, &entries, is_yaml, alphasort), code;

	*folder = (struct yaml_folder){0};
	if (n < 0)
		return -errno;
	code = join_paths(path, entries, (size_t)n, folder);
	for (int i = 0; i < n; i++)
		free(entries[i]);
	free(entries);
	return code;
}

void yaml_folder_finish(struct yaml_folder *folder)
{
	for (size_t i = 0; i < folder->count; i++)
		free(folder->paths[i]);
	free(folder->paths);
	*folder = (struct yaml_folder){0};
}
