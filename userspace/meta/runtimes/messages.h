/* SPDX-License-Identifier: MIT */
/*
 * The messages of a stream that comes in pieces of any size: lines, or messages of gRPC with their
 * prefix. A message that is too long is skipped and counted.
 */
#ifndef META_RUNTIMES_MESSAGES_H
#define META_RUNTIMES_MESSAGES_H

#include <stdbool.h>
#include <stdint.h>

#include "util/buf.h"

enum { MESSAGES_BYTES_MAX = 1024 * 1024 }; /* of one */

/* Zeroed but for the first member: at the begin of a stream. */
struct messages {
	bool is_grpc;
	struct buf in; /* owned; what was not taken yet */
	size_t taken; /* bytes of `in` */
	uint64_t skip; /* so many bytes to come, of a message of gRPC */
	bool skips_line; /* to its end, which is to come */
	uint64_t skipped; /* messages that were too long */
};

/* Adds a piece. Returns false if out of memory. */
bool messages_add(struct messages *messages, const char *bytes, size_t len);

/*
 * Stores the next whole message, which is valid until messages_add(). Empty lines are left out.
 * Returns false if there is none.
 */
bool messages_next(struct messages *messages, const char **message, size_t *len);

void messages_finish(struct messages *messages);

#endif
