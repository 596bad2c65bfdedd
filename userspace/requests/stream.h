/* SPDX-License-Identifier: MIT */
/*
 * One direction of a socket as a stream of bytes: which of them were taken, which nobody wants to
 * see, and those of a message that is not whole yet. Knows no protocol.
 */
#ifndef REQUESTS_STREAM_H
#define REQUESTS_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi.h"
#include "requests/protocols/protocol.h"

/* What a call moved. */
struct stream_piece {
	const uint8_t *data; /* its first bytes */
	uint32_t captured; /* of data */
	uint32_t len; /* that were moved, at least those */
	uint32_t end; /* sequence number of TCP behind them, if is_placed */
	uint32_t other; /* likewise, behind the last byte of the other direction at that time */
	bool is_placed; /* otherwise they follow the last piece */
	bool is_ahead; /* `other` has bytes of calls that were going on then */
};

/* Where the bytes of a call are, as its event says it. */
static inline void stream_piece_set(struct stream_piece *piece, const struct frame_stream *places)
{
	piece->end = places->end;
	piece->other = places->other;
	piece->is_placed = places->is_known;
	piece->is_ahead = places->is_ahead;
}

/* Bytes of a message that is not whole yet. */
struct stream_tail {
	uint8_t *bytes; /* owned */
	uint64_t first_ns; /* when the first one came */
	uint32_t len, capacity;
};

/* A zeroed struct is a stream of which nothing is known. There may be 100,000: 104 bytes. */
struct stream {
	struct stream_tail tail;
	uint64_t skip; /* bytes behind those taken that nobody wants to see */
	uint64_t state[PROTOCOL_STATE_BYTES / sizeof(uint64_t)]; /* of the protocol */
	uint32_t next; /* sequence number behind the bytes that were taken */
	bool is_placed : 1; /* `next` is known */
	bool is_expected : 1; /* only from the other direction */
	bool is_searching : 1; /* for the beginning of a message */
	bool is_found : 1; /* what was searched: not sure until a step was made */
	bool ends_message : 1; /* the last byte that is skipped does */
	bool stands : 1; /* see struct protocol_step */
	bool is_open_ended : 1; /* what is skipped ends when the other side speaks next */
};

/*
 * Finds the place of a piece, takes off what was taken before, and takes the rest. Returns how many
 * bytes are missing before it. Its `len` is 0 if nothing of it is new.
 */
uint32_t stream_place(struct stream *stream, struct stream_piece *piece);

/* If its place is not known: where its first piece begins, unless bytes are missing there. */
void stream_expect(struct stream *stream, uint32_t next);

/* How many of the next `len` bytes are skipped. */
uint64_t stream_skip(struct stream *stream, uint64_t len);

/* Forgets all but the place and the tail. */
void stream_forget(struct stream *stream);

/*
 * Appends bytes that came at `ns`. *held: what all tails have, kept below STREAM_TAILS_MAX. Returns
 * false if there is no room: nothing was appended.
 */
bool stream_tail_append(struct stream_tail *tail, const uint8_t *data, size_t len, uint64_t ns,
			size_t *held);

/* Keeps the last `rest` bytes, which came at `ns` if others were before them. */
void stream_tail_keep(struct stream_tail *tail, size_t rest, uint64_t ns, size_t *held);

/* Empties it. */
void stream_tail_free(struct stream_tail *tail, size_t *held);

enum { STREAM_TAILS_MAX = 32 * 1024 * 1024 };

#endif
