/* SPDX-License-Identifier: MIT */
/*
 * Finds the places of pairs of bytes in a text, 16 or 32 bytes at a time, and of long runs of
 * letters and digits. Letters of both cases are the same; a place may also be of a pair that
 * differs in the bit that makes letters small.
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
	uint8_t group[SCAN_PAIRS_MAX]; /* a bit: see groups */
	size_t count;
	struct scan_groups groups[2]; /* of the first byte and of the second */
	size_t firsts; /* how many first bytes there are: pairs with the same one share a group */
	uint8_t added[(UINT16_MAX + 1) / 8]; /* a bit for each pair */
};

/* A pair as a number: the same for letters of both cases. */
static inline uint16_t scan_pair(const char *bytes)
{
	return (uint16_t)((uint8_t)(bytes[0] | 0x20) << 8 | (uint8_t)(bytes[1] | 0x20));
}

/* Adds the pair, unless it is there. */
void scan_add(struct scan *scan, const char *pair);

/* What a text may have; of what it does not have nothing is found by the functions below. */
enum scan_kind {
	SCAN_WORDS = 1 << 0, /* pairs */
	SCAN_MARKS = 1 << 1, /* "@" or "?" */
	SCAN_RUNS = 1 << 2,
};

/* Looks for all of them at once: most texts have none. */
unsigned int scan_kinds(const struct scan *scan, const char *text, size_t len);

/* The first place from `from` on; `len` if there is none. */
size_t scan_find(const struct scan *scan, const char *text, size_t len, size_t from);

/* Finds that on processors that cannot look up all bytes of a vector in a table at once. */
size_t scan_find_plain(const struct scan *scan, const char *text, size_t len, size_t from);

/*
 * The next run of SCAN_RUN_LEAST or more letters, digits and "_-.~" from `from` on, which is in no
 * such run or begins one. Returns where it begins, and sets where it ends; `len`: there is none.
 */
enum { SCAN_RUN_LEAST = 16 };
size_t scan_run(const char *text, size_t len, size_t from, size_t *end);
size_t scan_run_plain(const char *text, size_t len, size_t from, size_t *end); /* see above */

#endif
