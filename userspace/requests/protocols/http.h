/* SPDX-License-Identifier: MIT */
/* What messages of HTTP have in common, whatever its version is. Used by http*.c of this folder. */
#ifndef REQUESTS_PROTOCOLS_HTTP_H
#define REQUESTS_PROTOCOLS_HTTP_H

#include "requests/protocols/protocol.h"

struct http_text {
	const uint8_t *data;
	size_t len;
};

static inline bool http_is_digit(uint8_t c)
{
	return c >= '0' && c <= '9';
}

/* The bytes up to the first `c`, or all. */
size_t http_length_before(const uint8_t *data, size_t len, char c);

/* The value of a hexadecimal digit; below 0: it is none. */
int http_hex_value(uint8_t c);

/*
 * The message's target becomes the path of a target, without its query; its host the authority, if
 * the target has one.
 */
void http_take_target(struct protocol_message *message, const uint8_t *data, size_t len);

/* The message's host becomes the authority, without its user and password. */
void http_take_authority(struct protocol_message *message, const uint8_t *data, size_t len);

/* The status of a response, and the error that it is; 1xx is an aside. digits: three. */
void http_take_status(struct protocol_message *message, const uint8_t digits[3]);

/*
 * A header that may give a trace id. Of several that do, that of the highest rank counts: *rank,
 * which is 0 when the message begins, becomes its own. Returns false if it is no such header.
 */
bool http_take_trace(struct protocol_message *message, uint8_t *rank, struct http_text name,
		     struct http_text value);

#endif
