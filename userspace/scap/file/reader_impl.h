/* SPDX-License-Identifier: MIT */
/*
 * Shared by the files of the reader. reader.c reads block after block, and finds the event in each.
 * reader_lists.c has the table of all kinds of blocks, and parses those that are no events.
 */
#ifndef SCAP_FILE_READER_IMPL_H
#define SCAP_FILE_READER_IMPL_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "abi.h"
#include "scap/file/cursor.h"
#include "scap/file/format.h"
#include "scap/file/reader.h"
#include "scap/file/stream.h"
#include "scap/file/upgrade.h"
#include "util/buf.h"

/* How the entries of a list begin. */
enum reader_prefix {
	PREFIX_NONE,
	PREFIX_WHOLE, /* with their length, including itself */
	PREFIX_REST, /* with the length of what follows */
};

/* A kind of block: an event, or data about the machine: a head, then entries. */
struct reader_block {
	uint32_t type;
	uint8_t version;
	uint8_t head_bytes;
	uint8_t prefix; /* enum reader_prefix */
	bool event;
	bool event_flags;
	/* Both return 0, or -errno of the reader or of the snapshot. */
	int (*head)(struct scap_reader *reader, const uint8_t *head);
	/* Passes on an entry, unless it sets `missing` or `corrupt` of the cursor. */
	int (*entry)(struct scap_snapshot *to, const struct reader_block *kind,
		     struct cursor *cursor);
};

enum {
	/* Entries are of several strings, each of 64 KiB at most. */
	ENTRY_BYTES_MAX = 1 << 20,
	ENTRY_TEXT_MORE = 64, /* NULs of its strings, and a generated name */
};

struct scap_reader {
	struct scap_source source;
	char *path; /* for messages */
	struct scap_stream *stream;
	struct scap_upgrade *upgrade;
	struct scap_snapshot *to;
	bool in_snapshot; /* between its begin and end */
	bool native;
	bool known; /* a block of the .scap world other than a section was seen */
	/* The block that is read in parts: data about the machine, or one to be skipped. */
	const struct reader_block *kind; /* of the entries that follow; NULL: the rest is skipped */
	uint64_t block_at;
	uint32_t block_len;
	uint32_t left; /* remaining bytes, trailer included; 0: no such block */
	bool headed; /* its head was read */
	struct buf texts; /* strings of the entry */
	struct scap_reader_stats stats;
	uint64_t joined; /* entry events in earlier sections: see scap_reader_stats */
	int code; /* how it ended */
	char problem[512];
};

/* Returned by a step without an event, if the next one may have one. */
enum { STEP_ON = 2 };

/* Ends the source: sets its code and problem, and returns the code. */
__attribute__((format(printf, 3, 4))) int reader_end_with(struct scap_reader *reader, int code,
							  const char *format, ...);
int reader_end_out_of_memory(struct scap_reader *reader);
int reader_end_lengths_differ(struct scap_reader *reader, uint32_t trailer);

/* Returns `code`, the result of the snapshot; an error ends the source. */
int reader_snapshot_result(struct scap_reader *reader, int code);

/* Ends the snapshot, if it has not ended. Returns 0 or -errno. */
int reader_end_snapshot(struct scap_reader *reader);

/* Returns 1 if `n` bytes are available, 0 if not yet, or how the source ended. */
int reader_wait(struct scap_reader *reader, size_t n, int timeout_ms);

static inline int reader_need(struct scap_reader *reader, size_t n, int timeout_ms)
{
	return reader->stream->len >= n ? 1 : reader_wait(reader, n, timeout_ms);
}

/* Consumes bytes. */
static inline void reader_take_bytes(struct scap_reader *reader, size_t n)
{
	scap_stream_skip(reader->stream, n);
	reader->left -= (uint32_t)n;
}

/* Notes where the block is whose header comes next, for messages and for what is read in parts. */
static inline void reader_begin_block(struct scap_reader *reader, uint32_t len)
{
	reader->block_at = scap_stream_offset(reader->stream);
	reader->block_len = len;
}

/* Whether a section can be read: 0, or how the source ended. */
int reader_check_section(struct scap_reader *reader, const uint8_t *head);

/* Continues a block that is read in parts. Returns as a step does. */
int reader_part_step(struct scap_reader *reader, int timeout_ms);

/* The length of a frame according to its header. */
static inline uint32_t reader_frame_len(const uint8_t *frame)
{
	uint32_t len;

	memcpy(&len, frame + offsetof(struct ppm_evt_hdr, len), sizeof(len));
	return len;
}

/*
 * For reader_find_frame(), whose results it returns: of the first version, at most `room` bytes
 * long. Its header grows over the bytes before it in the block.
 */
int reader_find_old_frame(uint8_t *frame, size_t room, struct scap_event *event);

/*
 * Finds the frame in a whole block, and sets the event. Returns 0; -ENOENT or -EBADMSG if it cannot
 * be returned.
 */
static inline int reader_find_frame(const struct reader_block *kind, uint8_t *block,
				    uint32_t block_len, struct scap_event *event)
{
	uint8_t *cpu = block + sizeof(struct scap_block_header);
	size_t begin = sizeof(struct scap_block_header) + sizeof(event->cpu), room;
	uint32_t flags = 0;

	begin += kind->event_flags ? sizeof(flags) : 0;
	if (block_len < begin + SCAP_TRAILER_BYTES)
		return -EBADMSG;
	room = block_len - begin - SCAP_TRAILER_BYTES;
	memcpy(&event->cpu, cpu, sizeof(event->cpu));
	if (kind->event_flags)
		memcpy(&flags, cpu + sizeof(event->cpu), sizeof(flags));
	event->hidden = flags & SCAP_EVENT_FLAG_HIDDEN;
	if (kind->version == 1)
		return reader_find_old_frame(block + begin, room, event);
	if (room < sizeof(struct ppm_evt_hdr))
		return -EBADMSG;
	/* Other writers may have added data after the frame. */
	event->frame = block + begin;
	event->len = reader_frame_len(event->frame);
	return event->len < sizeof(struct ppm_evt_hdr) || event->len > room ? -EBADMSG : 0;
}

/* All kinds of blocks, the most frequent one first. */
extern const struct reader_block reader_blocks[];

/* For reader_block_kind(): another one than the first. */
const struct reader_block *reader_search_block_kind(uint32_t type);

/* The kind of a type of blocks; NULL: unknown. */
static inline const struct reader_block *reader_block_kind(uint32_t type)
{
	return type == reader_blocks->type ? reader_blocks : reader_search_block_kind(type);
}

/* The functions in the table of kinds: heads, then entries. */
int reader_take_section(struct scap_reader *reader, const uint8_t *head);
int reader_take_native(struct scap_reader *reader, const uint8_t *head);
int reader_take_machine(struct scap_reader *reader, const uint8_t *head);
int reader_take_fds(struct scap_reader *reader, const uint8_t *head);
int reader_take_interface(struct scap_snapshot *to, const struct reader_block *kind,
			  struct cursor *cursor);
int reader_take_user(struct scap_snapshot *to, const struct reader_block *kind,
		     struct cursor *cursor);
int reader_take_fd(struct scap_snapshot *to, const struct reader_block *kind,
		   struct cursor *cursor);
int reader_take_thread(struct scap_snapshot *to, const struct reader_block *kind,
		       struct cursor *cursor);

#endif
