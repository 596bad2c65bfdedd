/* SPDX-License-Identifier: MIT */
/*
 * Frames: a batch of records made into bytes, and back. Both sides keep their memory and their zstd
 * contexts, so that a warm one does not allocate. The reading side trusts no byte. And
 * the frames of one segment, from header to header.
 */
#ifndef OUTPUT_SPOOL_FRAME_H
#define OUTPUT_SPOOL_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <zstd.h>

#include "output/record.h"
#include "output/spool/folder.h"
#include "output/spool/format.h"
#include "util/buf.h"

struct spool_encoder {
	ZSTD_CCtx *zstd; /* owned; NULL: nothing is compressed */
	struct buf index, data; /* before compression */
	struct buf frame; /* what is to be written */
};

/* level: of zstd; 0: none. Returns 0 or -ENOMEM. */
int spool_encoder_init(struct spool_encoder *encoder, int level);
void spool_encoder_finish(struct spool_encoder *encoder);

/*
 * Makes encoder->frame of these records, the first of which has this position; spool_encoder_seal()
 * completes it. Returns 0, -EMSGSIZE (more than the format allows), -EINVAL (numbers go back) or
 * -ENOMEM.
 */
int spool_encode(struct spool_encoder *encoder, uint64_t position,
		 const struct output_record *records, size_t count);

/* Sets the checksum of the frame for a segment of this salt. */
void spool_encoder_seal(struct spool_encoder *encoder, uint32_t salt);

static inline uint64_t spool_frame_bytes(const struct spool_frame_header *header)
{
	return sizeof(*header) + (uint64_t)header->index_bytes + header->data_bytes;
}

static inline uint64_t spool_frame_last(const struct spool_frame_header *header)
{
	return header->first + header->records - 1;
}

/* Whether the header is whole, and its lengths are possible. */
bool spool_frame_is_valid(const struct spool_frame_header *header, uint32_t salt);

struct spool_decoder {
	ZSTD_DCtx *zstd; /* owned */
	struct buf stored, index, data;
	/* Of the last frame: */
	const struct spool_entry *entries; /* in `index` */
	size_t *offsets; /* owned: of each record in `data` */
	size_t offsets_capacity;
	size_t count;
};

/* Returns 0 or -ENOMEM. */
int spool_decoder_init(struct spool_decoder *decoder);
void spool_decoder_finish(struct spool_decoder *decoder);

/*
 * Reads the index of the frame at this offset of a file, whose header is valid: entries and count.
 * Returns 0, -EBADMSG (corrupt; count is 0), -ENOMEM or what pread(2) gives.
 */
int spool_decode_index(struct spool_decoder *decoder, int fd, uint64_t offset,
		       const struct spool_frame_header *header);

/* Reads the index and the bytes of all records. Returns as spool_decode_index(). */
int spool_decode(struct spool_decoder *decoder, int fd, uint64_t offset,
		 const struct spool_frame_header *header);

/* Whether the bytes of a record have their checksum. */
bool spool_record_is_valid(const struct spool_decoder *decoder, size_t i);

/* A record of the last frame whose index was read, without its bytes. */
void spool_decoder_entry(const struct spool_decoder *decoder,
			 const struct spool_frame_header *header, size_t i,
			 struct output_record *record);

/* With them; they are valid until the next frame is read. */
void spool_decoder_record(const struct spool_decoder *decoder,
			  const struct spool_frame_header *header, size_t i,
			  struct output_record *record);

/*
 * The frames of one segment, from header to header. What is no valid frame is skipped, up to the
 * next one.
 */

struct spool_scan {
	int fd; /* owned by who opened it */
	uint32_t salt;
	uint64_t at; /* where the next frame is expected */
	uint64_t end; /* where the file ends; the caller can move it on */
	uint64_t position; /* of the next record at least: frames do not go back */
	uint64_t limit; /* positions from this one on are in no frame here; the caller can move it
			   on */
	uint64_t skipped; /* bytes that were no frame, so far */
	uint64_t frame; /* offset of the frame that was found last */
};

/*
 * Reads and checks the header of a segment whose name says this first position. Returns 0, -EBADMSG
 * (corrupt), -EPROTONOSUPPORT (a later version) or what pread(2) gives.
 */
int spool_segment_read_header(int fd, uint64_t first, struct spool_segment_header *header);

/* Sets the checksum. */
void spool_segment_seal(struct spool_segment_header *header);

/*
 * Opens a segment of a folder, whose header must be valid; release it with close(scan->fd). Returns
 * 0, or -EBADMSG, -EPROTONOSUPPORT or -errno of openat(2); then scan->fd is -1.
 */
int spool_scan_open(struct spool_scan *scan, int folder, const struct spool_segment *segment);

/*
 * Finds the next frame. Returns 1, 0 after the last one, or what pread(2) gives: then it can be
 * tried again.
 */
int spool_scan_next(struct spool_scan *scan, struct spool_frame_header *header);

#endif
