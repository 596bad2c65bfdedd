/* SPDX-License-Identifier: MIT */
/*
 * What the files of the reader share. reader.c goes from block to block: reader_frame.c finds the
 * event in one, reader_parts.c takes others apart, and reader_lists.c and reader_threads.c know
 * what their parts tell of the machine.
 */
#ifndef SCAP_FILE_READER_IMPL_H
#define SCAP_FILE_READER_IMPL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "scap/file/format.h"
#include "scap/file/reader.h"
#include "scap/file/stream.h"
#include "scap/file/upgrade.h"
#include "util/buf.h"

/* Bytes that are taken one behind the other. What is beyond their end reads as 0. */
struct cursor {
	const uint8_t *at;
	size_t left;
	bool missing; /* something was beyond the end */
	bool damaged; /* something makes no sense, so that the rest cannot be read */
};

/* How the entries of a list begin. */
enum entry_prefix {
	PREFIX_NONE,
	PREFIX_WHOLE, /* with their length, itself included */
	PREFIX_REST, /* with the length of what follows */
};

/* A kind of block: events, or what tells of the machine: a head, then entries. */
struct block_kind {
	uint32_t type;
	uint8_t version;
	uint8_t head_bytes;
	uint8_t prefix; /* enum entry_prefix */
	bool event;
	bool event_flags;
	/* Each returns 0 or -errno, of the reader or of who listens. */
	int (*head)(struct scap_reader *reader, const uint8_t *head);
	/* Tells of an entry, unless `missing` or `damaged` is set then. */
	int (*entry)(struct scap_reader *reader, struct cursor *cursor);
};

enum {
	/* Entries are of several strings, each of 64 KiB at most. */
	ENTRY_BYTES_MAX = 1 << 20,
	ENTRY_TEXT_MORE = 64, /* NULs behind its strings, and a name that is made up */
};

struct scap_reader {
	struct scap_source source;
	char *path; /* for messages */
	struct scap_stream *stream;
	struct scap_fold *fold;
	struct scap_snapshot *to;
	bool telling; /* between begin and end */
	bool native;
	bool known; /* a block of the .scap world was seen, beside sections */
	/* The block that is being read in parts: what tells of the machine, or is skipped. */
	const struct block_kind *kind; /* whose entries follow; NULL: the rest is skipped */
	uint64_t block_at;
	uint32_t block_type, block_len;
	uint32_t left; /* bytes of it, trailer included; 0: none is being read */
	bool headed; /* its head was taken */
	struct buf texts; /* strings of the entry */
	struct scap_reader_stats stats;
	uint64_t folded; /* in earlier sections */
	int code; /* how it ended */
	char problem[512];
};

/* What a step returns that gave no event, while the next one may. */
enum { STEP_ON = 2 };

/* Ends the source: sets its code and problem, and returns the code. */
__attribute__((format(printf, 3, 4))) int reader_end_with(struct scap_reader *reader, int code,
							  const char *format, ...);
int reader_end_out_of_memory(struct scap_reader *reader);
int reader_end_lengths_differ(struct scap_reader *reader, uint32_t trailer);

/* Takes an answer of who listens, and returns it; an error ends the source. */
int reader_told(struct scap_reader *reader, int code);

/* Returns 1 when `n` bytes are there, 0 when they are not there yet, or how the source ended. */
int reader_wait(struct scap_reader *reader, size_t n, int timeout_ms);

static inline int reader_need(struct scap_reader *reader, size_t n, int timeout_ms)
{
	return reader->stream->len >= n ? 1 : reader_wait(reader, n, timeout_ms);
}

/* Those are done with. */
static inline void reader_take_bytes(struct scap_reader *reader, size_t n)
{
	scap_stream_skip(reader->stream, n);
	reader->left -= (uint32_t)n;
}

/* Goes on in a block that is read in parts. Returns as a step does. */
int reader_part_step(struct scap_reader *reader, int timeout_ms);

/*
 * Finds the frame in a whole block, and sets the event. Returns 0; -ENOENT or -EBADMSG when it
 * cannot be given out.
 */
int reader_find_frame(const struct block_kind *kind, uint8_t *block, uint32_t block_len,
		      struct scap_event *event);

/* For the list in reader.c of all kinds. */
int reader_take_machine(struct scap_reader *reader, const uint8_t *head);
int reader_take_interface(struct scap_reader *reader, struct cursor *cursor);
int reader_take_user(struct scap_reader *reader, struct cursor *cursor);
int reader_take_fds(struct scap_reader *reader, const uint8_t *head);
int reader_take_fd(struct scap_reader *reader, struct cursor *cursor);
int reader_take_thread(struct scap_reader *reader, struct cursor *cursor);

/* The next `n` bytes; NULL when they are missing. */
static inline const uint8_t *cursor_take(struct cursor *cursor, size_t n)
{
	const uint8_t *at = cursor->at;

	if (n > cursor->left) {
		cursor->missing = true;
		cursor->left = 0;
		return NULL;
	}
	cursor->at += n;
	cursor->left -= n;
	return at;
}

/* A number of so many bytes, at most 8. */
static inline uint64_t cursor_number(struct cursor *cursor, size_t n)
{
	const uint8_t *at = cursor_take(cursor, n);
	uint64_t number = 0;

	if (at)
		memcpy(&number, at, n);
	return number;
}

/* Copies `n` bytes into memory of the entry, with a NUL behind them. */
const char *reader_text(struct scap_reader *reader, struct cursor *cursor, size_t n);

/* The same for a string with its length of 16 bits, which `len` gets if it is not NULL. */
const char *reader_string(struct scap_reader *reader, struct cursor *cursor, size_t *len);

#endif
