/* SPDX-License-Identifier: MIT */
/*
 * Shared by the files of the writer. writer.c writes events, writer_snapshot.c the state before
 * them, with entries built by writer_entries.c; both write blocks through writer_blocks.c.
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

/* How the events of an id are written. */
struct writer_shape {
	uint16_t nparams; /* parameters of the .scap world: the rest is left out */
	bool large; /* in blocks for large events, regardless of its size */
	bool extension; /* other readers only know it as the generic event, */
	bool is_call; /* or, if it is not of a system call, not at all */
	uint16_t code, native; /* parameters of the generic event */
};

/* A list that becomes a block. */
struct writer_list {
	uint32_t block; /* type of the block; 0: no list is open */
	struct buf entries; /* the body so far */
	struct buf behind; /* entries to append at the end of the list */
};

struct scap_writer {
	struct scap_snapshot snapshot; /* the receiver; first member */
	struct scap_writer_config config;
	struct scap_sink sink;
	struct scap_form_2022 *form_2022; /* for readers of 2022; NULL: for current ones */
	struct scap_writer_stats stats;
	struct scap_writer_stats safe; /* of the first `bytes_safe` bytes of the sink, or fewer */
	uint64_t bytes_safe;
	uint64_t section_end; /* offset of the byte after the head of the section */
	struct writer_list list;
	int64_t fds_tid; /* the thread of the descriptors */
	struct writer_shape shapes[EVENT_ID_MAX];
};

/* Size of a block with a body of `body` bytes. */
static inline size_t writer_block_bytes(size_t body)
{
	size_t padded = (body + SCAP_BLOCK_ALIGN - 1) & ~(size_t)(SCAP_BLOCK_ALIGN - 1);

	return sizeof(struct scap_block_header) + padded + SCAP_TRAILER_BYTES;
}

/* Fills in a block except its body, and returns the address of the body; NULL after an error. */
static inline uint8_t *writer_begin_block(struct scap_writer *writer, uint32_t type, size_t body)
{
	struct scap_block_header header = {type, (uint32_t)writer_block_bytes(body)};
	uint32_t end[] = {0, header.len}; /* padding; the body overwrites some or all of it */
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

/* Receives the state before the first event. */
extern const struct scap_snapshot_ops writer_snapshot_ops;

/* Entries of lists, appended to a buffer. */
void writer_pack_thread(struct buf *buf, const struct scap_thread *thread, bool form_2022);
void writer_pack_fd(struct buf *buf, const struct scap_fd *fd, bool form_2022);

static inline void writer_pack_u8(struct buf *buf, uint8_t value)
{
	buf_append(buf, &value, sizeof(value));
}

static inline void writer_pack_u16(struct buf *buf, uint16_t value)
{
	buf_append(buf, &value, sizeof(value));
}

static inline void writer_pack_u32(struct buf *buf, uint32_t value)
{
	buf_append(buf, &value, sizeof(value));
}

static inline void writer_pack_u64(struct buf *buf, uint64_t value)
{
	buf_append(buf, &value, sizeof(value));
}

/* Bytes after their number, as strings are stored. */
static inline void writer_pack_bytes(struct buf *buf, const char *bytes, size_t len)
{
	writer_pack_u16(buf, (uint16_t)len);
	buf_append(buf, bytes, len);
}

static inline void writer_pack_string(struct buf *buf, const char *text, size_t max)
{
	writer_pack_bytes(buf, text, strnlen(text, max));
}

/* Reserves space for the length of an entry. Returns its offset, for writer_pack_end(). */
static inline size_t writer_pack_begin(struct buf *buf)
{
	size_t entry = buf->len;

	writer_pack_u32(buf, 0);
	return entry;
}

/* Sets that length: the number of bytes from `from` to the end. */
static inline void writer_pack_end(struct buf *buf, size_t entry, size_t from)
{
	uint32_t len = (uint32_t)(buf->len - from);

	if (!buf->failed)
		memcpy(buf->data + entry, &len, sizeof(len));
}

#endif
