/* SPDX-License-Identifier: MIT */
/* The memory of blocks. */
#include "output/delivery/block.h"

#include <stdlib.h>

enum { RECORDS_MIN = 64 };

struct block *block_create(void)
{
	return calloc(1, sizeof(struct block));
}

void block_destroy(struct block *block)
{
	if (!block)
		return;
	buf_finish(&block->bytes);
	gaps_clear(&block->before);
	free(block->records);
	free(block);
}

void block_clear(struct block *block)
{
	buf_clear(&block->bytes);
	gaps_clear(&block->before);
	block->next = NULL;
	block->count = 0;
	block->begin_ns = 0;
}

bool block_grow(struct block *block)
{
	size_t capacity = block->capacity ? block->capacity * 2 : RECORDS_MIN;
	struct output_record *records = realloc(block->records, capacity * sizeof(*records));

	if (!records)
		return false;
	block->records = records;
	block->capacity = capacity;
	return true;
}

void block_seal(struct block *block)
{
	const char *bytes = block->bytes.data;

	for (size_t i = 0; i < block->count; i++) {
		block->records[i].bytes = bytes;
		bytes += block->records[i].len;
	}
}
