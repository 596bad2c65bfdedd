/* SPDX-License-Identifier: MIT */
/*
 * Connections whose messages interleave: each request is a stream of its own, with its response,
 * found by its number. So both sides are followed at once, a response may come before its request
 * (the thread that reads may be faster than the one that writes), and after bytes were missing all
 * other streams go on.
 */
#ifndef REQUESTS_MULTIPLEX_H
#define REQUESTS_MULTIPLEX_H

#include "requests/connection.h"

/* Of all connections, for what their protocols keep. */
#define MULTIPLEX_BYTES_MAX (64u * 1024 * 1024)

/* Its protocol was found. Returns false if there is no room: nothing changed. */
bool multiplex_begin(struct connection *connection, struct connections *all);

/* Nothing is open. */
void multiplex_finish(struct connection *connection, struct connections *all);

/* A request that an older protocol of the connection began is that of stream 1, and whole. */
void multiplex_adopt(struct connection *connection, struct connections *all,
		     struct exchange *exchange);

/* The next step of a side. It may wait. */
struct protocol_step multiplex_step(struct connection *connection, struct connections *all,
				    enum protocol_side side, const struct protocol_input *input);

/* What that step says of messages. first_ns: when its first byte came. */
void multiplex_apply(struct connection *connection, struct connections *all,
		     enum protocol_side side, const struct connection_call *call,
		     const struct protocol_step *step, uint64_t first_ns);

/* Bytes that the last step of that side skipped came. */
void multiplex_add(struct connection *connection, struct connections *all, enum protocol_side side,
		   const struct connection_call *call, uint64_t bytes);

/* The last byte of the message came that the last step of that side was about. */
void multiplex_end(struct connection *connection, struct connections *all, enum protocol_side side);

/* Bytes of that side were missing, or not understood. */
void multiplex_lose(struct connection *connection, struct connections *all,
		    enum protocol_side side);

/* Gives up all that is open. */
void multiplex_give_up(struct connection *connection, struct connections *all,
		       enum exchange_fate fate);

/* No response follows: gives out all that is open, with that error. */
void multiplex_close(struct connection *connection, struct connections *all, uint64_t now_ns,
		     const char *error);

/* A request of it has waited for too long. */
void multiplex_time_out(struct connections *all, struct exchange *exchange, uint64_t now_ns);

#endif
