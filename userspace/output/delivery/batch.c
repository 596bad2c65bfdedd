/* SPDX-License-Identifier: MIT */
/*
 * Records of several blocks, side by side; their bytes stay where they are. Drop records of gaps;
 * secrets are hidden.
 */
#include "output/delivery/batch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "output/redact/redact.h"
#include "rules/rules.h"
#include "sinsp/format/drop.h"
#include "sinsp/format/output_format.h"
#include "util/clock.h"

/* Records of several blocks, side by side; their bytes stay where they are. */

enum { RECORDS_MIN = 256 };

void batch_finish(struct batch *batch)
{
	arena_finish(&batch->own);
	free(batch->records);
	free(batch->results);
	free(batch->parts);
	*batch = (struct batch){0};
}

/* Makes an array larger; without memory it stays as it is. */
static int batch_grow(void **memory, size_t size)
{
	void *more = realloc(*memory, size);

	if (!more)
		return -ENOMEM;
	*memory = more;
	return 0;
}

static int batch_reserve(struct batch *batch, size_t more)
{
	size_t capacity = batch->capacity ? batch->capacity : RECORDS_MIN;

	if (batch->end + more <= batch->capacity)
		return 0;
	while (capacity < batch->end + more)
		capacity *= 2;
	if (batch_grow((void **)&batch->records, capacity * sizeof(batch->records[0])) ||
	    batch_grow((void **)&batch->results, capacity * sizeof(batch->results[0])) ||
	    batch_grow((void **)&batch->parts, capacity * sizeof(batch->parts[0])))
		return -ENOMEM;
	batch->capacity = capacity;
	return 0;
}

int batch_add(struct batch *batch, const struct output_record *records, size_t count)
{
	if (batch_reserve(batch, count))
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		batch->records[batch->end++] = records[i];
		batch->bytes += records[i].len;
	}
	return 0;
}

void batch_keep_block(struct batch *batch, struct queue_block *block)
{
	block->next = NULL;
	if (batch->last)
		batch->last->next = block;
	else
		batch->blocks = block;
	batch->last = block;
}

static const char *batch_copy(struct batch *batch, const struct buf *bytes)
{
	return bytes->failed || bytes->len == 0 ? NULL
						: arena_text(&batch->own, bytes->data, bytes->len);
}

int batch_add_copy(struct batch *batch, const struct output_record *record, const struct buf *bytes)
{
	struct output_record made = *record;

	made.bytes = batch_copy(batch, bytes);
	made.len = (uint32_t)bytes->len;
	return made.bytes ? batch_add(batch, &made, 1) : -ENOMEM;
}

int batch_own(struct batch *batch, size_t count)
{
	struct output_record *records = batch->records + batch->end - count;
	size_t bytes = 0;
	char *copy;

	for (size_t i = 0; i < count; i++)
		bytes += records[i].len;
	copy = count ? arena_text(&batch->own, records[0].bytes, bytes) : NULL;
	if (count && !copy)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		records[i].bytes = copy;
		copy += records[i].len;
	}
	return 0;
}

int batch_add_copies(struct batch *batch, const struct batch *other)
{
	int r = 0;

	for (size_t i = other->first; i < other->end && r == 0; i++) {
		const struct output_record *record = &other->records[i];
		const struct buf bytes = {.data = (char *)record->bytes, .len = record->len};

		r = batch_add_copy(batch, record, &bytes);
	}
	return r;
}

void batch_window(struct batch *batch, size_t count, size_t bytes, struct output_batch *window)
{
	const struct output_record *record = &batch->records[batch->first];
	size_t n, parts = 0, sum = 0;

	if (count > batch_count(batch))
		count = batch_count(batch);
	for (n = 0; n < count && (n == 0 || sum + record[n].len <= bytes); n++) {
		struct iovec *part = &batch->parts[parts];

		sum += record[n].len;
		if (n && record[n].bytes == (char *)part[-1].iov_base + part[-1].iov_len) {
			part[-1].iov_len += record[n].len;
		} else {
			*part = (struct iovec){(char *)record[n].bytes, record[n].len};
			parts++;
		}
	}
	memset(batch->results, OUTPUT_RETRY, n);
	*window = (struct output_batch){
		.records = record,
		.count = n,
		.bytes = sum,
		.parts = batch->parts,
		.parts_count = parts,
		.results = batch->results,
	};
}

struct batch_result batch_settle(struct batch *batch, const struct output_batch *window,
				 batch_rejected *rejected, void *context)
{
	size_t end = batch->first + window->count, kept = end;
	struct batch_result result = {0};

	for (size_t i = 0; i < window->count; i++) {
		const struct output_record *record = &window->records[i];
		bool counts = !(record->flags & RECORD_IS_DROP);

		if (window->results[i] == OUTPUT_REJECTED)
			rejected(context, record);
		result.delivered += counts && window->results[i] == OUTPUT_DELIVERED;
		if (counts && window->results[i] == OUTPUT_DELIVERED)
			result.delivered_bytes += record->len;
		if (window->results[i] != OUTPUT_RETRY)
			batch->bytes -= record->len;
	}
	/* Those that are left move to the end of the window, in their order. */
	for (size_t i = window->count; i-- > 0;)
		if (window->results[i] == OUTPUT_RETRY)
			batch->records[--kept] = window->records[i];
	batch->first = kept;
	result.left = end - kept;
	return result;
}

