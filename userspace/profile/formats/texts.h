/* SPDX-License-Identifier: MIT */
/* Texts, each once, by numbers: for outputs that name them so. Any bytes but NUL. */
#ifndef PROFILE_FORMATS_TEXTS_H
#define PROFILE_FORMATS_TEXTS_H

#include <stddef.h>
#include <stdint.h>

#include "util/buf.h"
#include "util/hash.h"

enum { TEXTS_BYTES_MAX = 256 << 20 };

struct texts {
	uint32_t *places; /* where each is in the bytes */
	size_t count;
	struct buf bytes; /* each ends with a NUL */
	/* Of its own. */
	size_t capacity, table_count;
	uint32_t *table; /* by hash, a power of two */
	struct hash_key key;
};

int texts_init(struct texts *texts); /* Returns 0 or -ENOMEM */
void texts_finish(struct texts *texts);

/* Sets the number of a text, which is added if it is new. Returns 0; -ENOMEM; -E2BIG: no room. */
int texts_add(struct texts *texts, const char *text, size_t len, uint32_t *number);

/* Valid until one is added. */
static inline const char *texts_at(const struct texts *texts, uint32_t number)
{
	return texts->bytes.data + texts->places[number];
}

#endif
