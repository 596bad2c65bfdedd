/* SPDX-License-Identifier: MIT */
/*
 * The bytes of a file or pipe, plain or unpacked from gzip or zstd, as much in one piece as is
 * asked for. The file is read, not mapped: its pages do not count as ours, and nothing happens when
 * it is cut while it is read.
 */
#ifndef SCAP_FILE_STREAM_H
#define SCAP_FILE_STREAM_H

#include <stddef.h>
#include <stdint.h>

#include "util/error.h"

/* What is there to be taken. The bytes may be written to, and move when more is waited for. */
struct scap_stream {
	uint8_t *data;
	size_t len;
};

/*
 * Opens a file ("-": standard input), and waits for its first bytes, which tell whether it is
 * packed. Returns 0 or -errno with a message that names it; -EINTR: a signal arrived before.
 */
int scap_stream_open(const char *path, struct scap_stream **stream, struct error *err);
void scap_stream_close(struct scap_stream *stream); /* accepts NULL */

/*
 * Waits until at least `n` bytes are there. Memory grows with what comes, never before it.
 * Returns 1; 0 if they did not come within `timeout_ms` (negative: wait for ever) or a signal
 * arrived; -ENODATA when the end comes before, so that `len` are the last ones; likewise -EPIPE
 * when packed data break off; or another -errno. For these two there is a problem.
 */
int scap_stream_wait(struct scap_stream *stream, size_t n, int timeout_ms);

static inline int scap_stream_need(struct scap_stream *stream, size_t n, int timeout_ms)
{
	return stream->len >= n ? 1 : scap_stream_wait(stream, n, timeout_ms);
}

static inline void scap_stream_skip(struct scap_stream *stream, size_t n)
{
	stream->data += n;
	stream->len -= n;
}

/* How many bytes were skipped so far. */
uint64_t scap_stream_offset(const struct scap_stream *stream);

/* What is wrong after an error. */
const char *scap_stream_problem(const struct scap_stream *stream);

/* Of the file as it is stored: bytes read so far, and all of them (0: not known). */
uint64_t scap_stream_bytes_read(const struct scap_stream *stream);
uint64_t scap_stream_bytes(const struct scap_stream *stream);

#endif
