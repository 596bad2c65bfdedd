/* SPDX-License-Identifier: MIT */
/*
 * Records that are no events. Drop records stand in the stream of an output in place of records
 * that are missing, so that a reader knows which, how many and why. An end record says that nothing
 * follows, so that a reader knows of what was cut off.
 */
#ifndef SINSP_FORMAT_DROP_H
#define SINSP_FORMAT_DROP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct schema;

/* How many of the missing records are events of one type. */
struct format_drop_type {
	const char *name; /* as evt.type */
	uint64_t count;
};

struct format_drop {
	const struct schema *schema; /* names of keys; NULL: those of Lanner */
	const char *id; /* of the drop record itself; NULL: it has none */
	const char *hostname; /* of the machine that events come from; NULL: not known yet */
	/* The first and the last number (evt.num) that is missing. Both 0: none had a number yet.
	 */
	uint64_t from, to;
	uint64_t count; /* of missing records; 0: nobody knows */
	/* If nobody knows how many: the number of the last record before them. Otherwise 0. */
	uint64_t after;
	/* Their times, ns since 1970; 0: unknown. If nobody knows how many: between which they
	 * were. */
	uint64_t first_ns, last_ns;
	const char *cause;
	bool in_kernel; /* they were lost there */
	const struct format_drop_type *types;
	size_t types_count;
};

struct format_end {
	const struct schema *schema; /* names of keys; NULL: those of Lanner */
	const char *id; /* of the end record itself; NULL: it has none */
	const char *hostname; /* as of drop records */
	uint64_t ts_ns; /* since 1970 */
	uint64_t last; /* the number (evt.num) of the last record of the stream; 0: it had none */
	uint64_t records; /* how many records were made for what ends: a run, or a file */
	uint64_t dropped; /* of these, how many will never come */
	bool knows_dropped; /* a file does not */
	const char *reason;
};

#endif
