/* SPDX-License-Identifier: MIT */
/*
 * A message has a prefix: a byte that says whether it is compressed, and its length, 4 bytes
 * big-endian. How the call ended stands in the trailers.
 */
#include "meta/runtimes/grpc.h"

#include <endian.h>
#include <errno.h>
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

enum { PREFIX_BYTES = 5, STATUS_OK = 200 };

/* Memory for one answer. */
struct decoded {
	struct arena *arena;
	size_t room;
};

static void *decoded_alloc(void *data, size_t size)
{
	struct decoded *decoded = data;
	/* What a small piece takes beside itself. */
	size_t taken = size + alignof(max_align_t);

	if (taken > decoded->room)
		return NULL;
	decoded->room -= taken;
	return arena_alloc(decoded->arena, size);
}

static void decoded_free(void *data, void *memory)
{
}

static int to_errno(unsigned long status)
{
	static const int results[] = {
		[GRPC_DEADLINE_EXCEEDED] = -ETIMEDOUT,
		[GRPC_NOT_FOUND] = -ENOENT,
		[GRPC_RESOURCE_EXHAUSTED] = -EMSGSIZE,
		[GRPC_UNIMPLEMENTED] = -EOPNOTSUPP,
	};
	int result = status < sizeof(results) / sizeof(results[0]) ? results[status] : 0;

	return result ? result : -EREMOTEIO;
}

/* Returns 0 if the call succeeded. */
static int check_status(const struct grpc *grpc, const struct grpc_method *method,
			const struct http_reply *reply, struct error *err)
{
	char status[8], message[256] = "";
	unsigned long number;
	char *end;

	if (reply->status != STATUS_OK ||
	    !http_header(reply, "grpc-status", status, sizeof(status)))
		return error_set(err, -EPROTO, "%s: no answer of gRPC: status %ld", grpc->path,
				 reply->status);
	number = strtoul(status, &end, 10);
	if (end == status || *end)
		return error_set(err, -EPROTO, "%s: %s: no status of gRPC: %s", grpc->path,
				 method->path, status);
	if (number == GRPC_OK)
		return 0;
	http_header(reply, "grpc-message", message, sizeof(message));
	return error_set(err, to_errno(number), "%s: %s: status %lu: %s", grpc->path, method->path,
			 number, message);
}

ProtobufCMessage *grpc_decode(const ProtobufCMessageDescriptor *type, const char *message,
			      size_t len, struct arena *arena)
{
	struct decoded decoded = {.arena = arena, .room = GRPC_DECODED_MAX};
	ProtobufCAllocator allocator = {decoded_alloc, decoded_free, &decoded};

	return protobuf_c_message_unpack(type, &allocator, len, (const uint8_t *)message);
}

static int decode(const struct http_reply *reply, const struct grpc_method *method,
		  struct arena *arena, ProtobufCMessage **answer)
{
	uint32_t len;

	if (reply->body.len < PREFIX_BYTES || reply->body.data[0] != 0)
		return -EBADMSG;
	memcpy(&len, reply->body.data + 1, sizeof(len));
	if (be32toh(len) != reply->body.len - PREFIX_BYTES)
		return -EBADMSG;
	*answer = grpc_decode(method->answer, reply->body.data + PREFIX_BYTES, be32toh(len), arena);
	return *answer ? 0 : -EBADMSG;
}

void grpc_encode(const ProtobufCMessage *message, struct buf *out)
{
	size_t len = protobuf_c_message_get_packed_size(message);
	uint32_t prefix = htobe32((uint32_t)len);

	buf_append_char(out, 0);
	buf_append(out, &prefix, sizeof(prefix));
	if (!buf_reserve(out, len))
		return;
	protobuf_c_message_pack(message, (uint8_t *)out->data + out->len);
	out->len += len;
}

int grpc_call(const struct grpc *grpc, const struct grpc_method *method,
	      const ProtobufCMessage *question, uint64_t deadline_ns, struct arena *arena,
	      ProtobufCMessage **answer, struct error *err)
{
	const char *const headers[] = {GRPC_HEADERS, grpc->metadata, NULL};
	struct http_reply reply = {0};
	struct buf body = {0};
	struct http_request request = {
		.path = method->path,
		.headers = headers,
		.body = &body,
		.http2 = true,
		.deadline_ns = deadline_ns,
	};
	int result;

	grpc_encode(question, &body);
	result = body.failed ? error_set(err, -ENOMEM, "out of memory")
			     : http_request(grpc->http, &request, &reply, err);
	if (result == 0)
		result = check_status(grpc, method, &reply, err);
	if (result == 0 && decode(&reply, method, arena, answer) != 0)
		result = error_set(err, -EBADMSG, "%s: %s: the answer cannot be decoded",
				   grpc->path, method->path);
	buf_finish(&body);
	http_reply_finish(&reply);
	return result;
}