size_t batch_redeliver(struct batch *batch, size_t count, batch_mark *mark, const void *context)
{
	struct buf text = {0};
	size_t marked = 0;

	for (size_t i = 0; i < count; i++) {
		struct output_record *record = &batch->records[batch->first + i];
		const char *bytes;

		if (record->flags & RECORD_REDELIVERED)
			continue;
		buf_clear(&text);
		mark(context, record, &text);
		bytes = batch_copy(batch, &text);
		if (!bytes)
			continue;
		batch->bytes += text.len - record->len;
		record->bytes = bytes;
		record->len = (uint32_t)text.len;
		record->flags |= RECORD_REDELIVERED;
		marked++;
	}
	buf_finish(&text);
	return marked;
}

struct queue_block *batch_take_blocks(struct batch *batch)
{
	struct queue_block *blocks = batch->blocks;

	arena_finish(&batch->own);
	batch->blocks = batch->last = NULL;
	batch->first = batch->end = batch->bytes = 0;
	return blocks;
}

/* Drop records, by the format of the output. */

/* The id has the time: it must not repeat in a later run, which may go on with the same stream. */
static void append_id(const struct output_form *form, char kind, struct buf *id)
{
	buf_printf(id, "%s-%c%llu", form->stream, kind,
		   (unsigned long long)clock_ns(CLOCK_REALTIME));
	buf_append_char(id, '\0');
}

static void delivery_batch_add(const struct output_form *form, const struct gap *gap,
			       enum gap_cause cause, uint64_t last_number, struct batch *batch)
{
	const struct output_record record = {.number = last_number,
					     .ts_ns = gap->last_ns,
					     .event = (uint16_t)cause,
					     .priority = PRIORITY_WARNING,
					     .flags = RECORD_IS_DROP};
	struct format_drop_type types[EVENT_ID_MAX];
	struct buf text = {0}, id = {0};
	struct format_drop drop;

	append_id(form, 'd', &id);
	gap_describe(gap, cause, last_number, types, &drop);
	drop.schema = form->schema;
	drop.id = id.failed ? NULL : id.data;
	drop.hostname = form->hostname;
	form->format->records.append_drop(&drop, &text);
	batch_add_copy(batch, &record, &text);
	buf_finish(&text);
	buf_finish(&id);
}

static void add_end(const struct output_form *form, const struct gap_end *end, uint64_t last_number,
		    struct batch *batch)
{
	const struct output_record record = {.number = last_number,
					     .ts_ns = end->ts_ns,
					     .event = GAP_CAUSES,
					     .priority = PRIORITY_INFORMATIONAL,
					     .flags = RECORD_IS_DROP | RECORD_IS_END};
	struct format_end made = {.schema = form->schema,
				  .ts_ns = end->ts_ns,
				  .last = end->last,
				  .records = end->records,
				  .dropped = end->dropped,
				  .knows_dropped = true,
				  .reason = end->reason};
	struct buf text = {0}, id = {0};

	append_id(form, 'e', &id);
	made.id = id.failed ? NULL : id.data;
	made.hostname = form->hostname;
	form->format->records.append_end(&made, &text);
	batch_add_copy(batch, &record, &text);
	buf_finish(&text);
	buf_finish(&id);
}

void batch_drops_add(const struct output_form *form, const struct gaps *gaps, uint64_t last_number,
		     struct batch *batch)
{
	if (!form->format->records.append_drop)
		return;
	for (unsigned int cause = 0; cause < GAP_CAUSES; cause++)
		if (gaps->by_cause[cause])
			delivery_batch_add(form, gaps->by_cause[cause], (enum gap_cause)cause,
					   last_number, batch);
	if (gaps->end.reason)
		add_end(form, &gaps->end, last_number, batch);
}

void batch_drops_mark(const void *context, const struct output_record *record, struct buf *out)
{
	const struct output_form *form = context;

	if (form->format->records.mark_redelivered)
		form->format->records.mark_redelivered(form->schema, record->bytes, record->len,
						       out);
}

/* Record by record, or text by text where a format has a structure. */

static void hide_part(void *redact, char *text, size_t len)
{
	redact_part(redact, text, len);
}

void batch_hide_in_record(const struct output_form *form, char *record, size_t len)
{
	const struct format_records *records = &form->format->records;

	if (!records->visit_texts) {
		redact_text(form->redact, record, len);
		return;
	}
	redact_begin_parts(form->redact);
	records->visit_texts(record, len, hide_part, form->redact);
}

void batch_hide_secrets(const struct output_form *form, struct queue_block *block)
{
	for (size_t i = 0; form->redact && i < block->count; i++)
		batch_hide_in_record(form, (char *)block->records[i].bytes, block->records[i].len);
}
