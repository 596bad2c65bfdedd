/* SPDX-License-Identifier: MIT */
/*
 * What is known of the protocol of a connection: that it is one, that it is none, that nobody wants
 * to know; and how many bytes of its calls are wanted then.
 */
#ifndef REQUESTS_VERDICT_H
#define REQUESTS_VERDICT_H

#include "requests/connection.h"

/* Its protocol is to be recognised, from where both directions stand. Nothing is open. */
void verdict_begin(struct connection *connection, struct connections *all);

/* It has no protocol any more. Nothing is open. */
void verdict_forget(struct connection *connection, struct connections *all);

/* Its protocol is not known: from now on nobody looks at its bytes, or only their number counts. */
void verdict_make_opaque(struct connection *connection, struct connections *all);

/* Nobody has recognised its protocol: likewise, and it is counted. */
void verdict_give_up(struct connection *connection, struct connections *all);

/*
 * The bytes of a socket are encrypted, and their plaintext is followed: nobody looks at them any
 * more, but for the handshake while it lasts.
 */
void verdict_seal(struct connection *connection, struct connections *all);

/* Whether their number counts, if its protocol is not known. */
bool verdict_is_sized(const struct connection *connection, const struct connections *all);

/* From now on nobody looks at its bytes; and from then on again. */
void verdict_leave_out(struct connection *connection, struct connections *all);
void verdict_look_again(struct connection *connection, struct connections *all);

/* Of one whose protocol is not known: its bytes are looked at again, if only their number counts.
 */
void verdict_begin_again(struct connection *connection, struct connections *all);

/* Gives up all that is open, of any protocol. */
void verdict_end_requests(struct connection *connection, struct connections *all,
			  enum exchange_fate fate);

/* Tells how many bytes of its calls are wanted. */
void verdict_set_limit(struct connection *connection, struct connections *all, uint32_t bytes);

#endif
