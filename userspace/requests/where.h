/* SPDX-License-Identifier: MIT */
/*
 * Where the time of a request went: what the thread that answered it did from the call that moved
 * its first byte to the one with the last byte of the response, as the kernel counted it at both.
 * Known only if both were calls of one thread; what it did for others meanwhile is in it.
 */
#ifndef REQUESTS_WHERE_H
#define REQUESTS_WHERE_H

#include "requests/connection.h"

struct where {
	uint64_t ns[THREAD_PARTS]; /* enum thread_part; with `unknown_ns` they are the whole time */
	uint64_t unknown_ns; /* of which it is not known */
	uint32_t threads; /* that moved bytes of it, as far as known */
	int32_t unlocked_by; /* the thread that ended the last wait for a lock; 0: none, or not
				known */
};

/*
 * A call moved bytes of a part: when, who, and what its thread did so far, which is not known if
 * there is no memory for it.
 */
void where_note(struct exchange_part *part, struct exchanges *exchanges, enum protocol_side side,
		const struct connection_call *call, uint64_t bytes);

/* Of an exchange that has ended. Returns false if nothing was counted. */
bool where_of(const struct exchange *exchange, struct where *where);

/*
 * Forgets what was counted of one that took less than `least_ns`; of others, counts those of whose
 * time some is not known.
 */
void where_limit(struct exchange *exchange, uint64_t least_ns, struct requests_stats *stats);

#endif
