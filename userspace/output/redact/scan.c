/* SPDX-License-Identifier: MIT */
/*
 * Where a processor has a look-up of all bytes of a vector (AVX2; NEON, which all of that kind
 * have), the halves of each byte say which groups of pairs it can be of. Elsewhere each pair is
 * compared, with vectors of the compiler.
 */
#include "output/redact/scan.h"

#include <stdbool.h>
#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#define LOOKUP_TARGET __attribute__((target("avx2")))
#define LOOKUP_BYTES 32
typedef __m256i lookup_vector;
#elif defined(__aarch64__)
#include <arm_neon.h>
#define LOOKUP_TARGET
#define LOOKUP_BYTES 16
typedef uint8x16_t lookup_vector;
#endif

enum { GROUPS = 8, CASE_BIT = 0x20 };

static scan_vector all_of(uint8_t byte)
{
	return (scan_vector){0} + byte;
}

/* Both cases of the byte are in the group. */
static void add_to_group(struct scan_groups *groups, uint8_t byte, uint8_t group)
{
	groups->low[byte & 15] |= group;
	groups->high[byte >> 4] |= group;
	groups->high[(byte & ~CASE_BIT) >> 4] |= group;
}

/* Pairs with the same first byte share one: fewer bytes seem to be of a pair then. */
static uint8_t scan_choose_group(struct scan *scan, uint8_t first)
{
	size_t number = scan->firsts;

	for (size_t i = 0; i < scan->count; i++)
		if (scan->first[i][0] == first)
			return scan->group[i];
	scan->firsts++;
	return (uint8_t)(1 << number % GROUPS);
}

void scan_add(struct scan *scan, const char *pair)
{
	uint16_t number = scan_pair(pair);
	uint8_t first = (uint8_t)(number >> 8), second = (uint8_t)number;
	uint8_t group = scan_choose_group(scan, first);

	for (size_t i = 0; i < scan->count; i++)
		if (scan->first[i][0] == first && scan->second[i][0] == second)
			return;
	scan->group[scan->count] = group;
	scan->first[scan->count] = all_of(first);
	scan->second[scan->count] = all_of(second);
	scan->count++;
	scan->added[number / 8] |= (uint8_t)(1 << number % 8);
	add_to_group(&scan->groups[0], first, group);
	add_to_group(&scan->groups[1], second, group);
}

/* All bits of each byte at which a pair begins. `bytes`: one more than the vector has. */
static scan_vector scan_match(const struct scan *scan, const char *bytes)
{
	scan_vector first, second, found = {0};

	memcpy(&first, bytes, sizeof(first));
	memcpy(&second, bytes + 1, sizeof(second));
	first |= all_of(CASE_BIT);
	second |= all_of(CASE_BIT);
	for (size_t i = 0; i < scan->count; i++)
		found |= (scan_vector)((first == scan->first[i]) & (second == scan->second[i]));
	return found;
}

/* The first byte that is not 0, or SCAN_BYTES. */
static size_t scan_first_of(const scan_vector *found)
{
	uint64_t halves[2];

	memcpy(halves, found, sizeof(halves));
	if ((halves[0] | halves[1]) == 0)
		return SCAN_BYTES;
	for (size_t i = 0;; i++)
		if ((*found)[i])
			return i;
}

size_t scan_find_plain(const struct scan *scan, const char *text, size_t len, size_t from)
{
	char rest[SCAN_BYTES + 1] = "";
	scan_vector found;
	size_t at = from, i;

	for (; at + sizeof(rest) <= len; at += SCAN_BYTES) {
		found = scan_match(scan, text + at);
		i = scan_first_of(&found);
		if (i < SCAN_BYTES)
			return at + i;
	}
	if (at >= len)
		return len;
	memcpy(rest, text + at, len - at);
	found = scan_match(scan, rest);
	i = scan_first_of(&found);
	return at + i < len ? at + i : len;
}

/* Whether a byte is of a run. */
static bool scan_is_of_run(char byte)
{
	return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
	       (byte >= '0' && byte <= '9') || byte == '_' || byte == '-' || byte == '.' ||
	       byte == '~';
}

size_t scan_run_plain(const char *text, size_t len, size_t from, size_t *end)
{
	while (from < len) {
		size_t to = from;

		while (to < len && scan_is_of_run(text[to]))
			to++;
		if (to - from >= SCAN_RUN_LEAST) {
			*end = to;
			return from;
		}
		from = to + 1;
	}
	return len;
}

