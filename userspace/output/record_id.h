/* SPDX-License-Identifier: MIT */
/* The ids of records as text, for servers that tell records by them. */
#ifndef OUTPUT_RECORD_ID_H
#define OUTPUT_RECORD_ID_H

#include "output/record.h"
#include "util/buf.h"

/*
 * Appends "STREAM-NUMBER" as evt.id has it. A drop record, which has the number of the one before
 * it, is identified by its time and its cause: "STREAM-NUMBERdNS.CAUSE".
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
