/* SPDX-License-Identifier: MIT */
/* The style of text that the user of an output chose. Zeroed: the style of filters. */
#ifndef SINSP_VALUES_TEXT_STYLE_H
#define SINSP_VALUES_TEXT_STYLE_H

#include <stdbool.h>
#include <stddef.h>

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

struct text_style {
	enum text_time time;
	enum text_bytes bytes;
	size_t bytes_max; /* with DOTS: longer buffers are truncated; 0: no limit */
	/* Control characters in parameters are replaced, except those that `bytes` adds. */
	bool masked;
	bool coloured; /* for a terminal */
	/* Borrowed: ports in the texts of sockets are names of services; NULL: numbers. */
	const struct services *services;
};

#endif