#ifdef LOOKUP_BYTES
/* The groups that each byte can be of. */
#if defined(__x86_64__)
LOOKUP_TARGET static inline lookup_vector scan_look_up(const struct scan_groups *groups,
						       const char *bytes)
{
	const __m256i half = _mm256_set1_epi8(15);
	__m256i low = _mm256_broadcastsi128_si256(_mm_loadu_si128((const void *)groups->low));
	__m256i high = _mm256_broadcastsi128_si256(_mm_loadu_si128((const void *)groups->high));
	__m256i at = _mm256_loadu_si256((const void *)bytes);

	low = _mm256_shuffle_epi8(low, _mm256_and_si256(at, half));
	high = _mm256_shuffle_epi8(high, _mm256_and_si256(_mm256_srli_epi16(at, 4), half));
	return _mm256_and_si256(low, high);
}

LOOKUP_TARGET static inline uint32_t scan_both(lookup_vector first, lookup_vector second)
{
	__m256i none = _mm256_cmpeq_epi8(_mm256_and_si256(first, second), _mm256_setzero_si256());

	return ~(uint32_t)_mm256_movemask_epi8(none);
}

static bool can_look_up(void)
{
	return __builtin_cpu_supports("avx2");
}
#else
static inline lookup_vector scan_look_up(const struct scan_groups *groups, const char *bytes)
{
	uint8x16_t at = vld1q_u8((const uint8_t *)bytes);
	uint8x16_t low = vqtbl1q_u8(vld1q_u8(groups->low), vandq_u8(at, vdupq_n_u8(15)));

	return vandq_u8(low, vqtbl1q_u8(vld1q_u8(groups->high), vshrq_n_u8(at, 4)));
}

static inline uint32_t scan_both(lookup_vector first, lookup_vector second)
{
	static const uint8_t bits[] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
	uint8x16_t found = vandq_u8(vtstq_u8(first, second), vld1q_u8(bits));

	return (uint32_t)vaddv_u8(vget_low_u8(found)) | (uint32_t)vaddv_u8(vget_high_u8(found))
								<< 8;
}

static bool can_look_up(void)
{
	return true;
}
#endif

/* Groups hold more pairs than were added. */
static bool is_added(const struct scan *scan, const char *pair)
{
	uint16_t number = scan_pair(pair);

	return scan->added[number / 8] >> number % 8 & 1;
}

/* A bit for each byte at which a pair of one of the groups begins; `bytes`: one more. */
LOOKUP_TARGET static inline uint32_t find_groups(const struct scan *scan, const char *bytes)
{
	return scan_both(scan_look_up(&scan->groups[0], bytes),
			 scan_look_up(&scan->groups[1], bytes + 1));
}

/* `len` is more than LOOKUP_BYTES. The last vectors may overlap. */
LOOKUP_TARGET static size_t find_by_lookup(const struct scan *scan, const char *text, size_t len,
					   size_t from)
{
	const size_t last = len - LOOKUP_BYTES - 1;

	for (size_t at = from; at + 1 < len; at += LOOKUP_BYTES) {
		size_t begin = at < last ? at : last;
		uint32_t found = find_groups(scan, text + begin);

		for (; found; found &= found - 1) {
			size_t i = begin + (size_t)__builtin_ctz(found);

			if (i >= from && is_added(scan, text + i))
				return i;
		}
	}
	return len;
}

/* Of a text that is not longer than a vector. */
LOOKUP_TARGET static size_t find_in_short(const struct scan *scan, const char *text, size_t len,
					  size_t from)
{
	char padded[LOOKUP_BYTES + 2] = "";
	size_t found;

	memcpy(padded, text, len);
	found = find_by_lookup(scan, padded, sizeof(padded), from);
	return found + 1 < len ? found : len;
}

/* The bytes of runs: a bit for those of each upper half of a byte. */
static const struct scan_groups run_groups = {
	.low = {2 | 8, 2 | 4 | 8, 2 | 4 | 8, 2 | 4 | 8, 2 | 4 | 8, 2 | 4 | 8, 2 | 4 | 8, 2 | 4 | 8,
		2 | 4 | 8, 2 | 4 | 8, 4 | 8, 4, 4, 1 | 4, 1 | 4 | 16, 4 | 32},
	.high = {[2] = 1, [3] = 2, [4] = 4, [5] = 8 | 32, [6] = 4, [7] = 8 | 16},
};

