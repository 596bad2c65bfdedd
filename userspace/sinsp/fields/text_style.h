/* SPDX-License-Identifier: MIT */
/* What the user of an output chooses about text. Zeroed: what filters see. */
#ifndef SINSP_FIELDS_TEXT_STYLE_H
#define SINSP_FIELDS_TEXT_STYLE_H

#include <stdbool.h>
#include <stddef.h>

/* What evt.outputtime is. */
enum text_time {
	TEXT_TIME_OF_DAY,
	TEXT_TIME_EPOCH, /* seconds since 1970 */
	TEXT_TIME_RELATIVE, /* seconds since the first event */
	TEXT_TIME_LATENCY, /* seconds that the call took */
	TEXT_TIME_DELTA, /* seconds since the event that was asked before */
};

/* How the bytes of buffers are shown. */
enum text_bytes {
	TEXT_BYTES_DOTS, /* printable ASCII, and dots for others */
	TEXT_BYTES_ASCII, /* printable ASCII and ends of lines alone */
	TEXT_BYTES_BASE64,
	TEXT_BYTES_HEX,
	TEXT_BYTES_HEX_ASCII,
};

struct services;

struct text_style {
	enum text_time time;
	enum text_bytes bytes;
	size_t bytes_max; /* with DOTS: longer buffers are cut; 0: no limit */
	/* Parameters are without control characters, but for those that `bytes` puts there. */
	bool masked;
	bool coloured; /* for a terminal */
	/* Borrowed: ports in the texts of sockets are names of services; NULL: numbers. */
	const struct services *services;
};

#endif
