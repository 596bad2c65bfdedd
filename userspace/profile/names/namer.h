/* SPDX-License-Identifier: MIT */
/*
 * Finds the names of a set of stacks: reads symbols of files, of the kernel and of JIT compilers,
 * and keeps some for the next set. It reads files that other users chose, and may take a while.
 */
#ifndef PROFILE_NAMES_NAMER_H
#define PROFILE_NAMES_NAMER_H

#include <stdbool.h>

#include "profile/names/names.h"
#include "profile/stacks.h"
#include "scap/symbols/symbol_table.h"

enum {
	NAMER_FILES_MAX = 256, /* whose symbols are kept */
	NAMER_BYTES_MAX = 256 << 20, /* of the symbols of all; those that were used last stay */
	/* Of the names of a set, which their authors make as long as they like. */
	NAMER_PROCESS_BYTES_MAX = 1 << 20, /* of a JIT compiler, by process */
	NAMER_FILE_BYTES_MAX = 8 << 20,
};

struct namer;

/* To find what is inlined takes no longer than this for a set: others' files decide how long. */
#define NAMER_INLINED_NS UINT64_C(10000000000)

/* Descriptors, or -1; the namer's once it is created. */
struct namer_sources {
	int proc; /* /proc of the machine */
	int kernel; /* its kallsyms */
	int debug; /* /usr/lib/debug/.build-id */
};

/* Returns 0 or -ENOMEM, with the descriptors still the caller's. */
int namer_create(const struct namer_sources *sources, struct namer **namer);
/* Of this machine; proc: borrowed. Returns 0 or -ENOMEM. */
int namer_create_here(int proc, struct namer **namer);
void namer_destroy(struct namer *namer); /* accepts NULL */

/*
 * While it runs `is_over` is asked, before each file and after some names: from when on it is true
 * what has no name yet gets none. NULL: it never is.
 */
void namer_limit(struct namer *namer, bool (*is_over)(void *context), void *context);

/*
 * Where the kernel's symbols were not read before, its names are asked for by `read`, which makes a
 * table of what is at these addresses and returns 0 or -errno; if it fails, all symbols are read.
 */
void namer_ask_kernel(struct namer *namer, int (*read)(const uint64_t *addresses, size_t count,
						       struct symbol_table *table));

/*
 * From then on functions that a compiler has inlined are found, too, where debugging information
 * has them. It is read anew for each set.
 */
void namer_find_inlined(struct namer *namer);

/*
 * The same, but what was read of a file is kept, and it is read again only for places that are new,
 * and as long as reading takes no more than so much CPU time each second: what is not used adds up
 * to KEPT_INLINES_CREDIT_NS. seconds: from one set to the next. Places whose time has not come have
 * no inlined functions yet. Returns 0 or -ENOMEM.
 */
int namer_keep_inlined(struct namer *namer, uint64_t ns_each_s, uint64_t seconds);

/* Whose set the next one is: owners have equal shares of that time, and of what is kept. */
void namer_own_inlined(struct namer *namer, const char *owner);

/*
 * Names each place of the stacks. `names` is zeroed, and is to be finished in every case; each of
 * its locations has a function unless it fails. Returns 0 or -ENOMEM.
 */
int namer_run(struct namer *namer, const struct stacks *stacks, struct profile_names *names);

#endif
