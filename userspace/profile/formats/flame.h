/* SPDX-License-Identifier: MIT */
/*
 * Stacks with names, those that begin alike together: a tree, the process at its root. It comes
 * from a set of stacks or from a text of folded ones; two such profiles can be compared in it.
 * Names are any bytes but NUL; who prints them escapes them.
 */
#ifndef PROFILE_FORMATS_FLAME_H
#define PROFILE_FORMATS_FLAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/formats/texts.h"
#include "profile/names/names.h"
#include "profile/stacks.h"
#include "util/buf.h"
#include "util/error.h"
#include "util/hash.h"

enum {
	FLAME_NODES_MAX =
		1 << 20, /* what would be more is the value of the frame it is called by */
	FLAME_DEPTH_MAX = 1024, /* likewise */
};

enum flame_kind {
	FLAME_PROCESS, /* or a thread, or a container */
	FLAME_NATIVE,
	FLAME_INLINED, /* in the frame that it is called by */
	FLAME_KERNEL,
	FLAME_JIT,
	FLAME_UNKNOWN, /* code without a name */
	FLAME_MARK, /* no code: why frames are missing here */
	FLAME_WAIT, /* nor this: what the thread waited for; below it is who woke it */
	FLAME_KINDS,
};

/* Which of two profiles. */
enum flame_side { FLAME_NOW, FLAME_BEFORE, FLAME_SIDES };

struct flame_node {
	uint32_t parent, child, next; /* nodes: the first of its children; its sibling. 0: none */
	uint32_t text; /* flame.names */
	uint8_t kind; /* enum flame_kind */
	uint64_t self[FLAME_SIDES], total[FLAME_SIDES]; /* total: once it is completed */
};

enum flame_unit { FLAME_SAMPLES, FLAME_NS };

/* A zeroed struct has none. */
struct flame {
	struct flame_node *nodes; /* nodes[0] is the root, without a name */
	size_t nodes_count;
	struct texts names;
	enum flame_unit unit;
	bool has_before; /* two profiles are compared */
	uint64_t cut; /* frames that are not there, as there was no room */
	/* Of its own. */
	size_t nodes_capacity, places_count;
	uint32_t *places; /* of nodes, by hash, a power of two */
	struct hash_key key;
};

/* What frames are there beside those of the stacks. */
struct flame_options {
	bool threads; /* the name of the thread */
	bool containers; /* the name of the container */
	bool wakers; /* off CPU: who woke it, and where */
};

int flame_init(struct flame *flame); /* Returns 0 or -ENOMEM */
void flame_finish(struct flame *flame);

/*
 * Adds stacks. Samples are counted, or in a set that has time off CPU, all is in nanoseconds.
 * Returns 0 or -ENOMEM.
 */
int flame_add_stacks(struct flame *flame, enum flame_side side, const struct stacks *stacks,
		     const struct profile_names *names, const struct flame_options *options);

/*
 * Adds a text of folded stacks, as folded_write() writes it and other programs do: a line has names
 * with semicolons between them, and a number. Returns 0; -EBADMSG with a message that has the line;
 * -ENOMEM.
 */
int flame_add_folded(struct flame *flame, enum flame_side side, const char *text, size_t len,
		     struct error *err);

/* Sums up, and sorts siblings by their names: once, when all was added. Returns 0 or -ENOMEM. */
int flame_complete(struct flame *flame);

/*
 * The node behind one, the children of each first, or 0: it was the last one. `depth`, of the node,
 * becomes that of the next one; the root has 0.
 */
uint32_t flame_next(const struct flame *flame, uint32_t node, uint32_t *depth);

/* The name of a node; valid until a stack is added. */
const char *flame_name(const struct flame *flame, uint32_t node);

/* A value for readers: "123 samples", "1.25 s". */
void flame_append_value(const struct flame *flame, uint64_t value, struct buf *out);

/* A share in per cent, of two digits: "12.34 %". */
void flame_append_share(uint64_t value, uint64_t all, struct buf *out);

#endif
