/* SPDX-License-Identifier: MIT */
/* As spoken.h, of a protocol with streams: one side of a connection, given to it in pieces. */
#ifndef TESTS_SPOKEN_STREAMS_H
#define TESTS_SPOKEN_STREAMS_H

#include "spoken.h"

/*
 * Appends a line for each message that ends, is closed, or refuses others:
 *	STREAM METHOD TARGET [host=…] [status=…] [error=…] [counts=…/…] [undecoded=…] LENGTH
 * and how it ended, as spoken_text(). Streams beyond the first 64 are not followed. `requests` of
 * `spoken` is ignored. Returns which promise of protocol.h was not kept; NULL: all were.
 */
const char *spoken_streams_text(const struct spoken *spoken, const void *bytes, size_t len,
				struct buf *out);

#endif
