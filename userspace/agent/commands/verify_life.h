/* SPDX-License-Identifier: MIT */
/*
 * What arrived of one life of an output: its numbers, and what drop records say of those that did
 * not arrive.
 */
#ifndef AGENT_COMMANDS_VERIFY_LIFE_H
#define AGENT_COMMANDS_VERIFY_LIFE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agent/commands/verify_ranges.h"
#include "util/buf.h"

/* A record as far as it matters here. Texts are borrowed. */
struct verify_record {
	const char *id; /* NULL: the record has none */
	size_t stream_len; /* the id begins with that of the life */
	bool is_drop, redelivered;
	uint64_t number; /* of a record that is no drop record */
	/*
	 * Of a drop record. from: 0: what was lost had no numbers. count: 0: nobody knows; then it
	 * was behind the number `after`.
	 */
	uint64_t from, to, count, after;
	const char *cause;
};

struct life_cause {
	char *text; /* owned */
	uint64_t count, unnumbered;
	uint64_t unknown; /* drop records without a count */
};

struct life {
	struct life *next;
	char *stream; /* owned */
	struct ranges seen;
	struct ranges said; /* missing by drop records */
	uint64_t records;
	uint64_t redelivered; /* of these, marked */
	uint64_t repeated; /* seen before, and not marked */
	uint64_t dropped; /* numbers that drop records say are missing */
	struct life_cause *causes; /* owned */
	size_t causes_count;
	void *drops; /* owned: a tree of the ids of drop records, for tsearch(3) */
};

/* The lives in the order of their first records; zeroed: none. */
struct lives {
	struct life *first, *last_used;
};

void lives_finish(struct lives *lives);

/* Adds a record. Returns 0 or -ENOMEM. */
int lives_add(struct lives *lives, const struct verify_record *record);

/* Appends what arrived and what is missing; returns whether all that is missing is said. */
bool life_append_report(const struct life *life, struct buf *text);

#endif
