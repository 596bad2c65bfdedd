/* SPDX-License-Identifier: MIT */
/*
 * Series by the values of their labels: what was counted of each, until it was not used for a
 * while. There are at most so many; what has no room is counted in one series of its kind.
 */
#ifndef REQUESTS_METRICS_SERIES_H
#define REQUESTS_METRICS_SERIES_H

#include <stdbool.h>
#include <stdint.h>

#include "requests/metrics/histogram.h"
#include "requests/metrics/kinds.h"
#include "requests/metrics/memo.h"
#include "util/hash.h"
#include "util/pool.h"

enum { EXEMPLAR_TRACE_BYTES = 64 };

/* One of the requests that had a trace id. */
struct series_exemplar {
	uint64_t total_ns, at_ns; /* how long it took; when it ended, since the epoch */
	char trace_id[EXEMPLAR_TRACE_BYTES];
};

struct series {
	struct series *next; /* of its bucket */
	struct series *newer, **link; /* of its kind */
	uint64_t hash;
	uint64_t begun_ns, used_ns; /* before its first request; at its last one */
	uint64_t count,
		slow; /* requests, or what else; of these, slow ones, if the schema has some */
	uint64_t timed; /* of these, those that have a duration */
	uint64_t last_ns; /* the last one */
	uint64_t seconds, ns; /* sum of the durations */
	uint64_t
		bytes[2]; /* of the requests, and of the responses; of sockets sent, and received */
	struct histogram durations;
	struct series_exemplar *exemplar; /* owned; NULL: none yet */
	uint16_t key_len, cells_count;
	uint8_t kind;
	bool is_overflow; /* all that had no room: its key is empty */
	uint64_t cells[]; /* of the histograms, each with one for what is above all bounds; the key
			   */
};

struct series_table {
	const struct kinds *kinds;
	struct pool pool; /* of the series, their histograms and exemplars */
	struct hash_key secret; /* names that others choose are in keys */
	struct memo *memo; /* owned */
	struct series **buckets; /* owned */
	uint32_t buckets_count; /* a power of two */
	uint32_t count, max; /* without those of the overflow */
	uint32_t next_bucket; /* where aging goes on */
	struct series *first[KINDS_MAX], **last[KINDS_MAX]; /* of each kind, in order of age */
	struct series *overflow[KINDS_MAX]; /* NULL: not needed yet */
	uint64_t overflowed, aged; /* requests in the overflow; series that were dropped */
	uint64_t unmeasured; /* requests that could not be counted anywhere: out of memory */
};

/* At least one series. Returns 0 or -errno: no memory, no random numbers. */
int series_table_init(struct series_table *table, const struct kinds *kinds, uint32_t max);
void series_table_finish(struct series_table *table);

/* Counts an event as it was looked at, if the schema has a series for it. */
void series_table_add(struct series_table *table, const struct view *view);

/* Drops those that were not used since then; looks at some of them, so that it is cheap. */
void series_table_age(struct series_table *table, uint64_t since_ns);

/* The key: the value of each label of its kind with a NUL; of the overflow, nothing. */
static inline const char *series_key(const struct series *series)
{
	return (const char *)(series->cells + series->cells_count);
}

/* The place of a value among them: the first one whose bound is not below it. */
uint32_t series_cell(const struct kind_bounds *bounds, uint64_t value);

/* A number that is shown, with a label of its own if there are several. */
struct series_part {
	uint64_t value;
	const char *label, *attribute, *word; /* NULL: none */
};

enum { SERIES_PARTS_MAX = 2 };

/* What a counter or gauge shows. Returns the number of parts: 0 if it has no value. */
unsigned int series_parts(const struct series *series, enum kind_value value,
			  struct series_part parts[SERIES_PARTS_MAX]);

/* The counts of a histogram, one more than its bounds. */
const uint64_t *series_cells(const struct series_table *table, const struct series *series,
			     enum kind_value histogram);

#endif
