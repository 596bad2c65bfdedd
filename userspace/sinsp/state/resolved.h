/* SPDX-License-Identifier: MIT */
/*
 * Names by answers of DNS: of which name an address was the answer, for who asked. What others
 * asked is not theirs, as the same address may have another name for them. Names come from outside:
 * only those that a host can have are kept. The memory is bounded: what was answered longest ago
 * gives way.
 */
#ifndef SINSP_STATE_RESOLVED_H
#define SINSP_STATE_RESOLVED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "scap/proc/fd.h"
#include "util/hash.h"
#include "util/pool.h"

enum {
	RESOLVED_MAX = 1 << 16, /* addresses, of all who ask */
	RESOLVED_NAME_MAX = 253, /* bytes of a name, without a NUL */
	/* A name is believed for so long at least: connections outlive what is valid for a minute.
	 */
	RESOLVED_LEAST_S = 3600,
};

struct resolved_entry;

/* A zeroed struct is empty. */
struct resolved {
	struct pool *pool; /* of the names; to be set */
	struct hash_key key; /* secret: who answers chooses the addresses */
	struct resolved_entry *entries; /* owned; NULL: nobody asked yet */
	uint64_t puts; /* answers so far */
	uint64_t names; /* now */
	uint64_t invalid; /* names that no host can have */
	uint64_t dropped; /* that gave way to others, or found no memory */
};

void resolved_finish(struct resolved *resolved);

/* Who asks: the whole id of a container; NULL: the processes of the host. */
struct resolved_scope {
	const char *container;
	size_t len;
};

/* An address of 4 or 16 bytes. */
struct resolved_address {
	const uint8_t *bytes;
	size_t len;
};

/* An answer: replaces an earlier one of the same address. `name` need not be that of a host. */
void resolved_put(struct resolved *resolved, const struct resolved_scope *scope,
		  const struct resolved_address *address, const char *name, uint64_t until_ns);

/* The name; NULL: it was no answer, or too long ago. Valid until the next answer. */
const char *resolved_name(const struct resolved *resolved, const struct resolved_scope *scope,
			  const struct resolved_address *address, uint64_t now_ns);

#endif
