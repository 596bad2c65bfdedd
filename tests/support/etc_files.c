/* SPDX-License-Identifier: MIT */
#include "etc_files.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void etc_create(struct etc_files *etc)
{
	*etc = (struct etc_files){.path = "/tmp/lanner-etc-XXXXXX"};
	assert_non_null(mkdtemp(etc->path));
}

void etc_path(const struct etc_files *etc, const char *name, char path[ETC_FILES_PATH_BYTES])
{
	int len = snprintf(path, ETC_FILES_PATH_BYTES, "%s/%s", etc->path, name);

	assert_in_range(len, 1, ETC_FILES_PATH_BYTES - 1);
}

void etc_write(struct etc_files *etc, const char *name, const char *text)
{
	char path[ETC_FILES_PATH_BYTES];
	size_t i = 0;
	FILE *file;

	etc_path(etc, name, path);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
	while (i < etc->count && strcmp(etc->names[i], name) != 0)
		i++;
	if (i < etc->count)
		return;
	assert_true(etc->count < ETC_FILES_MAX);
	etc->names[etc->count++] = name;
}

void etc_remove(const struct etc_files *etc, const char *name)
{
	char path[ETC_FILES_PATH_BYTES];

	etc_path(etc, name, path);
	unlink(path);
}

void etc_destroy(const struct etc_files *etc)
{
	for (size_t i = 0; i < etc->count; i++)
		etc_remove(etc, etc->names[i]);
	assert_int_equal(rmdir(etc->path), 0);
}
