/* SPDX-License-Identifier: MIT */
/* What the files of HTTP/2 share: frames, and how far both sides are. Used by http2*.c and grpc.c
 * of this folder alone. */
#ifndef REQUESTS_PROTOCOLS_HTTP2_H
#define REQUESTS_PROTOCOLS_HTTP2_H

#include "requests/protocols/hpack.h"

enum {
	HTTP2_PREFACE_BYTES = 24,
	HTTP2_FRAME_BYTES = 9, /* what is before the payload */
	/* Of a block of headers with all that belongs to its frames. Longer ones are not decoded.
	 */
	HTTP2_BLOCK_MAX = 48 * 1024,
};

enum http2_type {
	HTTP2_DATA,
	HTTP2_HEADERS,
	HTTP2_PRIORITY,
	HTTP2_RST_STREAM,
	HTTP2_SETTINGS,
	HTTP2_PUSH_PROMISE,
	HTTP2_PING,
	HTTP2_GOAWAY,
	HTTP2_WINDOW_UPDATE,
	HTTP2_CONTINUATION,
	HTTP2_TYPES,
};

enum http2_flag {
	HTTP2_END_STREAM = 0x1, /* of SETTINGS and PING: it acknowledges one */
	HTTP2_END_HEADERS = 0x4,
	HTTP2_PADDED = 0x8,
	HTTP2_WITH_PRIORITY = 0x20,
};

struct http2_frame {
	uint32_t len; /* of its payload */
	uint32_t stream;
	uint8_t type, flags;
	bool is_reserved; /* the bit that nobody sets */
};

/* What is known of a side between two steps. */
struct http2_side {
	struct hpack hpack;
	uint32_t stream; /* of the frame whose payload comes */
	uint32_t left; /* bytes of it that are to come, 0: none, */
	uint32_t padding; /* and behind them */
	bool ends; /* with that frame, the message */
	bool in_block; /* what follows is of headers whose beginning was not decoded */
};

struct http2 {
	struct protocol_room *room; /* borrowed */
	struct http2_side sides[PROTOCOL_SIDES];
};

/* data: HTTP2_FRAME_BYTES. */
struct http2_frame http2_read_frame(const uint8_t *data);

/* Whether these bytes, at least one, are the preface of a client, or its beginning. */
bool http2_begins_preface(const uint8_t *data, size_t len);

/* Whether a frame is one that RFC 9113 allows. */
bool http2_is_valid(const struct http2_frame *frame);

/* Decodes a block of that side into the message of its stream. Returns 0 or -EBADMSG. */
int http2_take_block(struct hpack *hpack, enum protocol_side side, struct protocol_message *message,
		     struct http_text block);

/* Those parts of a block are not known. */
void http2_leave_out(struct protocol_message *message, unsigned int fields);

/* The last byte of a response came: what it says becomes the error, if it is one. */
void http2_end_response(struct protocol_message *message);

enum protocol_verdict http2_recognise(enum protocol_side side, const struct protocol_input *input);
size_t http2_find(enum protocol_side side, const struct protocol_input *input);

#endif
