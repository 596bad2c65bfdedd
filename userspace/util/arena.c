/* SPDX-License-Identifier: MIT */
/* Chunks of memory in a list; the first is the one with room left. */
#include "util/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK_BYTES = 4096 };

struct arena_chunk {
	struct arena_chunk *next;
	size_t used, size;
	alignas(max_align_t) char bytes[];
};

static struct arena_chunk *chunk_add(struct arena *arena, size_t size)
{
	size_t bytes = size > CHUNK_BYTES ? size : CHUNK_BYTES;
	struct arena_chunk *chunk = calloc(1, sizeof(*chunk) + bytes);

	if (!chunk)
		return NULL;
	chunk->size = bytes;
	chunk->next = arena->chunks;
	arena->chunks = chunk;
	return chunk;
}

void *arena_alloc(struct arena *arena, size_t size)
{
	size_t rounded = (size + alignof(max_align_t) - 1) & ~(alignof(max_align_t) - 1);
	struct arena_chunk *chunk = arena->chunks;
	void *memory;

	if (size > PTRDIFF_MAX / 2)
		return NULL;
	if (!chunk || chunk->size - chunk->used < rounded)
		chunk = chunk_add(arena, rounded);
	if (!chunk)
		return NULL;
	memory = chunk->bytes + chunk->used;
	chunk->used += rounded;
	return memory;
}

char *arena_text(struct arena *arena, const char *text, size_t len)
{
	char *copy = arena_alloc(arena, len + 1);

	if (copy)
		memcpy(copy, text, len);
	return copy;
}

void arena_finish(struct arena *arena)
{
	while (arena->chunks) {
		struct arena_chunk *chunk = arena->chunks;

		arena->chunks = chunk->next;
		free(chunk);
	}
}
