/* SPDX-License-Identifier: MIT */
/*
 * Output of the blocks of a capture file: collected in memory, then compressed, then written to a
 * file or a pipe. The writer fills blocks in place; no other code writes to the file.
 */
#ifndef SCAP_FILE_SINK_H
#define SCAP_FILE_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/error.h"

enum scap_compression { SCAP_PLAIN, SCAP_GZIP, SCAP_ZSTD };

struct sink_codec;

struct scap_sink {
	const struct sink_codec *codec;
	void *codec_state; /* owned by the codec */
	int fd; /* borrowed */
	const char *name; /* of the file, borrowed */
	bool (*give_up)(void); /* see scap_writer_config; may be NULL */
	uint8_t *blocks; /* owned: whole blocks, not written yet */
	size_t len, capacity; /* of `blocks`; both 0 after an error */
	uint8_t *compressed; /* owned: bytes to be written; NULL for plain files */
	bool unflushed; /* the codec may hold back a part of its input */
	int error; /* the first one, -errno; then nothing more is written */
	uint64_t bytes; /* of blocks that left the buffer */
	uint64_t bytes_safe; /* of these, known to be handed to the kernel, compressed or not */
	uint64_t bytes_stored; /* handed to the kernel */
};

/*
 * Writes to a descriptor, which may be non-blocking. Returns 0 or -ENOMEM. End it with
 * scap_sink_finish().
 */
int scap_sink_init(struct scap_sink *sink, int fd, const char *name,
		   enum scap_compression compression);

/* Makes room for a block of `bytes`. Returns 0, or -errno after which the sink has failed. */
int scap_sink_make_room(struct scap_sink *sink, size_t bytes);

/*
 * Memory for a block of `bytes`, which the caller fills at once: a whole block with this length in
 * its header. NULL if the sink has failed.
 */
static inline uint8_t *scap_sink_block(struct scap_sink *sink, size_t bytes)
{
	uint8_t *block;

	if (sink->capacity - sink->len < bytes && scap_sink_make_room(sink, bytes))
		return NULL;
	block = sink->blocks + sink->len;
	sink->len += bytes;
	return block;
}

/* Hands all to the kernel, so that the file can be read up to here. Returns 0 or -errno. */
int scap_sink_flush(struct scap_sink *sink);

/* Ends the stream and frees the memory; the descriptor stays open. Returns 0 or -errno. */
int scap_sink_finish(struct scap_sink *sink);

/* Marks the sink as failed because a block cannot be built. Returns the first error. */
int scap_sink_fail(struct scap_sink *sink, int error);

/* Returns 0, or the first error with a message. */
int scap_sink_result(const struct scap_sink *sink, struct error *err);

/* Bytes of all blocks so far, before compression. */
static inline uint64_t scap_sink_bytes(const struct scap_sink *sink)
{
	return sink->bytes + sink->len;
}

#endif
