/* SPDX-License-Identifier: MIT */
/*
 * A file of YAML in memory, and positions in it for messages. A position is a byte offset; messages
 * have line and column in characters. And the files of YAML in a folder.
 */
#ifndef YAML_FILE_H
#define YAML_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "util/error.h"

enum { YAML_FILE_BYTES_MAX = 16 << 20 };

struct yaml_file {
	unsigned int number; /* in the order of loading */
	char *path; /* owned */
	char *data; /* owned; without a byte order mark; a NUL follows */
	size_t len;
	uint32_t *steps; /* owned: offsets at regular intervals of characters, see file.c */
	size_t nsteps;
};

/* Reads a file. Returns 0 or -errno with a message; call yaml_file_finish() in both cases. */
int yaml_file_read(const char *path, struct yaml_file *file, struct error *err);

/*
 * Takes a copy of a text; `path` is its name in messages. Returns 0 or -ENOMEM with a message; call
 * yaml_file_finish() in both cases.
 */
int yaml_file_copy(const char *path, const char *text, size_t len, struct yaml_file *file,
		   struct error *err);

void yaml_file_finish(struct yaml_file *file);

/* The offset of the first byte that is not part of valid UTF-8, or the length of the file. */
size_t yaml_file_valid_len(const struct yaml_file *file);

/* The offset of a character, counted from 0. Needs valid UTF-8. */
size_t yaml_file_offset(const struct yaml_file *file, size_t character);

/* Line and column (from 1, of characters) of an offset. */
void yaml_file_position(const struct yaml_file *file, size_t offset, unsigned int *line,
			unsigned int *column);

/* The files of YAML in a folder: *.yaml and *.yml, sorted by name, hidden ones left out. */

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
