/* SPDX-License-Identifier: MIT */
/*
 * The option -S: the number of events of each call, process and descriptor, counted in tables of a
 * fixed size.
 */
#ifndef AGENT_RUN_SUMMARY_H
#define AGENT_RUN_SUMMARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/buf.h"

/* Counts by number and name, in memory that is allocated once. */

enum { TALLY_NAME_BYTES = 104 };

struct summary_tally_count {
	uint64_t events;
	uint64_t failed; /* of these, calls that ended in an error */
};

struct summary_tally_row {
	struct summary_tally_count count; /* without events: the row is free */
	int64_t number;
	uint32_t hash;
	uint16_t len;
	char name[TALLY_NAME_BYTES]; /* without NUL; a longer name is truncated */
};

struct summary_tally {
	struct summary_tally_row *rows; /* owned; a hash table */
	size_t size; /* a power of two */
	size_t used;
	struct summary_tally_count rest; /* of keys that did not fit */
};

/* Returns 0 or -ENOMEM. */
int summary_tally_init(struct summary_tally *tally, size_t size);
void summary_tally_finish(struct summary_tally *tally);

/* Counts an event of a number. name: printed with it, no part of the key; the last one is kept. */
void summary_tally_count_number(struct summary_tally *tally, int64_t number, const char *name,
				size_t len, bool failed);

/*
 * Counts an event of a number and a name. Names that differ only after the maximum length may count
 * as one.
 */
void summary_tally_count_name(struct summary_tally *tally, int64_t number, const char *name,
			      size_t len, bool failed);

static inline void summary_tally_add(struct summary_tally_count *count, bool failed)
{
	count->events++;
	count->failed += failed;
}

/*
 * The option -S: the number of events of each call, process and descriptor. The tables have a fixed
 * size; events that do not fit are counted in sum.
 */

struct state_event;
struct summary;

/* Returns 0 or -ENOMEM. */
int summary_create(struct summary **summary);
void summary_destroy(struct summary *summary); /* accepts NULL */

/* Counts an event that passed. */
void summary_count(struct summary *summary, const struct state_event *event);

/*
 * Appends the tables, most frequent first: all calls, and the SUMMARY_TOP first processes and
 * descriptors, or all of these if `all`.
 */
enum { SUMMARY_TOP = 20 };
void summary_append(const struct summary *summary, bool all, struct buf *text);

#endif
