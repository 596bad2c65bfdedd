/* SPDX-License-Identifier: MIT */
/*
 * What the files of the writer share. writer.c writes events and writer_snapshot.c the state before
 * them, whose entries writer_entries.c makes; both write blocks through writer_blocks.c.
 */
#ifndef SCAP_FILE_WRITER_IMPL_H
#define SCAP_FILE_WRITER_IMPL_H

#include <string.h>

#include "event/event.h"
#include "scap/file/form_2022.h"
#include "scap/file/format.h"
#include "scap/file/sink.h"
#include "scap/file/writer.h"
#include "util/buf.h"

/* What becomes of the events of an id. */
struct event_shape {
	uint16_t nparams; /* those of the .scap world: the rest is left out */
	bool large; /* in blocks for large ones, whatever its size */
	bool own; /* ours: readers of others know it as the generic event alone */
	uint16_t code, native; /* what that says of it */
};

/* A list on its way to a block. */
struct writer_list {
	uint32_t block; /* the type of that block; 0: no list is open */
	struct buf entries; /* the body so far */
	struct buf behind; /* entries that come after all those */
};

struct scap_writer {
	struct scap_snapshot snapshot; /* its listener: first */
	struct scap_writer_config config;
	struct scap_sink sink;
	struct scap_form_2022 *form_2022; /* for readers of 2022; NULL: for those of today */
	struct scap_writer_stats stats;
	struct scap_writer_stats safe; /* of the first `bytes_safe` bytes of the sink, or fewer */
	uint64_t bytes_safe;
	uint64_t section_end; /* byte after the head of the section */
	struct writer_list list;
	int64_t fds_tid; /* whose descriptors are told */
	struct event_shape shapes[EVENT_ID_MAX];
};

/* Bytes of a block with a body of so many. */
static inline size_t writer_block_bytes(size_t body)
{
	size_t padded = (body + SCAP_BLOCK_ALIGN - 1) & ~(size_t)(SCAP_BLOCK_ALIGN - 1);

	return sizeof(struct scap_block_header) + padded + SCAP_TRAILER_BYTES;
}

/* Fills in all of a block but its body, and returns where that goes; NULL after an error. */
static inline uint8_t *writer_begin_block(struct scap_writer *writer, uint32_t type, size_t body)
{
	struct scap_block_header header = {type, (uint32_t)writer_block_bytes(body)};
	uint32_t end[] = {0, header.len}; /* padding, of which the body covers some or all */
	uint8_t *at = scap_sink_block(&writer->sink, header.len);

	if (!at)
		return NULL;
	memcpy(at + header.len - sizeof(end), end, sizeof(end));
	memcpy(at, &header, sizeof(header));
	return at + sizeof(header);
}

/* Writes a whole block. Returns 0 or -errno. */
int writer_put_block(struct scap_writer *writer, uint32_t type, const void *body, size_t len);

/* Begins a section of the file. Returns 0 or -errno. */
int writer_put_section(struct scap_writer *writer);

/* Where the state before the first event goes. */
extern const struct scap_snapshot_ops writer_snapshot_ops;

/* Entries of lists, appended to a buffer. */
void writer_pack_thread(struct buf *buf, const struct scap_thread *thread, bool form_2022);
void writer_pack_fd(struct buf *buf, const struct scap_fd *fd, bool form_2022);

static inline void pack_u8(struct buf *buf, uint8_t value)
{
	buf_append(buf, &value, sizeof(value));
}

static inline void pack_u16(struct buf *buf, uint16_t value)
{
	buf_append(buf, &value, sizeof(value));
}

static inline void pack_u32(struct buf *buf, uint32_t value)
{
	buf_append(buf, &value, sizeof(value));
}

static inline void pack_u64(struct buf *buf, uint64_t value)
{
	buf_append(buf, &value, sizeof(value));
}

/* Bytes with their number, as strings are stored. */
static inline void pack_bytes(struct buf *buf, const char *bytes, size_t len)
{
	pack_u16(buf, (uint16_t)len);
	buf_append(buf, bytes, len);
}

static inline void pack_string(struct buf *buf, const char *text, size_t max)
{
	pack_bytes(buf, text, strnlen(text, max));
}

/* Leaves room for the length of an entry. Returns where it begins, for pack_end(). */
static inline size_t pack_begin(struct buf *buf)
{
	size_t entry = buf->len;

	pack_u32(buf, 0);
	return entry;
}

/* Sets that length: of all from the byte `from` on. */
static inline void pack_end(struct buf *buf, size_t entry, size_t from)
{
	uint32_t len = (uint32_t)(buf->len - from);

	if (!buf->failed)
		memcpy(buf->data + entry, &len, sizeof(len));
}

#endif
