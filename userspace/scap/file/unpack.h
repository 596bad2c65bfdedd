/* SPDX-License-Identifier: MIT */
/*
 * Decompresses a file in a separate thread, a few blocks before the reader, so that the two run in
 * parallel; gzip and zstd.
 */
#ifndef SCAP_FILE_UNPACK_H
#define SCAP_FILE_UNPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Decompression of the formats that a capture file can be compressed with. No I/O. */

/* Input bytes that are left, or output space that is left. */
struct unpack_span {
	uint8_t *at;
	size_t left;
};

struct unpack_codec {
	const char *name;
	/* Whether a file that begins with these bytes, 4 or more, is of this format. */
	bool (*knows)(const uint8_t *bytes);
	void *(*create)(void); /* NULL: out of memory */
	/*
	 * Decompresses until `in` or `out` is exhausted. Concatenated files count as one. Returns
	 * NULL, or a message about corrupt input; the data before it is in `out`.
	 */
	const char *(*run)(void *state, struct unpack_span *in, struct unpack_span *out);
	bool (*is_whole)(const void *state); /* the input may end here */
	void (*destroy)(void *state);
};

/* The format of a file that begins with these bytes; NULL: not compressed. */
const struct unpack_codec *unpack_codec_find(const uint8_t *bytes, size_t len);

/*
 * Decompresses a file in a separate thread, a few blocks before the reader, so that the two run in
 * parallel on more than one CPU.
 */

struct scap_unpack;

enum { SCAP_UNPACK_HEAD_MAX = 512 << 10 };

/*
 * Begins with `head`, the `len` bytes already read from `fd` (at most SCAP_UNPACK_HEAD_MAX), and
 * continues with the descriptor, which is borrowed. waits: reading may block, as from a pipe.
 * Returns 0 or -errno.
 */
int scap_unpack_start(const struct unpack_codec *codec, int fd, bool waits, const void *head,
		      size_t len, struct scap_unpack **unpack);

/* Ends the thread, even if it waits, and frees all; accepts NULL. */
void scap_unpack_stop(struct scap_unpack *unpack);

/*
 * Takes up to `room` bytes. Returns their number; 0 if none arrived within `timeout_ms` (negative:
 * wait for ever) or a signal arrived; -ENODATA at the end; another -errno with a problem, after all
 * data before it was returned: -EPIPE if the file is truncated.
 */
ptrdiff_t scap_unpack_take(struct scap_unpack *unpack, void *to, size_t room, int timeout_ms);

/* A description of the error. */
const char *scap_unpack_problem(const struct scap_unpack *unpack);

/* Bytes of the file read so far, `head` included. */
uint64_t scap_unpack_bytes_read(const struct scap_unpack *unpack);

#endif
