/* SPDX-License-Identifier: MIT */
/* Frames as bytes. */
#include "http2_said.h"

#include <nghttp2/nghttp2.h>
#include <stdlib.h>
#include <string.h>

enum { LINES_MAX = 32, BLOCK_MAX = 65536, TABLE_BYTES = 4096, PAD = 7 };

void http2_said_finish(struct http2_said *said)
{
	buf_finish(&said->bytes);
	if (said->deflater)
		nghttp2_hd_deflate_del(said->deflater);
	*said = (struct http2_said){0};
}

void http2_said_clear(struct http2_said *said)
{
	buf_clear(&said->bytes);
}

void http2_say_preface(struct http2_said *said)
{
	static const char preface[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

	buf_append(&said->bytes, preface, sizeof(preface) - 1);
	http2_say(said, HTTP2_SETTINGS, 0, 0, "\0\3\0\0\0\144", 6);
}

static void say_header(struct http2_said *said, uint8_t type, uint8_t flags, uint32_t stream,
		       size_t len)
{
	const uint8_t header[HTTP2_FRAME_BYTES] = {(uint8_t)(len >> 16),
						   (uint8_t)(len >> 8),
						   (uint8_t)len,
						   type,
						   flags,
						   (uint8_t)(stream >> 24),
						   (uint8_t)(stream >> 16),
						   (uint8_t)(stream >> 8),
						   (uint8_t)stream};

	buf_append(&said->bytes, header, sizeof(header));
}

void http2_say(struct http2_said *said, uint8_t type, uint8_t flags, uint32_t stream,
	       const void *payload, size_t len)
{
	say_header(said, type, flags, stream, len);
	buf_append(&said->bytes, payload, len);
}

/* Returns the bytes of the block. */
static size_t deflate(struct http2_said *said, const char *lines, uint8_t *block)
{
	nghttp2_nv fields[LINES_MAX];
	size_t count = 0;
	ssize_t len;

	if (!said->deflater && nghttp2_hd_deflate_new(&said->deflater, TABLE_BYTES))
		abort();
	for (; *lines; count++) {
		size_t line = strcspn(lines, "\n");
		const char *colon = strstr(lines + 1, ": ");

		if (count == LINES_MAX || !colon)
			abort();
		fields[count] = (nghttp2_nv){.name = (uint8_t *)lines,
					     .namelen = (size_t)(colon - lines),
					     .value = (uint8_t *)colon + 2,
					     .valuelen = line - (size_t)(colon + 2 - lines)};
		lines += line + (lines[line] == '\n');
	}
	len = nghttp2_hd_deflate_hd(said->deflater, block, BLOCK_MAX, fields, count);
	if (len < 0)
		abort();
	return (size_t)len;
}

void http2_say_headers(struct http2_said *said, uint8_t flags, uint32_t stream, const char *lines)
{
	static const uint8_t priority[] = {0, 0, 0, 0, 15}, padding[PAD];
	uint8_t block[BLOCK_MAX], pad = PAD;
	size_t len = deflate(said, lines, block), all = len;

	all += flags & HTTP2_PADDED ? 1 + PAD : 0;
	all += flags & HTTP2_WITH_PRIORITY ? sizeof(priority) : 0;
	say_header(said, HTTP2_HEADERS, flags | HTTP2_END_HEADERS, stream, all);
	if (flags & HTTP2_PADDED)
		buf_append(&said->bytes, &pad, 1);
	if (flags & HTTP2_WITH_PRIORITY)
		buf_append(&said->bytes, priority, sizeof(priority));
	buf_append(&said->bytes, block, len);
	if (flags & HTTP2_PADDED)
		buf_append(&said->bytes, padding, PAD);
}

void http2_say_promise(struct http2_said *said, uint32_t stream, const char *lines)
{
	static const uint8_t promised[] = {0, 0, 0, 2};
	uint8_t block[BLOCK_MAX];
	size_t len = deflate(said, lines, block);

	say_header(said, HTTP2_PUSH_PROMISE, HTTP2_END_HEADERS, stream, sizeof(promised) + len);
	buf_append(&said->bytes, promised, sizeof(promised));
	buf_append(&said->bytes, block, len);
}

void http2_say_parts(struct http2_said *said, uint8_t flags, uint32_t stream, size_t part,
		     const char *lines)
{
	uint8_t block[BLOCK_MAX];
	size_t len = deflate(said, lines, block);

	for (size_t at = 0; at < len; at += part) {
		size_t n = len - at < part ? len - at : part;
		uint8_t last = at + n == len ? HTTP2_END_HEADERS : 0;

		http2_say(said, at ? HTTP2_CONTINUATION : HTTP2_HEADERS,
			  (uint8_t)(last | (at ? 0 : flags)), stream, block + at, n);
	}
}

void http2_say_message(struct http2_said *said, uint8_t flags, uint32_t stream, size_t len,
		       size_t part)
{
	const uint8_t prefix[] = {0, (uint8_t)(len >> 24), (uint8_t)(len >> 16),
				  (uint8_t)(len >> 8), (uint8_t)len};
	size_t all = sizeof(prefix) + len;
	uint8_t *bytes = calloc(1, all);

	if (!bytes)
		abort();
	memcpy(bytes, prefix, sizeof(prefix));
	part = part ? part : all;
	for (size_t at = 0; at < all; at += part) {
		size_t n = all - at < part ? all - at : part;

		http2_say(said, HTTP2_DATA, at + n == all ? flags : 0, stream, bytes + at, n);
	}
	free(bytes);
}

void http2_say_reset(struct http2_said *said, uint32_t stream, uint32_t code)
{
	const uint8_t payload[] = {0, 0, 0, (uint8_t)code};

	http2_say(said, HTTP2_RST_STREAM, 0, stream, payload, sizeof(payload));
}

void http2_say_goaway(struct http2_said *said, uint32_t last, uint32_t code)
{
	const uint8_t payload[] = {0, 0, 0, (uint8_t)last, 0, 0, 0, (uint8_t)code};

	http2_say(said, HTTP2_GOAWAY, 0, 0, payload, sizeof(payload));
}
