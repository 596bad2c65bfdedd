/* SPDX-License-Identifier: MIT */
/* Records as messages: each in a frame of a stream, or in a datagram. */
#ifndef OUTPUT_TARGETS_MESSENGER_H
#define OUTPUT_TARGETS_MESSENGER_H

#include "output/targets/connection.h"
#include "output/record.h"
#include "util/buf.h"

/* How messages are separated in a stream. In the order of FRAMING_WORDS. */
enum messenger_framing {
	FRAMING_NEWLINE, /* a newline after each */
	FRAMING_OCTETS, /* "LEN " before each, in decimal: RFC 6587 */
	FRAMING_LENGTH, /* the length before each, 4 bytes, big-endian */
};

extern const char *const FRAMING_WORDS[]; /* ends with NULL */

/* A message in three parts, one after the other. */
struct messenger_message {
	struct buf head; /* reused from message to message */
	const char *body; /* borrowed */
	size_t body_len;
	struct buf tail;
};

struct messenger {
	/*
	 * Makes the message of a record; head and tail are empty before. NULL: the record without
	 * its newline.
	 */
	void (*make)(void *context, const struct output_batch *batch,
		     const struct output_record *record, struct messenger_message *message);
	void *context;
	bool one_line; /* newlines and NULs in the body become blanks */
	enum messenger_framing framing;
	struct messenger_message message;
	struct buf bytes; /* owned: frames to be written */
};

/* Other members are set by the caller; all zero: the lines of the records. */
void messenger_finish(struct messenger *messenger);

/*
 * Send a batch over a connection, which is opened if need be, and set the results of its records.
 * What a connection that failed had taken of the batch is sent again, as nobody knows what arrived.
 * Return 0, -ECANCELED (stopped), or another -errno with a message.
 */
int messenger_write(struct messenger *messenger, struct connection *connection,
		    struct output_batch *batch, struct error *err);

/*
 * Sends the batch as datagrams; a message that is too large for one is rejected. Returns as
 * messenger_write().
 */
int messenger_send(struct messenger *messenger, struct connection *connection,
		   struct output_batch *batch, struct error *err);

#endif
