/* SPDX-License-Identifier: MIT */
/*
 * Bytes of one direction of a connection, one after the other, to its protocol: which steps it
 * makes of them, and what becomes of the messages if some are missing or not understood.
 */
#ifndef REQUESTS_FEED_H
#define REQUESTS_FEED_H

#include "requests/connection.h"

/* Bytes of one direction, and what a call did with them. */
struct feed {
	struct connection *connection;
	struct connections *all;
	const struct connection_call *call;
	struct stream *stream;
	enum recognition_direction direction;
	uint32_t other; /* the place of the other direction */
	bool knows_other; /* the call says how many bytes of the other direction there were, */
	bool saw_other; /* which are those that were seen */
	bool is_unseen; /* bytes are missing of calls that nobody saw: there may be any number */
};

static inline enum protocol_side feed_side(const struct feed *feed)
{
	return feed->direction == feed->connection->requests ? PROTOCOL_REQUESTS
							     : PROTOCOL_RESPONSES;
}

/* The protocol of the connection is found. Without memory for it, the connection is opaque. */
void feed_begin_protocol(const struct feed *feed, const struct protocol *protocol);

/*
 * Steps through bytes; those in front of `fresh` came with earlier calls, from first_ns on. Returns
 * how many at the end were not taken: they wait for more, or have another protocol.
 */
size_t feed_steps(const struct feed *feed, struct protocol_input input, const uint8_t *fresh,
		  uint64_t first_ns);

/*
 * Takes bytes that are skipped; a message ends if these were the last ones of it. Returns how many
 * of `len` were.
 */
uint64_t feed_skip(const struct feed *feed, uint64_t len);

/* The bytes behind those that wait are missing; of these, `left` were not taken. */
void feed_note_gap(const struct feed *feed, size_t left);

/* There was no memory for bytes. */
void feed_no_room(const struct feed *feed);

/* A response whose end is not known has ended: who asked has asked again. */
void feed_end_open_response(struct connection *connection, struct connections *all);

#endif
