/* SPDX-License-Identifier: MIT */
/*
 * Blocks that are read in parts, whatever their length: in those about the machine the head, then
 * entry by entry; others are skipped. Each step consumes the available data, so that it can pause
 * if a pipe has no more.
 */
#include "scap/file/reader_impl.h"

enum {
	LIST_REST_MAX = 3, /* padding bytes after the last entry */
	ENTRY_BYTES_MORE = 64 << 10,
};

/* Skips the rest of a block, and checks its trailer. */
static int skip_step(struct scap_reader *reader, int timeout_ms)
{
	size_t rest = reader->left - SCAP_TRAILER_BYTES;
	uint32_t trailer;
	int code;

	if (rest) {
		code = reader_need(reader, 1, timeout_ms);
		if (code <= 0)
			return code;
		reader_take_bytes(reader, rest < reader->stream->len ? rest : reader->stream->len);
		return STEP_ON;
	}
	code = reader_need(reader, sizeof(trailer), timeout_ms);
	if (code <= 0)
		return code;
	memcpy(&trailer, reader->stream->data, sizeof(trailer));
	if (trailer != reader->block_len)
		return reader_end_lengths_differ(reader, trailer);
	reader_take_bytes(reader, sizeof(trailer));
	return STEP_ON;
}

static int skip_corrupt_list(struct scap_reader *reader)
{
	reader->stats.corrupt_lists++;
	reader->kind = NULL;
	return STEP_ON;
}

static int head_step(struct scap_reader *reader, int timeout_ms)
{
	size_t n = reader->kind->head_bytes;
	int code;

	if (n > reader->left - SCAP_TRAILER_BYTES)
		return skip_corrupt_list(reader);
	code = reader_need(reader, n, timeout_ms);
	if (code <= 0)
		return code;
	code = reader_snapshot_result(reader, reader->kind->head(reader, reader->stream->data));
	if (code)
		return code;
	reader_take_bytes(reader, n);
	reader->headed = true;
	return STEP_ON;
}

/* Reads an entry that ends before the end of the cursor, or there. */
static int take_entry(struct scap_reader *reader, struct cursor *cursor)
{
	buf_clear(&reader->texts);
	cursor->texts = &reader->texts;
	if (!buf_reserve(&reader->texts, cursor->left + ENTRY_TEXT_MORE))
		return reader_end_out_of_memory(reader);
	return reader_snapshot_result(reader,
				      reader->kind->entry(reader->to, reader->kind, cursor));
}

static int prefixed_entry_step(struct scap_reader *reader, size_t body, int timeout_ms)
{
	struct cursor cursor;
	uint32_t len;
	size_t entry;
	int code = reader_need(reader, sizeof(len), timeout_ms);

	if (code <= 0)
		return code;
	memcpy(&len, reader->stream->data, sizeof(len));
	entry = (size_t)len + (reader->kind->prefix == PREFIX_REST ? sizeof(len) : 0);
	if (entry < sizeof(len) || entry > body || entry > ENTRY_BYTES_MAX)
		return skip_corrupt_list(reader);
	code = reader_need(reader, entry, timeout_ms);
	if (code <= 0)
		return code;
	cursor = (struct cursor){reader->stream->data + sizeof(len), entry - sizeof(len)};
	code = take_entry(reader, &cursor);
	if (code)
		return code;
	if (cursor.missing || cursor.corrupt)
		return skip_corrupt_list(reader);
	reader_take_bytes(reader, entry);
	return STEP_ON;
}

/* The length of the entry is only known after parsing: if bytes are missing, waits for more. */
static int plain_entry_step(struct scap_reader *reader, size_t body, int timeout_ms)
{
	size_t most = body < ENTRY_BYTES_MAX ? body : ENTRY_BYTES_MAX;
	size_t len = reader->stream->len < most ? reader->stream->len : most;
	struct cursor cursor = {reader->stream->data, len};
	int code = take_entry(reader, &cursor);

	if (code)
		return code;
	if (!cursor.missing && !cursor.corrupt) {
		reader_take_bytes(reader, len - cursor.left);
		return STEP_ON;
	}
	if (cursor.corrupt || len == most)
		return skip_corrupt_list(reader);
	len += ENTRY_BYTES_MORE;
	code = reader_need(reader, len < most ? len : most, timeout_ms);
	return code == 1 ? STEP_ON : code;
}

int reader_part_step(struct scap_reader *reader, int timeout_ms)
{
	const struct block_kind *kind = reader->kind;
	size_t body = reader->left - SCAP_TRAILER_BYTES;

	if (kind && kind->head && !reader->headed)
		return head_step(reader, timeout_ms);
	if (!kind || !kind->entry || body <= LIST_REST_MAX)
		return skip_step(reader, timeout_ms);
	return kind->prefix == PREFIX_NONE ? plain_entry_step(reader, body, timeout_ms)
					   : prefixed_entry_step(reader, body, timeout_ms);
}
