/* SPDX-License-Identifier: MIT */
/*
 * How many of its events an output takes: a rate, a sample, or the first of those that look the
 * same. On the thread of events; times are those of the events, so that a capture file gives what
 * the machine gave.
 */
#ifndef OUTPUT_DELIVERY_LIMIT_H
#define OUTPUT_DELIVERY_LIMIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "output/config.h"
#include "output/delivery/gap.h"
#include "sinsp/sinsp.h"
#include "util/buf.h"
#include "util/error.h"
#include "util/hash.h"

enum { LIMIT_SEEN = 1 << 14 }; /* events that are remembered to look the same; a power of two */

struct limit_seen {
	uint64_t hash; /* of the fields; 0: free */
	uint64_t until_ns; /* of events */
};

struct limit {
	bool is_on; /* false: limit_takes() takes all */
	/* A rate: when the next event would be due if they came evenly, for each rule. */
	uint64_t *due_ns; /* owned; the first one is for events without a rule */
	size_t rules; /* entries of due_ns */
	uint64_t interval_ns; /* between events; 0: no rate */
	uint64_t burst_ns; /* how far ahead of the rate they may be */
	bool by_rule;
	uint64_t sample; /* one of so many; 0, 1: all */
	uint64_t count; /* for the sample */
	/* Which events look the same. */
	struct formatter *fields; /* owned; NULL: all are different */
	struct buf text; /* of the fields of an event */
	struct limit_seen *seen; /* owned */
	struct hash_key key; /* secret: nobody can make events look like others */
	uint64_t window_ns;
};

/* Returns 0 or -errno with a message; release with limit_finish() in every case. */
int limit_init(struct limit *limit, const struct output_config *config, struct error *err);
void limit_finish(struct limit *limit);

/* The state that the fields need: enum field_needs bits. */
unsigned int limit_needs(const struct limit *limit);

enum { LIMIT_NO_RULE = -1 };

/*
 * Whether the output takes the event, which matched that rule, or LIMIT_NO_RULE. Otherwise sets the
 * cause.
 */
bool limit_takes(struct limit *limit, const struct state_event *event, long rule,
		 enum gap_cause *cause);

#endif
