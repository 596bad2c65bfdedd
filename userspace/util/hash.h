/* SPDX-License-Identifier: MIT */
/*
 * Hashes: for tables in memory, with a secret key for keys that an attacker can choose (SipHash),
 * and to find damage (CRC-32C).
 */
#ifndef UTIL_HASH_H
#define UTIL_HASH_H

#include <stddef.h>
#include <stdint.h>

/* Hashes for tables in memory; not for keys that an attacker can choose. */

static inline uint32_t hash_bytes(const void *data, size_t len)
{
	const unsigned char *bytes = data;
	uint32_t hash = 2166136261u;

	for (size_t i = 0; i < len; i++)
		hash = (hash ^ bytes[i]) * 16777619u;
	return hash ^ hash >> 15;
}

/*
 * SipHash-2-4 of Aumasson and Bernstein: a hash of 64 bits with a secret key, so that nobody can
 * choose texts that have the same one.
 */

struct hash_key {
	uint64_t parts[2];
};

uint64_t hash_sip(const struct hash_key *key, const void *data, size_t len);

/* CRC-32C (Castagnoli), with the instruction of the processor where there is one. */

/* The checksum of bytes that follow those of the checksum `crc`; 0: none. */
uint32_t hash_crc32c(uint32_t crc, const void *bytes, size_t len);

/* Does it without that instruction: what others compute must equal it. */
uint32_t hash_crc32c_plain(uint32_t crc, const void *bytes, size_t len);

#endif
