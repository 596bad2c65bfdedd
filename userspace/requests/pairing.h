/* SPDX-License-Identifier: MIT */
/* The messages of a connection: where they begin and end, and which response a request has. */
#ifndef REQUESTS_PAIRING_H
#define REQUESTS_PAIRING_H

#include "requests/connection.h"

/* Writes the ends of an IP socket as a SOCKTUPLE, the one that connected first. Returns its bytes.
 */
uint8_t pairing_ends(const struct state_fd *file, uint8_t tuple[EXCHANGE_TUPLE_BYTES]);

/* What a response says becomes the request's, also if its last byte never comes. */
void pairing_set_response(struct connections *all, struct exchange *exchange,
			  struct exchange_answer *answer);

/* Notes whose request it is, and what its connection is like. */
void pairing_describe(struct connection *connection, struct connections *all,
		      const struct connection_call *call, struct exchange *exchange);

/*
 * The response whose bytes come answers a request for another protocol. Returns that request, which
 * is open and no longer in the queue; NULL: it is not known.
 */
struct exchange *pairing_take_request(struct connection *connection, struct connections *all);

/*
 * A message of that side begins with a byte that came at first_ns: the blank one of all->exchanges.
 * Returns false if there is no room.
 */
bool pairing_begin(struct connection *connection, struct connections *all, enum protocol_side side,
		   const struct connection_call *call, uint64_t first_ns);

/* Bytes were missing before the connection had a verdict. */
void pairing_begin_with_debt(struct connection *connection, struct connections *all);

/* More bytes of it came. */
void pairing_add(struct connection *connection, struct connections *all, enum protocol_side side,
		 const struct connection_call *call, uint64_t bytes);

/* Takes a response that is whole within the one that is open: `is_within` of the step. */
void pairing_take_within(struct connection *connection, struct connections *all,
			 const struct connection_call *call, const struct protocol_step *step,
			 uint64_t first_ns);

/* Its last byte came. */
void pairing_end(struct connection *connection, struct connections *all, enum protocol_side side);

/* Whether a message has begun whose bytes come; and that one, NULL if out of memory. */
bool pairing_has_message(const struct connection *connection, enum protocol_side side);
struct protocol_message *pairing_message(const struct connection *connection,
					 struct connections *all, enum protocol_side side);

/* Whether an open request is the one of that response. */
bool pairing_is_asked(const struct connection *connection, const struct protocol_message *answer);

/* The request that the response whose bytes come answers, or the next one; NULL: not known. */
const struct protocol_message *pairing_request(const struct connection *connection,
					       struct connections *all);

/*
 * Bytes of that side were missing, or (is_gap false) not understood: gives up what they may have
 * been of.
 */
void pairing_lose(struct connection *connection, struct connections *all, enum protocol_side side,
		  bool is_gap);

/*
 * Begins anew at a request: all before it are answered, or never will be. is_sure: otherwise it is
 * on probation.
 */
void pairing_restart(struct connection *connection, struct connections *all, bool is_sure);

/* What was answered on probation is believed; or it is not. */
void pairing_believe(struct connection *connection, struct connections *all);
void pairing_doubt(struct connection *connection, struct connections *all);

/* An exchange of it has ended: it is given out, with the process at the other end. */
void pairing_report(struct connection *connection, struct connections *all,
		    struct exchange *exchange);

/* A request that is open is given out as it is: what answers it later is of an unknown one. */
void pairing_give_out(struct connection *connection, struct connections *all,
		      struct exchange *exchange);

/* A request that is open is given up: its response was lost, or may have been. */
void pairing_lose_request(struct connection *connection, struct connections *all,
			  struct exchange *exchange);

/* Gives up all that is open. */
void pairing_give_up(struct connection *connection, struct connections *all,
		     enum exchange_fate fate);

/* No response follows: gives out all that is open, with that error. */
void pairing_close(struct connection *connection, struct connections *all, uint64_t now_ns,
		   const char *error);

#endif
