/* SPDX-License-Identifier: MIT */
/*
 * Connections of no known protocol, if requests of these are asked for: what the client sends until
 * the server speaks is a request, what the server sends until the client speaks again its response.
 * Only lengths, places and times are looked at.
 *
 * As long as the protocol may still be recognised, the connection is on trial: its requests are
 * kept, and forgotten once it is.
 */
#ifndef REQUESTS_CONVERSATION_H
#define REQUESTS_CONVERSATION_H

#include "requests/connection.h"

/*
 * Whether requests are made of its pieces though its protocol is not known. One that does not begin
 * with the place of a piece may have datagrams, unless its descriptor says otherwise.
 */
static inline bool conversation_is_followed(const struct connection *connection,
					    const struct connections *all,
					    const struct connection_call *call,
					    const struct stream_piece *piece)
{
	const struct state_fd *file = call->file;

	return all->of_unknown && (connection->is_counted || piece->is_placed ||
				   (file && (file->type == SCAP_FD_UNIX ||
					     (all->by_descriptor && file->l4 == SCAP_L4_TCP))));
}

/* Takes a piece, also one that was taken before, or has no place. */
void conversation_take(struct connection *connection, struct connections *all,
		       const struct connection_call *call, const struct stream_piece *piece);

/* The protocol is not recognised, and will not be: what was kept is given out. */
void conversation_settle(struct connection *connection, struct connections *all);

/* The protocol is recognised. */
void conversation_forget(struct connection *connection, struct connections *all);

/* No byte follows. */
void conversation_close(struct connection *connection, struct connections *all, uint64_t now_ns);

/* It will not be seen how it goes on. */
void conversation_give_up(struct connection *connection, struct connections *all,
			  enum exchange_fate fate);

/* A request was open for REQUESTS_SILENCE_NS. */
void conversation_time_out(struct connections *all, struct exchange *exchange, uint64_t now_ns);

#endif
