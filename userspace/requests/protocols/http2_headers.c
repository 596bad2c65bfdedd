/* SPDX-License-Identifier: MIT */
/*
 * Headers of HTTP/2 as what a message knows. The method and the path come first, the type of the
 * content, which says whether it is gRPC, may come last. Values of other headers are not kept:
 * any of them may be a secret.
 */
#include "requests/protocols/grpc.h"
#include "requests/protocols/http2.h"

#include <errno.h>
#include <string.h>

#include "requests/protocols/text.h"

/* A block that is decoded. */
struct http2_block {
	struct protocol_message *message;
	uint8_t trace_rank;
	bool is_trailer; /* of a request */
};

static void take_method(struct protocol_message *message, struct http_text value)
{
	protocol_text_put(message->method, sizeof(message->method), value.data, value.len);
}

static void take_path(struct protocol_message *message, struct http_text value)
{
	http_take_target(message, value.data, value.len);
}

static void take_authority(struct protocol_message *message, struct http_text value)
{
	http_take_authority(message, value.data, value.len);
}

static void take_host(struct protocol_message *message, struct http_text value)
{
	if (!message->host[0])
		http_take_authority(message, value.data, value.len);
}

static void take_status(struct protocol_message *message, struct http_text value)
{
	uint8_t digits[3];

	if (value.len != sizeof(digits))
		return;
	memcpy(digits, value.data, sizeof(digits));
	for (unsigned int i = 0; i < sizeof(digits); i++)
		if (!http_is_digit(digits[i]))
			return;
	http_take_status(message, digits);
	if (grpc_is_call(message))
		grpc_move_status(message);
}

static void take_content(struct protocol_message *message, struct http_text value)
{
	if (!grpc_is_call(message) && grpc_is_content(value))
		grpc_begin(message);
}

struct http2_header {
	const char *name;
	uint8_t len;
	void (*take)(struct protocol_message *message, struct http_text value);
};

static const struct http2_header of_requests[] = {
	{":method", 7, take_method},
	{":path", 5, take_path},
	{":authority", 10, take_authority},
	{"host", 4, take_host},
	{"content-type", 12, take_content},
	{"grpc-timeout", 12, grpc_take_timeout},
	{NULL, 0, NULL},
};

static const struct http2_header of_responses[] = {
	{":status", 7, take_status},
	{"content-type", 12, take_content},
	{"grpc-status", 11, grpc_take_status},
	{NULL, 0, NULL},
};

/* Names are in lower case. Returns false if the table has none of that name. */
static bool take_header(const struct http2_header *header, struct protocol_message *message,
			struct http_text name, struct http_text value)
{
	for (; header->name; header++)
		if (header->len == name.len && memcmp(header->name, name.data, name.len) == 0) {
			header->take(message, value);
			return true;
		}
	return false;
}

static void take_of_request(void *context, struct http_text name, struct http_text value)
{
	struct http2_block *block = context;

	/* Trailers have none of what was asked. */
	if (block->is_trailer)
		return;
	if (!take_header(of_requests, block->message, name, value))
		http_take_trace(block->message, &block->trace_rank, name, value);
}

static void take_of_response(void *context, struct http_text name, struct http_text value)
{
	struct http2_block *block = context;

	take_header(of_responses, block->message, name, value);
}

void http2_leave_out(struct protocol_message *message, unsigned int fields)
{
	message->undecoded += fields;
}

/* What a tunnel is asked for is an authority alone. */
static void note_request_begin(struct protocol_message *message)
{
	message->has_begun = true;
	if (!message->target[0] && strcmp(message->method, "CONNECT") == 0)
		memcpy(message->target, message->host, sizeof(message->host));
}

int http2_take_block(struct hpack *hpack, enum protocol_side side, struct protocol_message *message,
		     struct http_text text)
{
	struct http2_block block = {.message = message,
				    .is_trailer = side == PROTOCOL_REQUESTS && message->has_begun};
	int left_out = hpack_decode(hpack, text,
				    side == PROTOCOL_REQUESTS ? take_of_request : take_of_response,
				    &block);

	/* Without memory for it, it is as if it had not been seen. */
	if (left_out == -ENOMEM)
		left_out = 1;
	if (left_out < 0)
		return left_out;
	http2_leave_out(message, (unsigned int)left_out);
	memcpy(message->version, "2", sizeof("2"));
	if (side == PROTOCOL_REQUESTS)
		note_request_begin(message);
	if (grpc_is_call(message))
		grpc_name_call(message);
	return 0;
}

void http2_end_response(struct protocol_message *message)
{
	if (grpc_is_call(message))
		grpc_end_response(message);
}
