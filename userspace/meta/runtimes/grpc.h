/* SPDX-License-Identifier: MIT */
/*
 * Calls of gRPC, one question and one answer each, and the messages of a stream that comes in
 * pieces of any size.
 */
#ifndef META_RUNTIMES_GRPC_H
#define META_RUNTIMES_GRPC_H

#include <protobuf-c/protobuf-c.h>
#include <stdbool.h>
#include <stdint.h>

#include "net/http.h"
#include "util/arena.h"
#include "util/buf.h"

/*
 * The messages of a stream that comes in pieces of any size: lines, or messages of gRPC with their
 * prefix. A message that is too long is skipped and counted.
 */

enum { MESSAGES_BYTES_MAX = 1024 * 1024 }; /* of one */

/* Zeroed but for the first member: at the begin of a stream. */
struct grpc_messages {
	bool is_grpc;
	struct buf in; /* owned; what was not taken yet */
	size_t taken; /* bytes of `in` */
	uint64_t skip; /* so many bytes to come, of a message of gRPC */
	bool skips_line; /* to its end, which is to come */
	uint64_t skipped; /* messages that were too long */
};

/* Adds a piece. Returns false if out of memory. */
bool grpc_messages_add(struct grpc_messages *messages, const char *bytes, size_t len);

/*
 * Stores the next whole message, which is valid until grpc_messages_add(). Empty lines are left
 * out. Returns false if there is none.
 */
bool grpc_messages_next(struct grpc_messages *messages, const char **message, size_t *len);

void grpc_messages_finish(struct grpc_messages *messages);

/* Calls of gRPC, one question and one answer each. */

/* An answer takes up to this much memory when it is decoded, many times its length. */
enum { GRPC_DECODED_MAX = 32 * 1024 * 1024 };

/* How a call ended, in the trailer "grpc-status". */
enum grpc_status {
	GRPC_OK = 0,
	GRPC_DEADLINE_EXCEEDED = 4,
	GRPC_NOT_FOUND = 5,
	GRPC_RESOURCE_EXHAUSTED = 8,
	GRPC_UNIMPLEMENTED = 12,
};

struct grpc {
	struct http *http; /* not owned */
	const char *path; /* of the socket, for messages; not owned */
	const char *metadata; /* one more header, "name: value"; NULL: none; not owned */
};

/* Headers of every call. */
#define GRPC_HEADERS "content-type: application/grpc", "te: trailers"

struct grpc_method {
	const char *path; /* "/package.Service/Method" */
	const ProtobufCMessageDescriptor *answer;
};

/*
 * Calls a method. Returns 0 with the decoded answer, in the memory of `arena`, which the caller
 * frees in any case; -ENOENT if the server does not know what was asked for, -EOPNOTSUPP if it does
 * not know the method, -EBADMSG if its answer cannot be decoded, or another -errno, all but -ENOENT
 * with a message.
 */
int grpc_call(const struct grpc *grpc, const struct grpc_method *method,
	      const ProtobufCMessage *question, uint64_t deadline_ns, struct arena *arena,
	      ProtobufCMessage **answer, struct error *err);

/* Appends a message with its prefix, as it is sent. */
void grpc_encode(const ProtobufCMessage *message, struct buf *out);

/*
 * Decodes a message without its prefix, in the memory of `arena`, which the caller frees in any
 * case. Returns NULL if it cannot be decoded.
 */
ProtobufCMessage *grpc_decode(const ProtobufCMessageDescriptor *type, const char *message,
			      size_t len, struct arena *arena);

#endif
