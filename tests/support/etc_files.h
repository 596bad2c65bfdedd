/* SPDX-License-Identifier: MIT */
/* A folder of files, as /etc is. */
#ifndef TESTS_ETC_FILES_H
#define TESTS_ETC_FILES_H

#include <stddef.h>

enum { ETC_FILES_PATH_BYTES = 64, ETC_FILES_MAX = 4 };

struct etc_files {
	char path[ETC_FILES_PATH_BYTES]; /* of the folder */
	const char *names[ETC_FILES_MAX];
	size_t count;
};

/* Makes the folder, empty. The test fails if it cannot. */
void etc_create(struct etc_files *etc);

/* Writes a file there, over what it was. `name` stays in use. */
void etc_write(struct etc_files *etc, const char *name, const char *text);

/* Removes one file, which may be gone already; or everything. */
void etc_remove(const struct etc_files *etc, const char *name);
void etc_destroy(const struct etc_files *etc);

/* The path of a file there. */
void etc_path(const struct etc_files *etc, const char *name, char path[ETC_FILES_PATH_BYTES]);

#endif
