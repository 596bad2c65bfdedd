/* SPDX-License-Identifier: MIT */
/*
 * Counts events by a view: groups of equal keys in a hash table with a bound, and what is kept of
 * each. Gives rows of values, not text. Whoever runs a capture calls it for each event that passed
 * the filter; for each event nothing is allocated but for a new group.
 */
#ifndef VIEWS_ENGINE_H
#define VIEWS_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "views/sketch.h"
#include "views/view.h"

/* Bytes of a text that is kept as a key or a last value; of a longer one, the beginning. */
enum { VIEWS_TEXT_MAX = 4096 };

struct views_engine;

/* What was not counted as it should be, each with what it is about. */
struct views_losses {
	uint64_t crowded; /* events in the row of all groups that had no room */
	uint64_t forgotten; /* events, or rows of a list, in no row: out of memory, or too many */
	uint64_t without_key; /* events in no row: a key has no value, and the view skips these */
	uint64_t cut; /* texts of which only the beginning is kept */
	uint64_t saturated; /* values that would have made a sum exceed 2^63 */
	uint64_t unsketched; /* values that are in no bucket: out of memory */
	uint64_t undistinguished; /* values that a number of different ones may lack */
	uint64_t merged; /* calls in no row: see views_engine_take_calls() */
	uint64_t shared; /* likewise, as their user has its share of rows */
};

void views_losses_add(struct views_losses *losses, const struct views_losses *from);

struct views_engine_config {
	uint32_t groups_max; /* 0: what the view says */
	size_t bytes_max; /* of groups, texts and buckets; 0: VIEWS_BYTES_DEFAULT */
	struct text_hider hider; /* of secrets in keys and values; zero: they are kept */
};

enum { VIEWS_BYTES_DEFAULT = 64 << 20 };

/*
 * Creates an engine for a view, which is borrowed. Returns 0 or -errno: no memory, no random
 * numbers.
 */
int views_engine_create(struct views_view *view, const struct views_engine_config *config,
			struct views_engine **engine);
void views_engine_destroy(struct views_engine *engine); /* accepts NULL */

/* Counts an event that passed the filter of the view. All events are of one state. */
void views_engine_take(struct views_engine *engine, const struct state_event *event);

/* Why the kernel has no row of calls. */
enum views_calls_loss { VIEWS_CALLS_FULL, VIEWS_CALLS_SHARE };

/* What is known of calls that the kernel has counted. */
struct views_calls {
	uint64_t count, timed; /* timed: of these, calls with a latency, or switches with a time */
	uint64_t latency_ns, latency_max_ns; /* of all these, and the longest one */
	uint64_t bytes; /* of all */
	unsigned int power; /* of the bucket that their times are in, if the view asks */
	enum views_calls_loss loss; /* without an event: why they are in no row */
};

/*
 * Counts calls, of a view for which views_counted_by() returns true. event: one that is like all of
 * them and passed the filter, in all that the view looks at but times; NULL: calls of which nothing
 * is known, which are in no row.
 */
void views_engine_take_calls(struct views_engine *engine, const struct state_event *event,
			     const struct views_calls *calls);

/* Forgets all groups, and what was lost: an interval begins. */
void views_engine_clear(struct views_engine *engine);

/* Whether a list has so many rows that they should be shown before there are more. */
bool views_engine_is_full(const struct views_engine *engine);

/* What is kept of a group. */
struct views_group;

/* Rows in the order of the view. Valid until the engine is used again. */
struct views_rows {
	struct views_group *const
		*list; /* within the limit; of a sorted list what it has room for */
	uint32_t count; /* that many */
	uint64_t total; /* all groups; of a list all rows, also those that are not kept */
	const struct views_group *crowd; /* all groups that had no room; NULL: all had */
};

/*
 * Sorts the groups. limit: of rows that are given, 0: all. span_ns: the time that they are of, for
 * rates; 0: not known.
 */
void views_engine_rows(struct views_engine *engine, uint32_t limit, uint64_t span_ns,
		       struct views_rows *rows);

/* Of all since views_engine_clear(). */
const struct views_losses *views_engine_losses(const struct views_engine *engine);

/* The value of a key. Returns false if it has none: the event had none, or it is the crowd's. */
bool views_group_key(const struct views_engine *engine, const struct views_group *group,
		     unsigned int key, struct field_value *value);

/* A value of a row. */
struct views_result {
	enum views_number number; /* VIEWS_NO_NUMBER: `field` */
	int64_t integer; /* VIEWS_SIGNED and VIEWS_UNSIGNED */
	double real; /* VIEWS_REAL */
	const struct field_ref *ref; /* of `field`, its field */
	struct field_value field; /* borrowed from the group */
	const struct views_sketch *sketch; /* of buckets; borrowed; NULL: a number or a field */
};

/* How often values from `from` to `to` occurred. */
struct views_bucket {
	uint64_t from, to, count;
	bool is_outside; /* of those of one width: what is below or above them */
};

/* How many buckets a value has that is made of them, and the i-th one of a result. */
unsigned int views_buckets_count(const struct views_value *value);
struct views_bucket views_bucket_of(const struct views_value *value,
				    const struct views_sketch *sketch, unsigned int i);

/* Returns false if there is none: no event had a value, or the time is not known. */
bool views_group_value(const struct views_engine *engine, const struct views_group *group,
		       unsigned int value, struct views_result *result);

#endif
