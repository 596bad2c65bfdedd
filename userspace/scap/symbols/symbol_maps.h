/* SPDX-License-Identifier: MIT */
/* What a process has mapped, as /proc/PID/maps says it, line by line. */
#ifndef SCAP_SYMBOLS_SYMBOL_MAPS_H
#define SCAP_SYMBOLS_SYMBOL_MAPS_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Which file it is. */
struct symbol_file_id {
	uint32_t major, minor;
	uint64_t ino; /* 0: no file */
};

enum { SYMBOL_MAPS_LINE_BYTES = PATH_MAX + 256 };

struct symbol_maps_line {
	uint64_t begin, end; /* addresses */
	uint64_t offset; /* of `begin` in the file */
	struct symbol_file_id id;
	char rights[5]; /* "r-xp" */
	const char *path; /* in `text`; "" for anonymous memory; "[vdso]" */
	char text[SYMBOL_MAPS_LINE_BYTES];
};

/* Opens NAME, as "123/maps", below a folder. Returns 0, or -errno. Close it by fclose(). */
int symbol_maps_open(int dir, const char *name, FILE **file);

/*
 * Reads the next line that is a mapping; a path that is longer than any can be is cut. Returns
 * false at the end.
 */
bool symbol_maps_next(FILE *file, struct symbol_maps_line *line);

#endif
