/* SPDX-License-Identifier: MIT */
/* Compression of bodies, with memory that is kept from one to the next. */
#ifndef OUTPUT_TARGETS_HTTP_PACK_H
#define OUTPUT_TARGETS_HTTP_PACK_H

#include <stddef.h>
#include <sys/uio.h>

#include "util/buf.h"

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
