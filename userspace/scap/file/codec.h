/* SPDX-License-Identifier: MIT */
/* Compressed bytes to plain ones: the formats that a capture file can be packed in. No I/O. */
#ifndef SCAP_FILE_CODEC_H
#define SCAP_FILE_CODEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes still to be taken, or room still to be filled. */
struct codec_span {
	uint8_t *at;
	size_t left;
};

struct codec {
	const char *name;
	/* Whether a file that begins with these bytes, 4 or more, is of this format. */
	bool (*knows)(const uint8_t *bytes);
	void *(*create)(void); /* NULL: no memory */
	/*
	 * Unpacks from one to the other until one of them is at its end. Several files one behind
	 * the other are one. Returns NULL, or what is wrong; what came before that is in `out`.
	 */
	const char *(*run)(void *state, struct codec_span *in, struct codec_span *out);
	bool (*is_whole)(const void *state); /* the input may end here */
	void (*destroy)(void *state);
};

/* The format of a file that begins with these bytes; NULL: it is not packed. */
const struct codec *codec_find(const uint8_t *bytes, size_t len);

#endif
