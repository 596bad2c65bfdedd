/* SPDX-License-Identifier: MIT */
/*
 * Numbers and texts from the bytes of a binary message, of which the last ones may not be known.
 * Used by the files of this folder alone.
 */
#ifndef REQUESTS_PROTOCOLS_BYTES_H
#define REQUESTS_PROTOCOLS_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "requests/protocols/text.h"

/* What is left to read. All that is read once bytes were missing is 0 and empty. */
struct bytes {
	const uint8_t *at, *end;
	bool is_short; /* bytes were missing, or a value was none */
};

static inline struct bytes bytes_begin(const uint8_t *data, size_t len)
{
	return (struct bytes){.at = data, .end = data + len};
}

static inline size_t bytes_left(const struct bytes *bytes)
{
	return (size_t)(bytes->end - bytes->at);
}

/* Takes so many; NULL: they are not there, and nothing is from then on. */
static inline const uint8_t *bytes_take(struct bytes *bytes, uint64_t len)
{
	const uint8_t *taken = bytes->at;

	if (bytes->is_short || len > bytes_left(bytes)) {
		bytes->is_short = true;
		bytes->at = bytes->end;
		return NULL;
	}
	bytes->at += len;
	return taken;
}

/* An unsigned number of so many bytes, 8 at most, the highest or the lowest one first. */
static inline uint64_t bytes_be(struct bytes *bytes, size_t len)
{
	const uint8_t *data = bytes_take(bytes, len);
	uint64_t number = 0;

	for (size_t i = 0; data && i < len; i++)
		number = number << 8 | data[i];
	return number;
}

static inline uint64_t bytes_le(struct bytes *bytes, size_t len)
{
	const uint8_t *data = bytes_take(bytes, len);
	uint64_t number = 0;

	for (size_t i = len; data && i > 0; i--)
		number = number << 8 | data[i - 1];
	return number;
}

/* Seven bits in each byte, the lowest ones first, as long as the uppermost bit is set: 28 bits. */
static inline uint32_t bytes_varint(struct bytes *bytes)
{
	uint32_t number = 0;

	for (unsigned int shift = 0; shift < 28; shift += 7) {
		uint32_t byte = (uint32_t)bytes_be(bytes, 1);

		number |= (byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return number;
	}
	bytes_take(bytes, UINT64_MAX);
	return 0;
}

/*
 * Makes `to`, of `room` bytes, the text of the next `len` bytes. If not all of them are known, it
 * is what is known of it, and nothing is left. Bytes that no text has become '?'.
 */
static inline void bytes_text(struct bytes *bytes, uint64_t len, char *to, size_t room)
{
	size_t known = len < bytes_left(bytes) ? (size_t)len : bytes_left(bytes);

	protocol_text_put(to, room, bytes->at, known);
	for (; *to; to++)
		if ((uint8_t)*to < ' ')
			*to = '?';
	bytes_take(bytes, len);
}

#endif
