/* SPDX-License-Identifier: MIT */
/*
 * The bytes of a file or pipe, plain or decompressed by gzip or zstd, contiguous up to the
 * requested length. The file is read, not mapped: its pages are not charged to the process, and
 * truncating it while it is read causes no SIGBUS.
 */
#ifndef SCAP_FILE_STREAM_H
#define SCAP_FILE_STREAM_H

#include <stddef.h>
#include <stdint.h>

#include "util/error.h"

/* The available bytes. The caller may overwrite them; waiting for more may move them. */
struct scap_stream {
	uint8_t *data;
	size_t len;
};

/*
 * Opens a file ("-": standard input), and waits for its first bytes, which show whether it is
 * compressed. Returns 0 or -errno with a message that names it; -EINTR: a signal arrived before.
 */
int scap_stream_open(const char *path, struct scap_stream **stream, struct error *err);
void scap_stream_close(struct scap_stream *stream); /* accepts NULL */

/*
 * Waits until at least `n` bytes are available. Memory grows only with the received data. Returns
 * 1; 0 if they did not arrive within `timeout_ms` (negative: wait for ever) or a signal arrived;
 * -ENODATA if the file ends before, so that `len` are the last ones; likewise -EPIPE if compressed
 * data is truncated; or another -errno. The last two set the problem.
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

/* The number of bytes consumed so far. */
uint64_t scap_stream_offset(const struct scap_stream *stream);

/* A description of the error. */
const char *scap_stream_problem(const struct scap_stream *stream);

/* Of the file as stored: bytes read so far, and in total (0: unknown). */
uint64_t scap_stream_bytes_read(const struct scap_stream *stream);
uint64_t scap_stream_bytes(const struct scap_stream *stream);

#endif
