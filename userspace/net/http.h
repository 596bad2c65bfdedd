/* SPDX-License-Identifier: MIT */
/*
 * A client for servers on unix sockets, as runtimes are: HTTP/1.1, and HTTP/2 for gRPC. What a
 * server does is bounded: the time by the caller's deadline, the memory by HTTP_BODY_MAX, or by who
 * takes the body.
 */
#ifndef NET_HTTP_H
#define NET_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/buf.h"
#include "util/error.h"

enum {
	HTTP_BODY_MAX = 16 * 1024 * 1024, /* bytes of an answer */
	HTTP_HEADERS_MAX = 64 * 1024, /* bytes of its headers and trailers */
	HTTP_CONNECT_MS = 500,
};

struct http;

struct http_request {
	const char *path; /* "/_ping" */
	const char *const *headers; /* "name: value" each, NULL at the end; NULL: none */
	const struct buf *body; /* sent with POST; NULL: GET */
	/* Takes the body of an answer of status 200 as it comes; false: no more is wanted. NULL:
	 * it is gathered in the reply.
	 */
	bool (*take)(void *data, const char *bytes, size_t len);
	void *data;
	bool http2; /* without asking the server whether it speaks it */
	uint64_t deadline_ns; /* of CLOCK_MONOTONIC */
};

/* Zeroed before the first use; may be used again. */
struct http_reply {
	long status; /* 200 */
	struct buf body; /* owned */
	struct buf headers; /* owned; a line each, the trailers after the headers */
};

/* Connects on the first request. `path` is copied. Returns 0, or -errno with a message. */
int http_open(const char *path, struct http **http, struct error *err);

/* From now on who listens there has to be root, the agent's own user, or this one. */
void http_set_owner(struct http *http, uint32_t owner);

/* Accepts NULL. */
void http_close(struct http *http);

/*
 * Sends a request and waits for the whole answer, of whatever status. Returns 0, or with a message
 * -ECONNREFUSED (nobody listens there), -EPERM (another user does than may), -ETIMEDOUT, -EMSGSIZE
 * (too long an answer), -EPROTO (not HTTP, or cut) or another -errno.
 */
int http_request(struct http *http, const struct http_request *request, struct http_reply *reply,
		 struct error *err);

/*
 * Copies the value of a header or trailer, the last one of that name, cut to `size`. Returns
 * whether there is one.
 */
bool http_header(const struct http_reply *reply, const char *name, char *value, size_t size);

void http_reply_finish(struct http_reply *reply);

#endif
