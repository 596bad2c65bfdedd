/* SPDX-License-Identifier: MIT */
/*
 * A client for servers behind a URL or a unix socket, one request at a time. Their answers are
 * given out as they come, and another thread can end the request at any time. A connection is kept
 * for the next one.
 */
#ifndef NET_FETCH_H
#define NET_FETCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include "util/error.h"

enum { FETCH_CONNECT_MS = 10000, FETCH_LOOK_MS = 1000 };

struct fetch;

struct fetch_request {
	const char *url; /* "https://10.0.0.1:443/api"; redirects are not followed */
	const char *socket; /* path of the unix socket of the server; NULL: as the URL says */
	/*
	 * With a socket: it is asked only if who listens there is root, the agent's own user, or
	 * `owner`. For that each request has a connection of its own.
	 */
	bool checks_owner;
	uint32_t owner;
	const char *proxy; /* its URL; NULL: none, whatever the environment says */
	/*
	 * More headers, "name: value", NULL at the end; NULL: none. They replace those that are
	 * sent by default.
	 */
	const char *const *headers;
	/*
	 * Sent with POST, one part after the other; NULL: GET. What was begun to be sent is never
	 * sent twice.
	 */
	const struct iovec *body;
	size_t body_parts;
	bool http2; /* without asking the server whether it speaks it */
	const char *token; /* of the header "Authorization: Bearer", over TLS alone; NULL: none */
	const char *ca_path; /* whose certificates are trusted; NULL: those of the system */
	bool trusts_any; /* the server's certificate is not checked */
	const char *cert_path, *key_path; /* that the client shows, PEM; NULL: none */
	bool compressed; /* the answer may be: it is given out as it was before */
	uint32_t timeout_ms; /* for all of it; 0: no limit */
	uint32_t connect_ms; /* of that, until there is a connection; 0: FETCH_CONNECT_MS */
	uint32_t look_ms; /* between calls of waits(); 0: FETCH_LOOK_MS */
	/* A part of the body of the answer. Returns whether the rest is wanted. */
	bool (*take)(void *data, long status, const char *bytes, size_t len);
	/* A header or a trailer, with its end of line; the same. NULL: they are not wanted. */
	bool (*take_header)(void *data, const char *bytes, size_t len);
	/* Whether the answer is still waited for: called at least every look_ms. NULL: it is. */
	bool (*waits)(void *data);
	void *data;
};

struct fetch_end {
	long status; /* 0: there was no answer */
	uint32_t retry_after_s; /* the header, a date too; 0: none */
	bool sent; /* some of the request left: the server may have done what it asks for */
};

/* Returns 0, or -ENOMEM with a message. */
int fetch_create(struct fetch **fetch, struct error *err);

/* Accepts NULL. */
void fetch_destroy(struct fetch *fetch);

/*
 * Sends the request. Returns 0 at the end of the answer, of whatever status, also when the rest was
 * not wanted; or with a message -EKEYREJECTED (one of the two does not trust the other), -EMSGSIZE
 * (cut before its end), -EPERM (another user listens than may), -ETIMEDOUT, -ECANCELED
 * (fetch_stop()), -ENOMEM, the reason why there is no connection, or -EHOSTUNREACH (all others).
 */
int fetch_get(struct fetch *fetch, const struct fetch_request *request, struct fetch_end *end,
	      struct error *err);

/* Waits for that long, or until fetch_wake() or fetch_stop(). */
void fetch_wait(struct fetch *fetch, uint64_t ns);

/* From any thread: ends the current wait, or the next one. */
void fetch_wake(struct fetch *fetch);

/* From any thread: ends the current request or wait, and all that follow. */
void fetch_stop(struct fetch *fetch);
bool fetch_is_stopped(const struct fetch *fetch);

/* Ends them as soon as there is something to read from a descriptor. */
void fetch_stop_by(struct fetch *fetch, int fd);

#endif
