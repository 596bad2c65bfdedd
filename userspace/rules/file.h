/* SPDX-License-Identifier: MIT */
/*
 * A rules file in memory, and positions in it for messages. A position is a byte offset; messages
 * have line and column in characters.
 */
#ifndef RULES_FILE_H
#define RULES_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "util/error.h"

enum { RULES_FILE_BYTES_MAX = 16 << 20 };

struct rules_file {
	unsigned int number; /* in the order of loading */
	char *path; /* owned */
	char *data; /* owned; without a byte order mark; a NUL follows */
	size_t len;
	uint32_t *steps; /* owned: offsets at regular intervals of characters, see file.c */
	size_t nsteps;
};

/* Reads a file. Returns 0 or -errno with a message; call rules_file_finish() in both cases. */
int rules_file_read(const char *path, struct rules_file *file, struct error *err);

/* Takes a copy of a text instead; `path` is its name in messages. As above. */
int rules_file_copy(const char *path, const char *text, size_t len, struct rules_file *file,
		    struct error *err);

void rules_file_finish(struct rules_file *file);

/* The offset of the first byte that is not part of valid UTF-8, or the length of the file. */
size_t rules_file_valid_len(const struct rules_file *file);

/* The offset of a character, counted from 0. Needs valid UTF-8. */
size_t rules_file_offset(const struct rules_file *file, size_t character);

/* Line and column (from 1, of characters) of an offset. */
void rules_file_position(const struct rules_file *file, size_t offset, unsigned int *line,
			 unsigned int *column);

#endif
