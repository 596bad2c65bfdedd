/* SPDX-License-Identifier: MIT */
/* A connection to a server of the forward protocol: who both are, and confirmations. */
#ifndef OUTPUT_TARGETS_FLUENT_SESSION_H
#define OUTPUT_TARGETS_FLUENT_SESSION_H

#include <msgpack.h>

#include "output/targets/connection.h"
#include "util/error.h"

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
