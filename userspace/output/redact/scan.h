/* SPDX-License-Identifier: MIT */
/*
 * Finds the places of pairs of bytes in a text, 16 or 32 bytes at a time. Letters of both cases are
 * the same; a place may also be of a pair that differs in the bit that makes letters small.
 */
#ifndef OUTPUT_REDACT_SCAN_H
#define OUTPUT_REDACT_SCAN_H

#include <stddef.h>
#include <stdint.h>

enum { SCAN_BYTES = 16, SCAN_PAIRS_MAX = 24 };

typedef uint8_t scan_vector __attribute__((vector_size(SCAN_BYTES)));

/* For each half of a byte, a bit for each group of pairs that the byte can be of. */
struct scan_groups {
	uint8_t low[16], high[16];
};

struct scan {
	scan_vector first[SCAN_PAIRS_MAX], second[SCAN_PAIRS_MAX];
	size_t count;
	struct scan_groups groups[2]; /* of the first byte and of the second */
	uint8_t added[(UINT16_MAX + 1) / 8]; /* a bit for each pair */
};

/* A pair as a number: the same for letters of both cases. */
static inline uint16_t scan_pair(const char *bytes)
{
	return (uint16_t)((uint8_t)(bytes[0] | 0x20) << 8 | (uint8_t)(bytes[1] | 0x20));
}

/* Adds the pair, unless it is there. */
void scan_add(struct scan *scan, const char *pair);

/* The first place from `from` on; `len` if there is none. */
size_t scan_find(const struct scan *scan, const char *text, size_t len, size_t from);

/* The same, on processors that cannot look up all bytes of a vector in a table at once. */
size_t scan_find_plain(const struct scan *scan, const char *text, size_t len, size_t from);

#endif
