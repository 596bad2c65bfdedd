/* SPDX-License-Identifier: MIT */
/*
 * The names of the frames of a set of stacks: each place once, with the functions that are there.
 * Texts are what files of other users have, any bytes but NUL.
 */
#ifndef PROFILE_NAMES_NAMES_H
#define PROFILE_NAMES_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/stacks.h"
#include "util/buf.h"
#include "util/hash.h"

enum {
	NAMES_LOCATIONS_MAX = 1 << 20, /* more have no name */
	NAMES_INLINED_MAX = 1 << 22, /* functions at all locations */
	NAMES_TEXTS_BYTES_MAX = 256 << 20, /* likewise */
};

enum names_kind {
	NAMES_KERNEL,
	NAMES_NATIVE, /* of a file */
	NAMES_INLINED, /* likewise, which the compiler has inlined in another one */
	NAMES_JIT, /* of a JIT compiler */
	NAMES_UNKNOWN, /* the name is that of the file: "[libc.so.6]" */
};

/* Why places have no name. */
enum names_lack {
	NAMES_FOUND,
	NAMES_KERNEL_HIDDEN, /* the kernel does not show its addresses */
	NAMES_NOT_OPEN, /* the file could not be opened: it was deleted, or its process had ended */
	NAMES_NO_SYMBOLS, /* the file has none, nor has it a separate one */
	NAMES_NO_SYMBOL, /* none is there */
	NAMES_DAMAGED,
	NAMES_TOO_LARGE,
	NAMES_NO_MAP, /* no map of the JIT compiler was found, or it was not the user's own */
	NAMES_TOO_MANY, /* places, or there was no memory */
	NAMES_GIVEN_UP, /* it took too long: see namer_limit() */
	NAMES_NO_ROOM, /* the process, or the file, has as much of them as it may, or all have */
	NAMES_LACKS,
};

struct names_function {
	uint32_t name, raw; /* texts: as it is shown, and as the file has it */
	uint8_t kind; /* enum names_kind */
};

struct names_location {
	uint64_t at; /* as in struct stack_frame */
	uint32_t file; /* stacks.files */
	uint32_t process; /* stacks.processes, if the file is STACK_ANONYMOUS; else UINT32_MAX */
	uint32_t function;
	/* What is inlined in it there: names.inlined, the innermost first. */
	uint32_t inlined, inlined_count;
	uint8_t lack; /* enum names_lack */
};

/* A zeroed struct has none. */
struct profile_names {
	struct names_location *locations;
	struct names_function *functions;
	uint32_t *inlined; /* functions */
	size_t locations_count, functions_count, inlined_count;
	struct buf texts; /* each ends with a NUL */
	uint64_t lacks[NAMES_LACKS]; /* how many locations */
	uint64_t inlined_lacks; /* files of which not all that is inlined is known */
	/* Of its own. */
	size_t locations_capacity, functions_capacity, inlined_capacity, places_count;
	uint32_t *places; /* a table of locations by hash, a power of two */
	struct hash_key key;
};

/*
 * Adds each place of the stacks, without names. Returns 0 or -ENOMEM; what is too much is counted.
 */
int names_add_places(struct profile_names *names, const struct stacks *stacks);

/* Adds a function, whose texts are copied, and sets its index. Returns 0; -ENOMEM; -E2BIG. */
int names_add_function(struct profile_names *names, enum names_kind kind, const char *name,
		       const char *raw, uint32_t *function);

/*
 * Adds a function to those that are inlined at a location: the next outer one, and no other
 * location may be between. Returns 0; -ENOMEM; -E2BIG.
 */
int names_add_inlined(struct profile_names *names, struct names_location *location,
		      uint32_t function);

/*
 * The place of a frame of a row, borrowed; NULL: there were too many. Without functions: of one
 * that was not named yet.
 */
const struct names_location *names_find(const struct profile_names *names,
					const struct stacks *stacks, uint32_t process,
					const struct stack_frame *frame);

/*
 * Takes their names from functions of a kind, and from all with NAMES_UNKNOWN, as they have no room
 * in what is written. The first function must be the one that stands for what has no name.
 */
void names_forget(struct profile_names *names, enum names_kind kind);

/* A text by its index, valid until one is added. */
const char *names_text(const struct profile_names *names, uint32_t text);

/* What to say of a cause: "the file has no symbols". */
const char *names_lack_text(enum names_lack lack);

void names_finish(struct profile_names *names);

#endif
