/* SPDX-License-Identifier: MIT */
/*
 * Blocks carry records from the thread of events to the thread of an output. The first only
 * appends; blocks are used again, so that no memory is allocated once they are warm.
 */
#ifndef OUTPUT_DELIVERY_BLOCK_H
#define OUTPUT_DELIVERY_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "output/delivery/gap.h"
#include "output/record.h"
#include "util/buf.h"

/* A block of this size is full, unless the queue is too small for several. */
enum { BLOCK_BYTES = 64 << 10, BLOCK_RECORDS_MAX = 1 << 16 };

struct block {
	struct block *next; /* in a list of the queue or of a batch */
	struct buf bytes; /* of all records, one after the other */
	struct output_record *records; /* owned; their bytes are not set before block_seal() */
	size_t count, capacity; /* of records */
	struct gaps before; /* what is missing before the first record */
	uint64_t begin_ns; /* monotonic: when it got its first record, or soon after; 0: none yet */
};

/* Returns NULL if out of memory. */
struct block *block_create(void);
void block_destroy(struct block *block); /* accepts NULL */

/* Empties the block for new records. */
void block_clear(struct block *block);

/* For block_reserve(). */
bool block_grow(struct block *block);

/* Makes sure that block_end_record() has room. Returns false if out of memory. */
static inline bool block_reserve(struct block *block)
{
	return block->count < block->capacity || block_grow(block);
}

/* Ends a record whose bytes were appended from `start` on; its other members are those of `record`.
 */
static inline void block_end_record(struct block *block, size_t start,
				    const struct output_record *record)
{
	struct output_record *made = &block->records[block->count++];

	*made = *record;
	made->len = (uint32_t)(block->bytes.len - start);
}

/* The memory that it stands for in its queue. */
static inline size_t block_size(const struct block *block)
{
	return block->bytes.len + block->count * sizeof(block->records[0]);
}

/* Sets the bytes of the records: nothing may be appended any more. */
void block_seal(struct block *block);

#endif
