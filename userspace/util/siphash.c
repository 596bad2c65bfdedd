/* SPDX-License-Identifier: MIT */
/* After "SipHash: a fast short-input PRF" (2012), section 2. */
#include "util/siphash.h"

#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "words are read as they are");

struct state {
	uint64_t v0, v1, v2, v3;
};

static uint64_t rotate(uint64_t value, unsigned int bits)
{
	return value << bits | value >> (64 - bits);
}

static void mix(struct state *s, unsigned int rounds)
{
	while (rounds--) {
		s->v0 += s->v1;
		s->v2 += s->v3;
		s->v1 = rotate(s->v1, 13) ^ s->v0;
		s->v3 = rotate(s->v3, 16) ^ s->v2;
		s->v0 = rotate(s->v0, 32);
		s->v2 += s->v1;
		s->v0 += s->v3;
		s->v1 = rotate(s->v1, 17) ^ s->v2;
		s->v3 = rotate(s->v3, 21) ^ s->v0;
		s->v2 = rotate(s->v2, 32);
	}
}

static void add(struct state *s, uint64_t word)
{
	s->v3 ^= word;
	mix(s, 2);
	s->v0 ^= word;
}

uint64_t siphash(const struct siphash_key *key, const void *data, size_t len)
{
	struct state s = {key->parts[0] ^ 0x736f6d6570736575, key->parts[1] ^ 0x646f72616e646f6d,
			  key->parts[0] ^ 0x6c7967656e657261, key->parts[1] ^ 0x7465646279746573};
	const char *bytes = data;
	uint64_t word;
	size_t at = 0;

	for (; at + sizeof(word) <= len; at += sizeof(word)) {
		memcpy(&word, bytes + at, sizeof(word));
		add(&s, word);
	}
	word = 0;
	memcpy(&word, bytes + at, len - at);
	add(&s, word | (uint64_t)len << 56);
	s.v2 ^= 0xff;
	mix(&s, 4);
	return s.v0 ^ s.v1 ^ s.v2 ^ s.v3;
}
