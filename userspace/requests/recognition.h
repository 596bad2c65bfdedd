/* SPDX-License-Identifier: MIT */
/* Which protocol a connection speaks, by the first bytes of its directions. */
#ifndef REQUESTS_RECOGNITION_H
#define REQUESTS_RECOGNITION_H

#include "requests/protocols/protocol.h"

/* The directions of a socket: what is read from it, and what is written to it. */
enum recognition_direction { DIRECTION_IN, DIRECTION_OUT, DIRECTIONS };

enum recognition_outcome { RECOGNITION_NONE, RECOGNITION_OPEN, RECOGNITION_FOUND };

struct recognition {
	const struct protocol *protocol; /* if it is found */
	enum recognition_direction requests; /* the direction that has them */
};

/*
 * Looks at bytes of one direction, and at those that are kept of the other one (len 0: none). side:
 * what the first ones are, PROTOCOL_SIDES: not known. RECOGNITION_OPEN: more bytes may tell.
 */
enum recognition_outcome recognition_try(const struct protocol_input inputs[DIRECTIONS],
					 enum recognition_direction direction,
					 enum protocol_side side, struct recognition *found);

#endif
