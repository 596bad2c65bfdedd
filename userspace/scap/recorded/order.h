/* SPDX-License-Identifier: MIT */
/*
 * Records in the order of their times. Those of several CPUs are in a file in rounds: after a
 * round, none comes that is older than the newest one of the round before.
 */
#ifndef SCAP_RECORDED_ORDER_H
#define SCAP_RECORDED_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Records that wait have at most so many bytes; with more, the first one is given out as it is. */
#define RECORDED_ORDER_BYTES_MAX (UINT64_C(256) << 20)

struct recorded_waiting;

/* Zeroed: empty. */
struct recorded_order {
	struct recorded_waiting *heap; /* owned: the first one is the earliest */
	size_t count, capacity;
	uint64_t bytes, bytes_max; /* bytes_max: 0 is RECORDED_ORDER_BYTES_MAX */
	uint64_t sequence;
	uint64_t newest_ns, round_ns; /* so far; when the last round ended */
	uint64_t settled_ns; /* up to this time they can be given out */
	uint64_t forced; /* given out for want of room: perhaps not in order */
	void *given; /* owned: the record that was given out last */
};

/* Adds a copy of a record. Returns 0 or -ENOMEM. */
int recorded_order_put(struct recorded_order *order, const void *record, size_t bytes,
		       uint64_t time_ns);

/* A round, or the file, has ended. */
void recorded_order_round(struct recorded_order *order);
void recorded_order_end(struct recorded_order *order);

/* The next record that can be given out, valid until the next call; NULL: there is none yet. */
const void *recorded_order_next(struct recorded_order *order, size_t *bytes, uint64_t *time_ns);

void recorded_order_finish(struct recorded_order *order);

#endif
