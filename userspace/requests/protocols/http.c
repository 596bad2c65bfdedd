/* SPDX-License-Identifier: MIT */
/* Targets, statuses and trace ids. */
#include "requests/protocols/http.h"

#include <string.h>
#include <strings.h>

#include "requests/protocols/text.h"
#include "util/base64.h"
#include "util/buf.h"

enum { TRACE_DIGITS = 32 };

int http_hex_value(uint8_t c)
{
	if (http_is_digit(c))
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* How many hexadecimal digits stand at the beginning, and whether one is not 0. */
static size_t hex_digits(const uint8_t *data, size_t len, bool *is_set)
{
	size_t n = 0;

	for (*is_set = false; n < len && http_hex_value(data[n]) >= 0; n++)
		*is_set |= data[n] != '0';
	return n;
}

size_t http_length_before(const uint8_t *data, size_t len, char c)
{
	const uint8_t *found = len ? memchr(data, c, len) : NULL;

	return found ? (size_t)(found - data) : len;
}

void http_take_authority(struct protocol_message *message, const uint8_t *data, size_t len)
{
	const uint8_t *user = len ? memrchr(data, '@', len) : NULL;

	if (user) {
		len -= (size_t)(user + 1 - data);
		data = user + 1;
	}
	protocol_text_put(message->host, sizeof(message->host), data, len);
}

/* The length of "http://" or "https://" at the beginning; 0: there is neither. */
static size_t scheme_length(const uint8_t *data, size_t len)
{
	if (len >= 7 && strncasecmp((const char *)data, "http://", 7) == 0)
		return 7;
	return len >= 8 && strncasecmp((const char *)data, "https://", 8) == 0 ? 8 : 0;
}

void http_take_target(struct protocol_message *message, const uint8_t *data, size_t len)
{
	size_t scheme = scheme_length(data, len);

	len = http_length_before(data, len, '?');
	len = http_length_before(data, len, '#');
	if (scheme) {
		size_t host = http_length_before(data + scheme, len - scheme, '/');

		http_take_authority(message, data + scheme, host);
		data += scheme + host;
		len -= scheme + host;
		if (!len) {
			data = (const uint8_t *)"/";
			len = 1;
		}
	}
	protocol_text_put(message->target, sizeof(message->target), data, len);
}

void http_take_status(struct protocol_message *message, const uint8_t digits[3])
{
	message->status = (digits[0] - '0') * 100 + (digits[1] - '0') * 10 + (digits[2] - '0');
	message->has_status = true;
	message->is_aside = message->status < 200 && message->status != 101;
	/* As the conventions of OpenTelemetry have it. */
	message->blames_client = message->status < 500;
	if (message->status >= 400)
		protocol_text_put(message->error, sizeof(message->error), digits, 3);
}

/*
 * Trace ids.
 */

static void put_trace(struct protocol_message *message, const void *data, size_t len)
{
	protocol_text_put(message->trace_id, MESSAGE_TRACE_BYTES, data, len);
}

/* Returns false if the value is no such id. */
static bool put_hex_trace(struct protocol_message *message, struct http_text value, char end)
{
	bool is_set;
	size_t n = hex_digits(value.data, value.len, &is_set);

	/* A single digit of b3 says whether to sample. */
	if (!is_set || n <= 1 || n > TRACE_DIGITS || (n != value.len && value.data[n] != end))
		return false;
	put_trace(message, value.data, n);
	return true;
}

/* 00-TRACE-PARENT-FLAGS */
static bool take_traceparent(struct protocol_message *message, struct http_text value)
{
	enum { PREFIX = 3 };
	bool is_set;

	if (value.len < PREFIX + TRACE_DIGITS + 1 || value.data[PREFIX - 1] != '-' ||
	    value.data[PREFIX + TRACE_DIGITS] != '-')
		return false;
	if (hex_digits(value.data + PREFIX, TRACE_DIGITS, &is_set) != TRACE_DIGITS || !is_set)
		return false;
	put_trace(message, value.data + PREFIX, TRACE_DIGITS);
	return true;
}

static bool take_b3(struct protocol_message *message, struct http_text value)
{
	return put_hex_trace(message, value, '-');
}

/* TRACE:SPAN:PARENT:FLAGS, its colons maybe percent-encoded. */
static bool take_uber(struct protocol_message *message, struct http_text value)
{
	value.len = http_length_before(value.data, value.len, '%');
	return put_hex_trace(message, value, ':');
}

/* SAMPLE-TRACE-SEGMENT-…, of which all but the first are in base64 or numbers. */
static bool take_sw8(struct protocol_message *message, struct http_text value)
{
	char text[2 * MESSAGE_TRACE_BYTES];
	struct buf out = buf_fixed(text, sizeof(text));
	size_t sample = http_length_before(value.data, value.len, '-');
	const uint8_t *id = value.data + sample + 1;
	size_t len;

	if (sample == value.len)
		return false;
	len = http_length_before(id, value.len - sample - 1, '-');
	if (!len || !base64_decode(&out, (const char *)id, len) || memchr(out.data, 0, out.len))
		return false;
	put_trace(message, out.data, out.len);
	return true;
}

static const struct http_trace {
	const char *name;
	uint8_t len, rank;
	bool (*take)(struct protocol_message *message, struct http_text value);
} traces[] = {
	{"traceparent", 11, 4, take_traceparent},
	{"b3", 2, 3, take_b3},
	{"X-B3-TraceId", 12, 3, take_b3},
	{"uber-trace-id", 13, 2, take_uber},
	{"sw8", 3, 1, take_sw8},
};

bool http_take_trace(struct protocol_message *message, uint8_t *rank, struct http_text name,
		     struct http_text value)
{
	for (size_t i = 0; i < sizeof(traces) / sizeof(traces[0]); i++) {
		const struct http_trace *trace = &traces[i];

		if (name.len != trace->len ||
		    strncasecmp((const char *)name.data, trace->name, trace->len) != 0)
			continue;
		if (trace->rank > *rank && trace->take(message, value))
			*rank = trace->rank;
		return true;
	}
	return false;
}
