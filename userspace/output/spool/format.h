/* SPDX-License-Identifier: MIT */
/*
 * The files of a spool, version 1; deploy/manual/spool.md documents them. Numbers are
 * little-endian. A segment is a header and frames. A frame is a batch of records: a header, the
 * index (an entry for each record), and the bytes of all records; index and bytes are compressed or
 * not, each by itself.
 */
#ifndef OUTPUT_SPOOL_FORMAT_H
#define OUTPUT_SPOOL_FORMAT_H

#include <stdint.h>

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

#endif
