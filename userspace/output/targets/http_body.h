/* SPDX-License-Identifier: MIT */
/*
 * The body of a request as a list of parts: records stay where they are, and what stands around
 * them is text of the body. Memory is reused from request to request.
 */
#ifndef OUTPUT_TARGETS_HTTP_BODY_H
#define OUTPUT_TARGETS_HTTP_BODY_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/uio.h>

#include "util/buf.h"

/* A zeroed struct is an empty body. */
struct http_body {
	struct buf text; /* owned; callers append to it */
	struct iovec *parts; /* owned; until http_body_end() a part of `text` has no base */
	size_t count, capacity;
	size_t taken; /* bytes of `text` that are in parts */
	bool failed; /* out of memory */
};

void http_body_clear(struct http_body *body);

/* Adds what was appended to `text`, and then these bytes, which stay with the caller. */
void http_body_add(struct http_body *body, const void *bytes, size_t len);

/*
 * Adds an object of JSON without its opening brace: `text` ends with members of another object,
 * which they continue.
 */
void http_body_add_members(struct http_body *body, const char *object, size_t len);

/* Adds the rest of `text`: the parts are whole. Returns false if memory ran out. */
bool http_body_end(struct http_body *body);

void http_body_finish(struct http_body *body);

#endif
