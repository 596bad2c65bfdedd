/* SPDX-License-Identifier: MIT */
/* Calls of gRPC; lines and messages of streams. */
#include "meta/runtimes/grpc.h"

#include <endian.h>
#include <errno.h>
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "util/count.h"

/* Of a message of gRPC: whether it is compressed, and its length in 4 bytes. */
enum { MESSAGES_PREFIX_BYTES = 5 };

bool grpc_messages_add(struct grpc_messages *messages, const char *bytes, size_t len)
{
	size_t skipped = messages->skip < len ? messages->skip : len;

	messages->skip -= skipped;
	bytes += skipped;
	len -= skipped;
	if (messages->taken) {
		messages->in.len -= messages->taken;
		memmove(messages->in.data, messages->in.data + messages->taken, messages->in.len);
		messages->taken = 0;
	}
	buf_append(&messages->in, bytes, len);
	return !messages->in.failed;
}

static size_t left(const struct grpc_messages *messages)
{
	return messages->in.len - messages->taken;
}

static const char *next_byte(const struct grpc_messages *messages)
{
	return messages->in.data + messages->taken;
}

/* Drops the begin of a line that is too long. */
static void skip_line(struct grpc_messages *messages)
{
	messages->skipped += !messages->skips_line;
	messages->skips_line = true;
	messages->taken = messages->in.len;
}

static bool next_line(struct grpc_messages *messages, const char **message, size_t *len)
{
	while (left(messages)) {
		const char *line = next_byte(messages);
		const char *end = memchr(line, '\n', left(messages));
		bool wanted = !messages->skips_line;

		if (!end) {
			if (!wanted || left(messages) > MESSAGES_BYTES_MAX)
				skip_line(messages);
			return false;
		}
		*message = line;
		*len = (size_t)(end - line);
		messages->taken += *len + 1;
		messages->skips_line = false;
		if (wanted && *len > MESSAGES_BYTES_MAX)
			messages->skipped++;
		else if (wanted && *len)
			return true;
	}
	return false;
}

/* Drops a message of gRPC, as much of it as has come. */
static void skip_message(struct grpc_messages *messages, uint64_t len)
{
	size_t skipped = len < left(messages) ? len : left(messages);

	messages->taken += skipped;
	messages->skip = len - skipped;
	messages->skipped++;
}

static bool next_grpc(struct grpc_messages *messages, const char **message, size_t *len)
{
	while (left(messages) >= MESSAGES_PREFIX_BYTES) {
		const char *prefix = next_byte(messages);
		uint32_t bytes;

		memcpy(&bytes, prefix + 1, sizeof(bytes));
		bytes = be32toh(bytes);
		if (bytes > MESSAGES_BYTES_MAX) {
			skip_message(messages, MESSAGES_PREFIX_BYTES + (uint64_t)bytes);
			continue;
		}
		if (left(messages) < MESSAGES_PREFIX_BYTES + (size_t)bytes)
			return false;
		*message = prefix + MESSAGES_PREFIX_BYTES;
		*len = bytes;
		messages->taken += MESSAGES_PREFIX_BYTES + (size_t)bytes;
		/* Nobody asked for a compressed one. */
		if (*prefix == 0)
			return true;
		messages->skipped++;
	}
	return false;
}

bool grpc_messages_next(struct grpc_messages *messages, const char **message, size_t *len)
{
	return messages->is_grpc ? next_grpc(messages, message, len)
				 : next_line(messages, message, len);
}

void grpc_messages_finish(struct grpc_messages *messages)
{
	buf_finish(&messages->in);
}

/*
 * A message has a prefix: a byte that says whether it is compressed, and its length, 4 bytes
 * big-endian. How the call ended stands in the trailers.
 */

enum { GRPC_PREFIX_BYTES = 5, STATUS_OK = 200 };

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

static int grpc_to_errno(unsigned long status)
{
	static const int results[] = {
		[GRPC_DEADLINE_EXCEEDED] = -ETIMEDOUT,
		[GRPC_NOT_FOUND] = -ENOENT,
		[GRPC_RESOURCE_EXHAUSTED] = -EMSGSIZE,
		[GRPC_UNIMPLEMENTED] = -EOPNOTSUPP,
	};
	int result = status < COUNT(results) ? results[status] : 0;

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
	return error_set(err, grpc_to_errno(number), "%s: %s: status %lu: %s", grpc->path,
			 method->path, number, message);
}

ProtobufCMessage *grpc_decode(const ProtobufCMessageDescriptor *type, const char *message,
			      size_t len, struct arena *arena)
{
	struct decoded decoded = {.arena = arena, .room = GRPC_DECODED_MAX};
	ProtobufCAllocator allocator = {decoded_alloc, decoded_free, &decoded};

	return protobuf_c_message_unpack(type, &allocator, len, (const uint8_t *)message);
}

static int runtimes_grpc_decode(const struct http_reply *reply, const struct grpc_method *method,
				struct arena *arena, ProtobufCMessage **answer)
{
	uint32_t len;

	if (reply->body.len < GRPC_PREFIX_BYTES || reply->body.data[0] != 0)
		return -EBADMSG;
	memcpy(&len, reply->body.data + 1, sizeof(len));
	if (be32toh(len) != reply->body.len - GRPC_PREFIX_BYTES)
		return -EBADMSG;
	*answer = grpc_decode(method->answer, reply->body.data + GRPC_PREFIX_BYTES, be32toh(len),
			      arena);
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
	if (result == 0 && runtimes_grpc_decode(&reply, method, arena, answer) != 0)
		result = error_set(err, -EBADMSG, "%s: %s: the answer cannot be decoded",
				   grpc->path, method->path);
	buf_finish(&body);
	http_reply_finish(&reply);
	return result;
}