/* A bit for each byte that is of a run. */
LOOKUP_TARGET static inline uint32_t find_of_run(const char *bytes)
{
	lookup_vector groups = scan_look_up(&run_groups, bytes);

	return scan_both(groups, groups);
}

/* The lowest bit that begins SCAN_RUN_LEAST of them, or 64. */
static size_t scan_first_of_row(uint64_t bits)
{
	for (unsigned int shift = 1; shift < SCAN_RUN_LEAST; shift *= 2)
		bits &= bits >> shift;
	return bits ? (size_t)__builtin_ctzll(bits) : 64;
}

/*
 * Of two vectors at a time, since a run may begin in the first and go on in the second. The bits of
 * the one before are those of bytes that are not there when the search begins.
 */
LOOKUP_TARGET static size_t find_run_by_lookup(const char *text, size_t len, size_t from,
					       size_t *end)
{
	char rest[LOOKUP_BYTES];
	uint64_t before = 0;

	for (size_t at = from; at < len; at += LOOKUP_BYTES) {
		const char *bytes = text + at;
		uint64_t bits;
		size_t first;

		if (len - at < LOOKUP_BYTES) {
			memset(rest, 0, sizeof(rest));
			memcpy(rest, bytes, len - at);
			bytes = rest;
		}
		bits = find_of_run(bytes);
		first = scan_first_of_row(before | bits << LOOKUP_BYTES);
		before = bits;
		if (first == 64)
			continue;
		first += at - LOOKUP_BYTES;
		*end = first + SCAN_RUN_LEAST;
		while (*end < len && scan_is_of_run(text[*end]))
			++*end;
		return first;
	}
	return len;
}

/* The bytes "@" and "?". */
static const struct scan_groups mark_groups = {
	.low = {[0] = 1, [15] = 2},
	.high = {[3] = 2, [4] = 1},
};

/* Whether one of the pairs begins at one of the bytes that have a bit. */
static bool scan_has_pair(const struct scan *scan, const char *bytes, uint32_t found)
{
	for (; found; found &= found - 1)
		if (is_added(scan, bytes + __builtin_ctz(found)))
			return true;
	return false;
}

/* Of the bytes of a vector, and one more. before: the bits of runs of the vector before. */
LOOKUP_TARGET static inline unsigned int scan_step(const struct scan *scan, const char *bytes,
						   unsigned int known, uint64_t *before)
{
	lookup_vector marks = scan_look_up(&mark_groups, bytes);
	uint64_t runs = find_of_run(bytes);

	if (scan_both(marks, marks))
		known |= SCAN_MARKS;
	if (scan_first_of_row(*before | runs << LOOKUP_BYTES) < 64)
		known |= SCAN_RUNS;
	*before = runs;
	if (!(known & SCAN_WORDS) && scan_has_pair(scan, bytes, find_groups(scan, bytes)))
		known |= SCAN_WORDS;
	return known;
}

LOOKUP_TARGET static unsigned int scan_kinds_by_lookup(const struct scan *scan, const char *text,
						       size_t len)
{
	const size_t last = len ? (len - 1) / LOOKUP_BYTES * LOOKUP_BYTES : 0;
	char rest[LOOKUP_BYTES + 1];
	unsigned int known = 0;
	uint64_t before = 0;

	memset(rest, 0, sizeof(rest));
	memcpy(rest, text + last, len - last);
	for (size_t at = 0; at <= last; at += LOOKUP_BYTES)
		known = scan_step(scan, at < last ? text + at : rest, known, &before);
	return known;
}
#endif

unsigned int scan_kinds(const struct scan *scan, const char *text, size_t len)
{
#ifdef LOOKUP_BYTES
	if (can_look_up())
		return scan_kinds_by_lookup(scan, text, len);
#endif
	return SCAN_WORDS | SCAN_MARKS | SCAN_RUNS;
}

size_t scan_find(const struct scan *scan, const char *text, size_t len, size_t from)
{
#ifdef LOOKUP_BYTES
	if (can_look_up())
		return len > LOOKUP_BYTES ? find_by_lookup(scan, text, len, from)
					  : find_in_short(scan, text, len, from);
#endif
	return scan_find_plain(scan, text, len, from);
}

size_t scan_run(const char *text, size_t len, size_t from, size_t *end)
{
#ifdef LOOKUP_BYTES
	if (can_look_up())
		return find_run_by_lookup(text, len, from, end);
#endif
	return scan_run_plain(text, len, from, end);
}
