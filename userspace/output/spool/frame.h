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
#include "util/buf.h"

/*
 * The files of a spool, version 1; deploy/manual/spool.md documents them. Numbers are
 * little-endian. A segment is a header and frames. A frame is a batch of records: a header, the
 * index (an entry for each record), and the bytes of all records; index and bytes are compressed or
 * not, each by itself.
 */

#define SPOOL_SEGMENT_MAGIC "LNRSPOOL"
#define SPOOL_FRAME_MAGIC "LFRM"
#define SPOOL_STATE_MAGIC "LNRSTATE"

/* Higher positions and numbers are those of no record: whatever says so is corrupt. */
#define SPOOL_POSITION_MAX (UINT64_C(1) << 62)

enum {
	SPOOL_VERSION = 1,
	SPOOL_MAGIC_BYTES = 8,
	SPOOL_FRAME_MAGIC_BYTES = 4,
	SPOOL_STREAM_BYTES = 16, /* hexadecimal digits */
	SPOOL_BOOT_BYTES = 16,
	SPOOL_STATE_SLOTS = 2,
	SPOOL_SLOT_BYTES = 512,
	SPOOL_LOSSES_MAX = 7,

	/* Of a frame, before compression: what a reader must be ready to hold. */
	SPOOL_RECORDS_MAX = 1 << 17,
	SPOOL_DATA_BYTES_MAX = 8 << 20,
};

/*
 * Records are counted by their position: 1, 2, 3... over the life of a spool, without holes. (Their
 * number is that of the output; drop records have none.)
 */
struct spool_segment_header {
	char magic[SPOOL_MAGIC_BYTES];
	uint32_t version;
	uint32_t crc; /* CRC-32C of this header, with 0 here */
	char stream[SPOOL_STREAM_BYTES];
	uint64_t first; /* position of its first record; also the name of the file */
	uint64_t created_ns; /* since the epoch */
	/*
	 * Random: the checksums of frame headers begin with it, so that nothing that a record has
	 * in it passes for a frame.
	 */
	uint32_t salt;
	uint32_t unused[3];
};

enum spool_frame_flags {
	SPOOL_INDEX_ZSTD = 1 << 0,
	SPOOL_DATA_ZSTD = 1 << 1,
};

struct spool_frame_header {
	char magic[SPOOL_FRAME_MAGIC_BYTES];
	uint32_t crc; /* CRC-32C of this header, with 0 here, begun with the salt */
	uint64_t first; /* position of its first record */
	uint64_t first_number, last_number; /* of its first and last record */
	uint64_t first_ns, last_ns; /* times of these; since the epoch */
	uint32_t records;
	uint32_t flags;
	uint32_t index_bytes; /* as stored */
	uint32_t index_crc; /* CRC-32C of the index before compression */
	uint32_t data_bytes; /* as stored */
	uint32_t data_plain_bytes; /* before compression */
};

struct spool_entry {
	uint64_t ts_ns;
	uint32_t number; /* minus first_number of the frame */
	uint32_t len;
	uint32_t crc; /* CRC-32C of the bytes of the record */
	uint16_t event;
	uint8_t priority;
	uint8_t flags; /* enum output_record_flags */
};

struct spool_slot_loss {
	uint64_t from, to, count, first_ns, last_ns; /* see struct spool_loss */
};

/*
 * One of two slots of the state file, which are written in turns: the valid one with the higher
 * sequence is the state. The rest of the slot is zero.
 */
struct spool_slot {
	char magic[SPOOL_MAGIC_BYTES];
	uint32_t version;
	uint32_t crc; /* CRC-32C of the slot, with 0 here */
	uint64_t sequence;
	char stream[SPOOL_STREAM_BYTES];
	uint8_t boot[SPOOL_BOOT_BYTES]; /* of the kernel that wrote it */
	uint64_t appended; /* position of the last record */
	uint64_t acknowledged; /* position of the last record that needs not be sent again */
	uint64_t attempted; /* position of the last record that may have been sent */
	uint64_t dropped_from, dropped_to; /* positions that the limit cost, already in `losses` */
	uint64_t number; /* of the last record */
	uint64_t acknowledged_number; /* of the last one that is acknowledged */
	uint64_t reserved; /* records up to this number may have been sent */
	uint32_t closed; /* 1: in good order: all is on disk, and all that is missing is reported */
	uint32_t losses_count;
	struct spool_slot_loss losses[SPOOL_LOSSES_MAX]; /* not reported yet, by enum spool_cause */
	uint64_t known_ns; /* since the epoch: no record behind `number` is older; 0: not known */
	uint64_t losses_unsaid; /* 1: no drop record about these losses was sent yet */
	uint64_t unused[3];
};

_Static_assert(sizeof(struct spool_segment_header) == 64, "a part of the format");
_Static_assert(sizeof(struct spool_frame_header) == 72, "a part of the format");
_Static_assert(sizeof(struct spool_entry) == 24, "a part of the format");
_Static_assert(sizeof(struct spool_slot) == 448, "a part of the format");
_Static_assert(sizeof(struct spool_slot) <= SPOOL_SLOT_BYTES, "a part of the format");
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "structs are written as they are");

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
