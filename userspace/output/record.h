/* SPDX-License-Identifier: MIT */
/*
 * Records are what outputs deliver: an event, the match of a rule or a drop, formatted for one
 * output. A batch is what a target is given at a time.
 */
#ifndef OUTPUT_RECORD_H
#define OUTPUT_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include "util/buf.h"

enum output_record_flags {
	RECORD_IS_DROP = 1 << 0, /* says which records are missing */
	RECORD_REDELIVERED = 1 << 1, /* may have arrived before; its bytes say so, too */
	RECORD_IS_END = 1 << 2, /* beside RECORD_IS_DROP: says that nothing follows */
};

struct output_record {
	const char *bytes; /* borrowed; as the format ends it: lines with their newline */
	uint64_t number; /* in its output, from 1 without holes; of a drop the one before it */
	uint64_t ts_ns; /* of the event, since the epoch */
	uint32_t len;
	uint16_t event; /* its type; of drops their cause */
	uint8_t priority; /* enum rules_priority: of the rule, else PRIORITY_INFORMATIONAL */
	uint8_t flags; /* enum output_record_flags */
};

/* The length of a record without the newline at its end, for targets with frames of their own. */
static inline size_t output_record_text_len(const struct output_record *record)
{
	bool line = record->len && record->bytes[record->len - 1] == '\n';

	return record->len - line;
}

/* What came of a record. */
enum output_result {
	OUTPUT_RETRY, /* not delivered, or not known: it is sent again */
	OUTPUT_DELIVERED, /* the target took responsibility for it */
	OUTPUT_REJECTED, /* the target will never take it */
};

struct output_batch {
	const struct output_record *records; /* in their order */
	size_t count;
	size_t bytes; /* of all records */
	/* Their bytes in as few pieces as possible, for targets that take a stream. Borrowed. */
	const struct iovec *parts;
	size_t parts_count;
	const char *stream; /* the id of the output's life: with a record's number it is unique */
	/* Set by send(). */
	uint8_t *results; /* enum output_result of each record; before: OUTPUT_RETRY */
	bool uncertain; /* those to retry may have arrived all the same */
	bool too_large; /* send the records to retry in smaller batches */
	bool divide; /* the same: one of them is wrong, and the answer does not say which */
	uint64_t retry_after_ns; /* wait so long before the next try; 0: the target did not say */
};

/* Sets the result of all records. */
void output_batch_set(struct output_batch *batch, enum output_result result);

/* Of a stream that took this many bytes: what lies in them is delivered, the rest to be retried. */
void output_batch_set_bytes(struct output_batch *batch, size_t bytes);

/*
 * The bytes of a batch from one offset to another as pieces for writev(2), at most `max` of them.
 * Returns how many there are; they may end before `to`.
 */
size_t output_batch_slice(const struct output_batch *batch, size_t from, size_t to,
			  struct iovec *pieces, size_t max);

/* The ids of records as text, for servers that tell records by them. */

/*
 * Appends "STREAM-NUMBER" as evt.id has it. A drop record, which has the number of the one before
 * it, is identified by its time and its cause: "STREAM-NUMBERdNS.CAUSE"; an end record, too.
 */
static inline void record_id_append(struct buf *text, const struct output_batch *batch,
				    const struct output_record *record)
{
	buf_append_string(text, batch->stream);
	buf_append_char(text, '-');
	buf_append_u64(text, record->number);
	if (record->flags & RECORD_IS_DROP) {
		buf_append_char(text, 'd');
		buf_append_u64(text, record->ts_ns);
		buf_append_char(text, '.');
		buf_append_u64(text, record->event);
	}
}

#endif
