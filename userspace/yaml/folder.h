/* SPDX-License-Identifier: MIT */
/* The files of YAML in a folder: *.yaml and *.yml, sorted by name, hidden ones left out. */
#ifndef YAML_FOLDER_H
#define YAML_FOLDER_H

#include <stddef.h>

struct yaml_folder {
	char **paths; /* owned, each, too: they begin with the path of the folder */
	size_t count;
};

/*
 * Lists a folder. Returns 0, -ENOTDIR if there is something else of that name, or another -errno;
 * release with yaml_folder_finish() in every case.
 */
int yaml_folder_read(const char *path, struct yaml_folder *folder);
void yaml_folder_finish(struct yaml_folder *folder);

#endif
