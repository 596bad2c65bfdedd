/* SPDX-License-Identifier: MIT */
/*
 * What is inlined at places of files, kept from one set to the next: debugging information is read
 * again only for places that were not there before, and only as fast as CPU time for it comes in.
 */
#ifndef PROFILE_NAMES_KEPT_INLINES_H
#define PROFILE_NAMES_KEPT_INLINES_H

#include "profile/stacks.h"
#include "scap/symbols/symbol_inlines.h"
#include "util/hash.h"

enum {
	KEPT_INLINES_FILES_MAX = 256,
	KEPT_INLINES_BYTES_MAX = 32 << 20, /* of all files */
	KEPT_INLINES_PLACES_MAX = 1 << 16, /* of a file; with more, those of the set alone */
	KEPT_INLINES_OWNERS_MAX = 512, /* at a time; files of others are not read */
	KEPT_INLINES_BARE = 1 << 12, /* files that are known to have no debugging information */
};

/* CPU time that an owner has not used yet is no more than that. */
#define KEPT_INLINES_CREDIT_NS INT64_C(2000000000)

struct kept_inlined {
	uint32_t major, minor;
	uint64_t ino, ctime_ns;
	int error; /* 0 or -errno: why not all is known */
	bool is_cut; /* it was not read to its end */
	bool lacks; /* places of the last call were not sought, or not in all of it */
	uint16_t owner; /* kept_inlines.owners */
	uint64_t used_ns; /* monotonic clock */
	uint64_t wants_ns; /* CPU time without which it is not read again */
	uint64_t *places; /* owned: offsets in the file, in their order */
	size_t count, bytes;
	struct symbol_inlines inlines; /* of these places */
};

/* Whose files are read: each has the same share of the time, and of places no more than are left.
 */
struct kept_owner {
	uint64_t id; /* a hash; 0: a free place */
	uint64_t used_ns; /* monotonic clock */
	int64_t credit_ns; /* CPU time that there is; below 0: a file took more */
	uint64_t credited_ns; /* what came in until then (monotonic clock) */
	size_t files, bytes;
};

/* Zeroed: it has none, and nothing can be asked for. */
struct kept_inlines {
	struct kept_inlined *kept; /* owned */
	size_t count, bytes;
	struct kept_owner *owners; /* owned */
	size_t owner; /* that of the next calls; KEPT_INLINES_OWNERS_MAX: there was no room */
	uint64_t *bare; /* owned: hashes of files, by the hash */
	uint64_t stays_ns; /* what was not used for so long gives way */
	uint64_t seconds; /* from one set to the next */
	uint64_t ns_each_s; /* CPU time that comes in each second, for all */
	struct hash_key key;
	struct kept_inlined none, without; /* of files without a place; without information */
};

/*
 * CPU time comes in from then on; `seconds`: about, from one set to the next. An owner begins with
 * that of as many. Returns 0 or -ENOMEM.
 */
int kept_inlines_begin(struct kept_inlines *all, uint64_t ns_each_s, uint64_t seconds);

/* Whose files are asked for next: any text. */
void kept_inlines_own(struct kept_inlines *all, const char *owner);

/*
 * What is known of places of a file, which are in their order, after it was read if that can be:
 * `limit` ends that, too. Valid until the next call. NULL: out of memory.
 */
const struct kept_inlined *kept_inlines_get(struct kept_inlines *all, const struct stack_file *file,
					    int debug, const uint64_t *places, size_t count,
					    const struct symbol_inlines_limit *limit);

void kept_inlines_finish(struct kept_inlines *all);

#endif
