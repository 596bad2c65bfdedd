/* SPDX-License-Identifier: MIT */
/* Decompression of the formats that a capture file can be compressed with. No I/O. */
#ifndef SCAP_FILE_CODEC_H
#define SCAP_FILE_CODEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Input bytes that are left, or output space that is left. */
struct codec_span {
	uint8_t *at;
	size_t left;
};

struct codec {
	const char *name;
	/* Whether a file that begins with these bytes, 4 or more, is of this format. */
	bool (*knows)(const uint8_t *bytes);
	void *(*create)(void); /* NULL: out of memory */
	/*
	 * Decompresses until `in` or `out` is exhausted. Concatenated files count as one. Returns
	 * NULL, or a message about corrupt input; the data before it is in `out`.
	 */
	const char *(*run)(void *state, struct codec_span *in, struct codec_span *out);
	bool (*is_whole)(const void *state); /* the input may end here */
	void (*destroy)(void *state);
};

/* The format of a file that begins with these bytes; NULL: not compressed. */
const struct codec *codec_find(const uint8_t *bytes, size_t len);

#endif
