/* SPDX-License-Identifier: MIT */
/* SipHash-2-4 and CRC-32C. */
#include "util/hash.h"

#include <string.h>

/* After "SipHash: a fast short-input PRF" (2012), section 2. */

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "words are read as they are");

struct hash_state {
	uint64_t v0, v1, v2, v3;
};

static uint64_t hash_rotate(uint64_t value, unsigned int bits)
{
	return value << bits | value >> (64 - bits);
}

static void mix(struct hash_state *s, unsigned int rounds)
{
	while (rounds--) {
		s->v0 += s->v1;
		s->v2 += s->v3;
		s->v1 = hash_rotate(s->v1, 13) ^ s->v0;
		s->v3 = hash_rotate(s->v3, 16) ^ s->v2;
		s->v0 = hash_rotate(s->v0, 32);
		s->v2 += s->v1;
		s->v0 += s->v3;
		s->v1 = hash_rotate(s->v1, 17) ^ s->v2;
		s->v3 = hash_rotate(s->v3, 21) ^ s->v0;
		s->v2 = hash_rotate(s->v2, 32);
	}
}

static void hash_add(struct hash_state *s, uint64_t word)
{
	s->v3 ^= word;
	mix(s, 2);
	s->v0 ^= word;
}

uint64_t hash_sip(const struct hash_key *key, const void *data, size_t len)
{
	struct hash_state s = {
		key->parts[0] ^ 0x736f6d6570736575, key->parts[1] ^ 0x646f72616e646f6d,
		key->parts[0] ^ 0x6c7967656e657261, key->parts[1] ^ 0x7465646279746573};
	const char *bytes = data;
	uint64_t word;
	size_t at = 0;

	for (; at + sizeof(word) <= len; at += sizeof(word)) {
		memcpy(&word, bytes + at, sizeof(word));
		hash_add(&s, word);
	}
	word = 0;
	memcpy(&word, bytes + at, len - at);
	hash_add(&s, word | (uint64_t)len << 56);
	s.v2 ^= 0xff;
	mix(&s, 4);
	return s.v0 ^ s.v1 ^ s.v2 ^ s.v3;
}

/* CRC-32C by the instructions of x86 and ARM, and by a table. */

#if defined(__x86_64__)
#include <nmmintrin.h>
#define CRC_TARGET "sse4.2"
#define CRC_U8(crc, value) _mm_crc32_u8((uint32_t)(crc), value)
#define CRC_U64(crc, value) _mm_crc32_u64(crc, value)

static int has_instruction(void)
{
	return __builtin_cpu_supports("sse4.2");
}
#elif defined(__aarch64__)
#include <arm_acle.h>
#include <sys/auxv.h>
#define CRC_TARGET "+crc"
#define CRC_U8(crc, value) __crc32cb((uint32_t)(crc), value)
#define CRC_U64(crc, value) __crc32cd((uint32_t)(crc), value)

enum { HWCAP_HAS_CRC32 = 1 << 7 };

static int has_instruction(void)
{
	return (getauxval(AT_HWCAP) & HWCAP_HAS_CRC32) != 0;
}
#endif

/* The remainders of four bits: a small table, as few processors need it. */
static const uint32_t remainders[16] = {
	0x00000000, 0x105ec76f, 0x20bd8ede, 0x30e349b1, 0x417b1dbc, 0x5125dad3,
	0x61c69362, 0x7198540d, 0x82f63b78, 0x92a8fc17, 0xa24bb5a6, 0xb21572c9,
	0xc38d26c4, 0xd3d3e1ab, 0xe330a81a, 0xf36e6f75,
};

uint32_t hash_crc32c_plain(uint32_t crc, const void *bytes, size_t len)
{
	const uint8_t *at = bytes;

	crc = ~crc;
	for (size_t i = 0; i < len; i++) {
		crc ^= at[i];
		crc = crc >> 4 ^ remainders[crc & 15];
		crc = crc >> 4 ^ remainders[crc & 15];
	}
	return ~crc;
}

#ifdef CRC_TARGET
__attribute__((target(CRC_TARGET))) static uint32_t by_instruction(uint32_t start,
								   const uint8_t *at, size_t len)
{
	uint64_t crc = ~start, value;

	for (; len >= sizeof(value); at += sizeof(value), len -= sizeof(value)) {
		memcpy(&value, at, sizeof(value));
		crc = CRC_U64(crc, value);
	}
	for (; len; at++, len--)
		crc = CRC_U8(crc, *at);
	return ~(uint32_t)crc;
}
#endif

uint32_t hash_crc32c(uint32_t crc, const void *bytes, size_t len)
{
#ifdef CRC_TARGET
	if (has_instruction())
		return by_instruction(crc, bytes, len);
#endif
	return hash_crc32c_plain(crc, bytes, len);
}
