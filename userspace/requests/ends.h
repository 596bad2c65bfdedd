/* SPDX-License-Identifier: MIT */
/*
 * The two ends of a connection where both are on this machine: which socket is the peer of which,
 * and so which process asks and which one answers.
 *
 * The ends of a TCP connection have the same two sequence numbers, whatever their addresses are and
 * whoever translates these; and no two connections begin with the same ones. So sockets that were
 * seen from their begin are compared by where both directions began. Older ones are by their
 * addresses, which others may have, too, in another network namespace: where both directions are
 * must agree as well. Unix sockets have the kernel's addresses of both. If two sockets could be the
 * peer, none is.
 */
#ifndef REQUESTS_ENDS_H
#define REQUESTS_ENDS_H

#include "requests/connection.h"
#include "requests/stream.h"

/* size: of the table, a power of two. key: borrowed. Returns 0 or -ENOMEM. */
int ends_create(uint32_t size, const struct hash_key *key, struct ends **ends);
void ends_destroy(struct ends *ends); /* accepts NULL; no connection is in it */

/* The connection was made just now. Its places are in `begin`, if that is placed. */
void ends_begin(struct ends *ends, struct connection *connection, const struct state_fd *file,
		const struct stream_piece *begin);

/* A call moves bytes in a direction: cheap, but for the first one. */
void ends_take(struct ends *ends, struct connection *connection, const struct connection_call *call,
	       const struct stream_piece *piece);

/* The connection is forgotten. */
void ends_remove(struct ends *ends, struct connection *connection);

/*
 * The process that moved bytes at the other end last; if it has ended, the one that made the
 * connection there, of which it was forked as a rule. 0: not known. state: NULL: which have ended
 * is not known.
 */
int32_t ends_peer(struct ends *ends, const struct state *state, struct connection *connection);

#endif
