/* SPDX-License-Identifier: MIT */
/* A set of numbers as ranges, which mostly grows at its end. */
#ifndef AGENT_COMMANDS_VERIFY_RANGES_H
#define AGENT_COMMANDS_VERIFY_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct range {
	uint64_t from, to; /* both included */
};

/* Zeroed: empty. */
struct ranges {
	struct range *list; /* owned; in order, with a hole after each */
	size_t count, capacity;
};

void ranges_finish(struct ranges *ranges);

/* Adds all numbers of a range. Returns 0 or -ENOMEM. */
int ranges_add(struct ranges *ranges, uint64_t from, uint64_t to);

bool ranges_have(const struct ranges *ranges, uint64_t number);

/* How many numbers there are. */
uint64_t ranges_total(const struct ranges *ranges);

/*
 * The first range of numbers from `from` up to `to` that are in neither set. Returns false if there
 * is none.
 */
bool ranges_find_hole(const struct ranges *a, const struct ranges *b, uint64_t from, uint64_t to,
		      struct range *hole);

#endif
