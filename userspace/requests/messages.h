/* SPDX-License-Identifier: MIT */
/*
 * What protocols learn of the requests and responses that have begun. Most of them wait, so only
 * those that were asked for last have room for the longest texts; the others are packed.
 */
#ifndef REQUESTS_MESSAGES_H
#define REQUESTS_MESSAGES_H

#include "requests/protocols/protocol.h"
#include "util/pool.h"

enum { MESSAGES_OPEN_MAX = 256, MESSAGES_STAY = MESSAGES_OPEN_MAX / 2 };

/* A message, owned by its exchange or answer. A zeroed struct has none, which is as an empty one.
 */
struct message_ref {
	struct protocol_message *open; /* owned; NULL: it is packed, or there is none */
	uint8_t *packed; /* owned; NULL: it is not packed */
	uint16_t packed_bytes;
	uint16_t place; /* in messages->open, if it is there */
};

/* A zeroed struct is empty, and needs its pool. */
struct messages {
	struct pool *pool; /* borrowed */
	struct message_ref *open[MESSAGES_OPEN_MAX];
	unsigned int next; /* place of the one that is packed next */
};

/* All its numbers are 0, all its texts empty. */
void message_clear(struct protocol_message *message);

/*
 * The message, to read and to change, until MESSAGES_STAY others were opened; NULL: out of
 * memory. It must be freed where it is: its place is known.
 */
struct protocol_message *messages_open(struct messages *messages, struct message_ref *ref);

/* Makes `copy`, a zeroed struct, one with the same content. Returns false if out of memory. */
bool messages_copy(struct messages *messages, struct message_ref *copy, struct message_ref *ref);

void messages_free(struct messages *messages, struct message_ref *ref);

#endif
