/* SPDX-License-Identifier: MIT */
/*
 * What the thread of an output has taken from its queue and not yet delivered. It is sent in parts,
 * the windows; a window that comes back shrinks to the records that have to be sent again. And
 * drop records for what is missing.
 */
#ifndef OUTPUT_DELIVERY_BATCH_H
#define OUTPUT_DELIVERY_BATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "output/delivery/gap.h"
#include "output/delivery/queue.h"
#include "output/record.h"
#include "util/arena.h"
#include "util/buf.h"

struct batch {
	struct queue_block *blocks, *last; /* that own the bytes of the records */
	struct output_record *records; /* owned; those from first to end - 1 are left */
	size_t first, end, capacity;
	size_t bytes; /* of the records that are left */
	struct arena own; /* bytes that are in no block: drop records, marked records */
	/* Memory for windows, as many as there are records. */
	uint8_t *results; /* owned */
	struct iovec *parts; /* owned */
};

void batch_finish(struct batch *batch); /* of a batch without blocks; zeroed: a new one */

static inline size_t batch_count(const struct batch *batch)
{
	return batch->end - batch->first;
}

/* Adds records; the bytes must outlive them. Returns 0 or -ENOMEM. */
int batch_add(struct batch *batch, const struct output_record *records, size_t count);

/* Keeps a sealed block until batch_take_blocks(). */
void batch_keep_block(struct batch *batch, struct queue_block *block);

/* Makes a record of which the bytes are copied. Returns 0 or -ENOMEM. */
int batch_add_copy(struct batch *batch, const struct output_record *record,
		   const struct buf *bytes);

/*
 * Copies the bytes of the last `count` records, which stand in a row: then they need not outlive
 * this call. Returns 0 or -ENOMEM.
 */
int batch_own(struct batch *batch, size_t count);

/* Copies the records of another batch to the end of this one. Returns 0 or -ENOMEM. */
int batch_add_copies(struct batch *batch, const struct batch *other);

/*
 * Makes a window of the first records that are left: at least one, at most `count` or `bytes` of
 * them. It is valid until the next call of a function of the batch.
 */
void batch_window(struct batch *batch, size_t count, size_t bytes, struct output_batch *window);

/* What came of a window. */
struct batch_result {
	size_t delivered, delivered_bytes; /* without drop records */
	size_t left; /* of the window */
};

/* Called for each record of a window that was rejected. */
typedef void batch_rejected(void *context, const struct output_record *record);

/* Removes what need not be sent again. */
struct batch_result batch_settle(struct batch *batch, const struct output_batch *window,
				 batch_rejected *rejected, void *context);

/* Copies a record with a mark, or appends nothing. */
typedef void batch_mark(const void *context, const struct output_record *record, struct buf *out);

/*
 * Marks the first `count` records that are left, unless they are already. Without memory they stay
 * as they are. Returns the number of those that are marked now.
 */
size_t batch_redeliver(struct batch *batch, size_t count, batch_mark *mark, const void *context);

/* Empties the batch; returns its blocks, linked by `next`. */
struct queue_block *batch_take_blocks(struct batch *batch);

/* Makes drop records of gaps. */

struct output_format;
struct schema;
struct redact;

/* What the records of an output are. All borrowed. */
struct output_form {
	const struct output_format *format;
	const struct schema *schema; /* NULL: the native one */
	const char *stream; /* the id of the output's life */
	struct redact *redact; /* for the thread that takes blocks; NULL: secrets stay */
	_Atomic(const char *) hostname; /* of events; NULL: none came yet */
};

/*
 * Adds a drop record for each gap to a batch, and an end record if the stream ends there; those for
 * which there is no memory are only counted. last_number: of the record before them. The gaps stay
 * as they are.
 */
void batch_drops_add(const struct output_form *form, const struct gaps *gaps, uint64_t last_number,
		     struct batch *batch);

/* Appends a copy of a record with the mark that it may have arrived before. */
void batch_drops_mark(const void *form, const struct output_record *record, struct buf *out);

/* Hides the secrets in the records of a block. */

/* Hides those of one record, of a form that has `redact`. */
void batch_hide_in_record(const struct output_form *form, char *record, size_t len);

/* Called by the thread that took the block from the queue: nobody else reads its bytes. */
void batch_hide_secrets(const struct output_form *form, struct queue_block *block);

#endif
