/* SPDX-License-Identifier: MIT */
/*
 * SipHash-2-4 of Aumasson and Bernstein: a hash of 64 bits with a secret key, so that nobody can
 * choose texts that have the same one.
 */
#ifndef UTIL_SIPHASH_H
#define UTIL_SIPHASH_H

#include <stddef.h>
#include <stdint.h>

struct siphash_key {
	uint64_t parts[2];
};

uint64_t siphash(const struct siphash_key *key, const void *data, size_t len);

#endif
