/* SPDX-License-Identifier: MIT */
/* The forward protocol of Fluentd and Fluent Bit: messages, and the session that sends them. */
#ifndef OUTPUT_TARGETS_FLUENT_H
#define OUTPUT_TARGETS_FLUENT_H

#include <msgpack.h>
#include <stdbool.h>
#include <string.h>

#include "output/record.h"
#include "output/targets/connection.h"
#include "util/buf.h"
#include "util/error.h"

/* Messages of msgpack in a struct buf. */

/* A failure stays in the buffer: see buf->failed. */
static inline int fluent_pack_write(void *context, const char *bytes, size_t len)
{
	struct buf *out = context;

	buf_append(out, bytes, len);
	return out->failed ? -1 : 0;
}

/* Everything that is packed is appended to `out`. */
static inline void fluent_pack_begin(msgpack_packer *packer, struct buf *out)
{
	msgpack_packer_init(packer, out, fluent_pack_write);
}

static inline void fluent_pack_bytes(msgpack_packer *packer, const char *text, size_t len)
{
	msgpack_pack_str(packer, len);
	msgpack_pack_str_body(packer, text, len);
}

static inline void fluent_pack_text(msgpack_packer *packer, const char *text)
{
	fluent_pack_bytes(packer, text, strlen(text));
}

/*
 * Messages of the forward protocol of Fluentd and Fluent Bit, in msgpack:
 * https://github.com/fluent/fluentd/wiki/Forward-Protocol-Specification-v1
 */

enum { FORWARD_CHUNK_BYTES = 25 }; /* the id of a batch: text, with its NUL */

/*
 * Replaces `out` by a message with all records of a batch that are to be retried: [TAG, ENTRIES,
 * {chunk, size}], where the entries are [time, record] one after the other. A record that is no
 * object of JSON is rejected. Returns 0, -ENODATA (all were rejected) or -ENOMEM.
 */
int fluent_pack(struct output_batch *batch, const char *tag, const char *chunk, struct buf *out);

/* A new id of a batch. Returns 0 or -errno. */
int fluent_new_chunk(char chunk[static FORWARD_CHUNK_BYTES]);

/* A connection to a server of the forward protocol: who both are, and confirmations. */

/* All borrowed; NULL: not given. */
struct fluent_identity {
	const char *shared_key; /* NULL: the server does not ask who the agent is */
	const char *user, *password;
	const char *host; /* the name of this one */
};

struct fluent_session {
	struct connection connection;
	struct fluent_identity identity;
	msgpack_unpacker unpacker; /* what the server sent */
	bool is_open; /* both know each other */
};

/* Returns 0 or -ENOMEM with a message. */
int fluent_session_init(struct fluent_session *session, const struct connection_config *config,
			const struct fluent_identity *identity, const struct output_stop *stop,
			struct error *err);
void fluent_session_finish(struct fluent_session *session);

/* Connects, unless there is a connection. Returns 0, -ECANCELED, or -errno with a message. */
int fluent_session_open(struct fluent_session *session, struct error *err);

/*
 * Sends a message; the same results. sent: whether some of it may have arrived, also after a
 * failure.
 */
int fluent_session_send(struct fluent_session *session, const void *bytes, size_t len, bool *sent,
			struct error *err);

/* Waits until the server confirms the chunk; the same results. */
int fluent_session_wait(struct fluent_session *session, const char *chunk, struct error *err);

#endif
