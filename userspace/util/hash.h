/* SPDX-License-Identifier: MIT */
/* Hashes for tables in memory; not for keys that an attacker can choose. */
#ifndef UTIL_HASH_H
#define UTIL_HASH_H

#include <stddef.h>
#include <stdint.h>

static inline uint32_t hash_bytes(const void *data, size_t len)
{
	const unsigned char *bytes = data;
	uint32_t hash = 2166136261u;

	for (size_t i = 0; i < len; i++)
		hash = (hash ^ bytes[i]) * 16777619u;
	return hash ^ hash >> 15;
}

#endif
