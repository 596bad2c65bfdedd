/* SPDX-License-Identifier: MIT */
/*
 * Memory that is freed all at once, for trees and tables that are built once and live together.
 */
#ifndef UTIL_ARENA_H
#define UTIL_ARENA_H

#include <stddef.h>

struct arena {
	struct arena_chunk *chunks; /* owned; a zeroed struct is an empty arena */
};

/* Zeroed memory aligned for any type, valid until arena_finish(); NULL if out of memory. */
void *arena_alloc(struct arena *arena, size_t size);

/* A copy of `len` bytes followed by a NUL; NULL if out of memory. */
char *arena_text(struct arena *arena, const char *text, size_t len);

void arena_finish(struct arena *arena);

#endif
