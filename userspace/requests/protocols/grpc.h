/* SPDX-License-Identifier: MIT */
/* Calls of gRPC, which are streams of HTTP/2. Used by http2*.c of this folder alone. */
#ifndef REQUESTS_PROTOCOLS_GRPC_H
#define REQUESTS_PROTOCOLS_GRPC_H

#include "requests/protocols/http.h"

/* Whether the message of a stream is one. */
static inline bool grpc_is_call(const struct protocol_message *message)
{
	return message->protocol != 0;
}

/* The message is a call from now on. */
void grpc_begin(struct protocol_message *message);

/* The status that a message has is that of HTTP, not of the call. */
void grpc_move_status(struct protocol_message *message);

/* Whether that is what contents of gRPC are called. */
bool grpc_is_content(struct http_text type);

/* How long a call may take, digits and a unit: 100m. What is longer than can be said is cut. */
void grpc_take_timeout(struct protocol_message *message, struct http_text value);

/* The status of a call, a number of one or two digits. */
void grpc_take_status(struct protocol_message *message, struct http_text value);

/* All headers of the request are known: the path becomes service and method. */
void grpc_name_call(struct protocol_message *message);

/*
 * Bytes of a side's data, `left` of which are to come in its frame. Returns how many of them were
 * taken; *skip: how many behind them do not matter.
 */
size_t grpc_take_data(struct protocol_message *message, enum protocol_side side,
		      const struct protocol_input *input, uint32_t left, uint32_t *skip);

/* Data of that side will not be counted: some was not seen. */
void grpc_lose_count(struct protocol_message *message, enum protocol_side side);

/* As `end_by_error` of struct protocol_streams. */
bool grpc_end_by_error(struct protocol_message *message, const char *error, uint64_t took_ns);

/* As http2_end_response(). */
void grpc_end_response(struct protocol_message *message);

#endif
