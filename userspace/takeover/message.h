/* SPDX-License-Identifier: MIT */
/*
 * What two agents say to each other while the new one takes over from the old one. A message is a
 * header (struct takeover_header, little endian) and fields; a field is its key (2 bytes), the
 * length of its value (4 bytes) and the value: a number of 8 bytes, a text, an array of pairs of
 * numbers, or fields again. Unknown fields are skipped.
 *
 *	new					old
 *	HELLO protocol, version, pid
 *						WELCOME the same, or REFUSAL text
 *	BOUNDARY boundary
 *						LATER, or, when it is reached,
 *						REACHED patience, outputs, events
 *	GO
 *						RELEASED totals, outputs
 *
 * Up to GO the old one goes on by itself if the connection ends.
 */
#ifndef TAKEOVER_MESSAGE_H
#define TAKEOVER_MESSAGE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "takeover/boundary.h"
#include "util/buf.h"
#include "util/error.h"

enum {
	/* Of both; it changes if a message changes in a way that others cannot skip. */
	TAKEOVER_PROTOCOL = 1,
	TAKEOVER_BODY_MAX = 4 << 20, /* bytes of the fields of a message */
	TAKEOVER_TEXT_MAX = 1 << 16, /* bytes of a text */
	TAKEOVER_OUTPUTS_MAX = 256,
	TAKEOVER_STREAM_BYTES = 16,
};

enum takeover_kind {
	TAKEOVER_HELLO = 1,
	TAKEOVER_WELCOME,
	TAKEOVER_REFUSAL, /* why is in `text` */
	TAKEOVER_BOUNDARY,
	TAKEOVER_LATER, /* the boundary is past, or a reload is in progress: try again */
	TAKEOVER_REACHED,
	TAKEOVER_GO,
	TAKEOVER_RELEASED,
	TAKEOVER_KINDS,
};

struct takeover_header {
	uint32_t magic;
	uint32_t kind;
	uint32_t bytes; /* of the fields */
};

/* An output of the old agent. */
struct takeover_output {
	char *identity; /* owned: what its configuration says */
	char stream[TAKEOVER_STREAM_BYTES + 1];
	uint64_t number; /* of its last record */
	uint64_t formatted, backlog, delivered, dropped; /* records: struct output_account */
	uint64_t undelivered; /* the last so many may not have arrived, or are in a spool */
};

/* All that messages have; a kind has some of it, the rest is zero. */
struct takeover_message {
	enum takeover_kind kind;
	uint64_t protocol;
	uint64_t pid;
	char *text; /* owned; NULL: none. The version of the agent, or what went wrong */
	uint64_t boundary_ns; /* boot clock */
	uint64_t patience_ns; /* how long it may take until RELEASED */
	uint64_t seen, delivered, filtered, lost, corrupt; /* events */
	struct takeover_output *outputs; /* owned */
	size_t outputs_count;
	struct boundary_seen *events; /* owned: shortly before the boundary; boot clock */
	size_t events_count;
};

void takeover_message_finish(struct takeover_message *message);

/* Adds a zeroed output. Returns it, or NULL: out of memory, or too many. */
struct takeover_output *takeover_add_output(struct takeover_message *message);

/* Appends a message with its header; `out` is failed without memory. */
void takeover_encode(const struct takeover_message *message, struct buf *out);

/*
 * Reads the header of a message, of which `len` bytes are there. Returns the bytes of the whole
 * message, 0: more bytes are needed; or -EBADMSG with a message: it is none, or too large.
 */
ssize_t takeover_measure(const void *data, size_t len, struct error *err);

/*
 * Reads a whole message, as takeover_measure() found it. Returns 0, or -EBADMSG or -ENOMEM with a
 * message; release with takeover_message_finish() in every case.
 */
int takeover_decode(const void *data, size_t len, struct takeover_message *message,
		    struct error *err);

#endif
