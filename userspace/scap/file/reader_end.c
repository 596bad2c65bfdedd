/* SPDX-License-Identifier: MIT */
/* How a reader ends: errors, the result of its snapshot, and the end of the stream. */
#include "scap/file/reader_impl.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

int reader_end_with(struct scap_reader *reader, int code, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(reader->problem, sizeof(reader->problem), format, args);
	va_end(args);
	reader->code = code;
	return code;
}

int reader_end_out_of_memory(struct scap_reader *reader)
{
	return reader_end_with(reader, -ENOMEM, "there is no memory to read it on");
}

int reader_snapshot_result(struct scap_reader *reader, int code)
{
	if (code < 0 && reader->code == 0)
		reader_end_with(reader, code, "the state of the machine in it cannot be loaded: %s",
				strerror(-code));
	return code;
}

int reader_end_snapshot(struct scap_reader *reader)
{
	if (!reader->in_snapshot)
		return 0;
	reader->in_snapshot = false;
	return reader_snapshot_result(reader, reader->to->ops->end(reader->to));
}

/* The stream returned less than needed, with this code. */
static int end_of_stream(struct scap_reader *reader, int code)
{
	uint64_t at = scap_stream_offset(reader->stream);
	bool whole = code == -ENODATA;
	const char *why = whole ? "" : scap_stream_problem(reader->stream);
	const char *colon = whole ? "" : ": ";
	int r = reader_end_snapshot(reader);

	if (r < 0)
		return r;
	at += reader->stream->len;
	if (reader->left == 0 && reader->stream->len == 0) {
		if (whole)
			return reader->code = code;
		return reader_end_with(reader, code, "it ends at byte %" PRIu64 "%s%s", at, colon,
				       why);
	}
	if (reader->left == 0)
		reader->block_at = scap_stream_offset(reader->stream);
	return reader_end_with(reader, whole ? -EPIPE : code,
			       "it is truncated at byte %" PRIu64
			       ", in the block that begins at byte %" PRIu64 "%s%s",
			       at, reader->block_at, colon, why);
}

int reader_wait(struct scap_reader *reader, size_t n, int timeout_ms)
{
	int code = scap_stream_wait(reader->stream, n, timeout_ms);

	return code >= 0 ? code : end_of_stream(reader, code);
}

int reader_end_lengths_differ(struct scap_reader *reader, uint32_t trailer)
{
	return reader_end_with(reader, -EBADMSG,
			       "the block that begins at byte %" PRIu64
			       " is corrupt: its length is %" PRIu32
			       " at its beginning and %" PRIu32 " at its end",
			       reader->block_at, reader->block_len, trailer);
}
