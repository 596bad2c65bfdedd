/* SPDX-License-Identifier: MIT */
/* What one side of a connection says in HTTP/2, frame by frame, its headers by nghttp2's deflater.
 */
#ifndef TESTS_HTTP2_SAID_H
#define TESTS_HTTP2_SAID_H

#include <stdint.h>

#include "requests/protocols/http2.h"
#include "util/buf.h"

struct nghttp2_hd_deflater;

/* A zeroed struct has said nothing. */
struct http2_said {
	struct buf bytes; /* owned */
	struct nghttp2_hd_deflater *deflater; /* owned */
};

/* Frees all that it has. */
void http2_said_finish(struct http2_said *said);

/* What is said so far is forgotten, but for what it added to the table of headers. */
void http2_said_clear(struct http2_said *said);

void http2_say_preface(struct http2_said *said);

/* A frame with any payload. */
void http2_say(struct http2_said *said, uint8_t type, uint8_t flags, uint32_t stream,
	       const void *payload, size_t len);

/* Headers as lines "name: value", in HEADERS or PUSH_PROMISE with all that the flags want. */
void http2_say_headers(struct http2_said *said, uint8_t flags, uint32_t stream, const char *lines);
void http2_say_promise(struct http2_said *said, uint32_t stream, const char *lines);

/* The same in HEADERS and CONTINUATION, a frame for each `part` bytes. */
void http2_say_parts(struct http2_said *said, uint8_t flags, uint32_t stream, size_t part,
		     const char *lines);

/* A message of gRPC of so many bytes, in frames of `part` bytes each; 0: in one. */
void http2_say_message(struct http2_said *said, uint8_t flags, uint32_t stream, size_t len,
		       size_t part);

/* RST_STREAM; and GOAWAY, with the last stream that is taken. */
void http2_say_reset(struct http2_said *said, uint32_t stream, uint32_t code);
void http2_say_goaway(struct http2_said *said, uint32_t last, uint32_t code);

#endif
