/* SPDX-License-Identifier: MIT */
/*
 * Drop records: they stand in the stream of an output in place of records that are missing, so that
 * a reader knows which, how many and why.
 */
#ifndef SINSP_FORMAT_DROP_H
#define SINSP_FORMAT_DROP_H

#include <stddef.h>
#include <stdint.h>

struct output_schema;

/* How many of the missing records are events of one type. */
struct format_drop_type {
	const char *name; /* as evt.type */
	uint64_t count;
};

struct format_drop {
	const struct output_schema *schema; /* names of keys; NULL: those of Lanner */
	const char *id; /* of the drop record itself; NULL: it has none */
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
	const struct format_drop_type *types;
	size_t types_count;
};

#endif
