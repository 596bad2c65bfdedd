/* SPDX-License-Identifier: MIT */
/* Bodies of requests: records joined, compressed, with names and values beside them. */
#ifndef OUTPUT_TARGETS_HTTP_BODY_H
#define OUTPUT_TARGETS_HTTP_BODY_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/uio.h>

#include "output/config.h"
#include "util/buf.h"
#include "util/error.h"

/*
 * The body of a request as a list of parts: records stay where they are, and what stands around
 * them is text of the body. Memory is reused from request to request.
 */

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

/* Lists of "NAME=VALUE", as labels and attributes are given. */

struct http_pair {
	const char *name; /* borrowed; without an end */
	size_t name_len;
	const char *value;
};

/* Takes an item apart; without "=" its value is "". */
struct http_pair http_pair_of(const char *item);

/* Rejects an item without a name or "=". Returns 0, or -EINVAL with a message about that key. */
int http_pairs_check(const struct output_list *list, const char *key, struct error *err);

/* Compression of bodies, with memory that is kept from one to the next. */

/* Members in the order of HTTP_PACK_WORDS. */
enum http_pack_method { PACK_NONE, PACK_GZIP, PACK_ZSTD, PACK_METHODS };

/* Their names, as in Content-Encoding; ends with NULL. */
extern const char *const HTTP_PACK_WORDS[];

struct http_packer;

/* Returns NULL if out of memory. method: not PACK_NONE. */
struct http_packer *http_packer_create(enum http_pack_method method);

/* Accepts NULL. */
void http_packer_destroy(struct http_packer *packer);

/* Replaces `out` by the parts, compressed. Returns 0 or -ENOMEM. */
int http_pack(struct http_packer *packer, const struct iovec *parts, size_t count, struct buf *out);

#endif
