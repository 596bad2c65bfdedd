/* SPDX-License-Identifier: MIT */
/* Sends profiles of OTLP over HTTP, one after the other, each within a limit of time. */
#ifndef AGENT_CONTINUOUS_SENDER_H
#define AGENT_CONTINUOUS_SENDER_H

#include "util/buf.h"
#include "util/error.h"

enum { SENDER_TIMEOUT_MS = 10000 };

struct sender;

/*
 * endpoint: the URL that takes them; with none of a path it is completed by that of the protocol.
 * Returns 0, or -errno with a message.
 */
int sender_create(const char *endpoint, struct sender **sender, struct error *err);
void sender_destroy(struct sender *sender); /* accepts NULL */

/* Sends a message. Returns 0, or -errno with a message: it was not taken. */
int sender_send(struct sender *sender, const struct buf *message, struct error *err);

#endif
