/* SPDX-License-Identifier: MIT */
/*
 * One rules file in memory, and places in it: what messages point at. A place is a byte offset; for
 * people it is a line and a column of characters.
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
	uint32_t *steps; /* owned: where every so many characters are, see file.c */
	size_t nsteps;
};

/*
 * Reads a file. Returns 0 or -errno with a message; release with rules_file_finish() in each case.
 */
int rules_file_read(const char *path, struct rules_file *file, struct error *err);

/* Takes a copy of a text instead; `path` is what messages call it. As above. */
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
