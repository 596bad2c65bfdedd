/* SPDX-License-Identifier: MIT */
/*
 * Who holds how much memory, such as tables of descriptors and the control groups that they are of.
 * When memory runs short, one of those that hold most is found at once, so that nobody loses
 * anything because of what others hold.
 */
#ifndef UTIL_HOLDERS_H
#define UTIL_HOLDERS_H

#include <stdint.h>

enum {
	HOLDER_UNIT_BYTES = 32,
	HOLDER_UNITS_MIN = 32, /* who holds less is never asked to give something back */
	HOLDER_CLASSES = 32,
};

struct holder {
	struct holder *next, *before; /* of the same class, in a ring; NULL: in none */
	uint64_t units;
	uint32_t class; /* one for each doubling */
};

/* A zeroed struct is without holders. */
struct holders {
	struct holder *of[HOLDER_CLASSES]; /* whose turn it is, of each class */
	uint32_t classes; /* bits: those with a holder */
};

/* Holders that belong together and are one to others: the tables of a container. */
struct holder_group {
	struct holder holder; /* first: a pointer to it is one to its group */
	struct holders members;
	uint32_t refs;
};

/* For holder_add(): puts the holder into its class. */
void holder_move(struct holders *among, struct holder *holder, uint32_t class);

/* Changes what a holder holds, by a number of units that may be negative. */
static inline void holder_add(struct holders *among, struct holder *holder, int64_t units)
{
	uint32_t class;

	holder->units += (uint64_t)units;
	class = holder->units < HOLDER_UNITS_MIN ? 0
						 : 63 - (uint32_t)__builtin_clzll(holder->units);
	if (class != holder->class)
		holder_move(among, holder, class);
}

/* One of those that hold most, another one each time, or NULL. */
struct holder *holders_largest(struct holders *among);

/* A group with one reference, or NULL if out of memory. */
struct holder_group *holder_group_create(void);
void holder_group_unref(struct holder_group *group); /* accepts NULL */

#endif
