/* SPDX-License-Identifier: MIT */
/*
 * Reads that are seen too early: one thread may have read what answers the write of another one
 * before that call returns, so a client has the response before the request, and a server the next
 * request before the response. The read says how far its process had written by then; so it waits
 * for those bytes, until anything else shows that they will not come. Used by connection.c alone.
 */
#ifndef REQUESTS_EARLY_H
#define REQUESTS_EARLY_H

#include "requests/connection.h"
#include "requests/requests.h"

enum {
	EARLY_MAX = 64, /* pieces of all connections: if more come, who has most gives way */
	EARLY_OF_ONE_MAX = 8, /* of one of them */
	EARLY_BYTES_MAX = REQUESTS_LIMIT_ALL, /* of a piece; others are not captured */
};

/* A piece that waits. */
struct early {
	struct connection *connection; /* NULL: none */
	uint64_t number; /* that came later have larger ones */
	struct connection_call call;
	struct frame_times times;
	struct stream_piece piece;
};

struct early_pieces {
	struct early all[EARLY_MAX];
	uint64_t last; /* number */
	uint8_t bytes[EARLY_MAX][EARLY_BYTES_MAX];
};

/* Whether a piece came too early, and is to wait. */
bool early_comes(const struct connection *connection, const struct connections *all,
		 const struct connection_call *call, const struct stream_piece *piece);

/*
 * Whose pieces have to stop waiting before one more of this connection and process can wait, which
 * is counted; it may be the same connection. NULL: none, there is room.
 */
struct connection *early_crowding(struct connection *connection, struct connections *all,
				  int32_t pid);

/* Keeps a piece that came too early, and for which there is room. */
void early_keep(struct connection *connection, struct connections *all,
		const struct connection_call *call, const struct stream_piece *piece);

/* Of a connection that has some: whether a piece has bytes that they wait for. */
bool early_waits_for(const struct connection *connection, const struct connections *all,
		     const struct connection_call *call, const struct stream_piece *piece);

/*
 * Takes out the oldest one, whose bytes are valid until the next early_keep(); only_due: if all
 * that it waits for came. Returns false if there is none.
 */
bool early_take(struct connection *connection, struct connections *all, bool only_due,
		struct early *early);

#endif
