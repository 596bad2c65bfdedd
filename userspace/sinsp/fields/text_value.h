/* SPDX-License-Identifier: MIT */
/*
 * Values as text, in the forms of the .scap world: bytes, numbers, names of descriptors; and the
 * style that the user chose.
 */
#ifndef SINSP_FIELDS_TEXT_VALUE_H
#define SINSP_FIELDS_TEXT_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event/event.h"
#include "sinsp/state/fd.h"
#include "util/buf.h"

/* The style of text that the user of an output chose. Zeroed: the style of filters. */

/* The meaning of evt.outputtime. */
enum text_time {
	TEXT_TIME_OF_DAY,
	TEXT_TIME_EPOCH, /* seconds since 1970 */
	TEXT_TIME_RELATIVE, /* seconds since the first event that is shown */
	TEXT_TIME_LATENCY, /* seconds that the call took */
	TEXT_TIME_DELTA, /* seconds since the previous formatted event */
};

/* How the bytes of buffers are shown. */
enum text_bytes {
	TEXT_BYTES_DOTS, /* printable ASCII, and dots for others */
	TEXT_BYTES_ASCII, /* only printable ASCII and line ends */
	TEXT_BYTES_BASE64,
	TEXT_BYTES_HEX,
	TEXT_BYTES_HEX_ASCII,
};

struct services;

/* What hides secrets; all zero: nothing does. */
struct text_hider {
	/* Overwrites what is secret in a part of a line. NULL: whoever has the whole line does. */
	void (*text)(void *context, char *text, size_t len);
	/*
	 * Overwrites what is secret in strings, each with its NUL and so with its own bounds, of a
	 * program; NULL: of an environment.
	 */
	void (*arguments)(void *context, const char *program, char *strings, size_t len);
	void *context; /* borrowed */
};

struct text_style {
	enum text_time time;
	enum text_bytes bytes;
	size_t bytes_max; /* with DOTS: longer buffers are truncated; 0: no limit */
	/* Control characters in parameters are replaced, except those that `bytes` adds. */
	bool masked;
	bool coloured; /* for a terminal */
	/* Borrowed: ports in the texts of sockets are names of services; NULL: numbers. */
	const struct services *services;
	struct text_hider hider;
};

/* Bytes as text, in the forms of the .scap world. */

/* Appends bytes in a form. Only printable ASCII, tabs and newlines are appended. */
void text_append_bytes(struct buf *out, enum text_bytes form, const uint8_t *data, size_t len);

/*
 * Appends bytes in the form of a style; buffers longer than its bytes_max are truncated, and end
 * with dots.
 */
void text_append_buffer(struct buf *out, const struct text_style *style, const uint8_t *data,
			size_t len);

/* Values that are numbers, as text. */

/*
 * Appends a number of a type of fixed size, extended to 64 bits: hexadecimal and octal digits
 * without 0x and 0, signed types with their sign.
 */
void text_append_number(struct buf *out, enum param_type type, enum param_format format,
			uint64_t value);

/*
 * Appends a duration in the largest unit that it reaches (ns, us, ms, s), truncated to two
 * decimals, without trailing zeros.
 */
void text_append_duration(struct buf *out, uint64_t ns);

/* Names of descriptors in the style that the user of an output chose. */

/* Appends the name; with style->services, ports of IP sockets are replaced by service names. */
void text_append_fd_name(struct buf *out, const struct state_fd *fd,
			 const struct text_style *style);

#endif
