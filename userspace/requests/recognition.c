/* SPDX-License-Identifier: MIT */
/* The protocols are tried in their order; the first one that is sure has it. */
#include "requests/recognition.h"

/* Two directions that are each only likely are believed if both have at least that many bytes. */
enum { LIKELY_BYTES_MIN = 5 };

static enum protocol_side other_side(enum protocol_side side)
{
	return side == PROTOCOL_REQUESTS ? PROTOCOL_RESPONSES : PROTOCOL_REQUESTS;
}

/* Whether what is kept of the other direction makes sure what these bytes only may be. */
static bool is_confirmed(const struct protocol *protocol, enum protocol_side side,
			 const struct protocol_input *input, const struct protocol_input *other)
{
	if (input->len < LIKELY_BYTES_MIN || other->len < LIKELY_BYTES_MIN)
		return false;
	return protocol->recognise(other_side(side), other) >= PROTOCOL_MAYBE;
}

/* As recognition_try(), of one protocol and side. */
static enum recognition_outcome try_protocol(const struct protocol *protocol,
					     enum protocol_side side,
					     const struct protocol_input *input,
					     const struct protocol_input *other)
{
	switch (protocol->recognise(side, input)) {
	case PROTOCOL_YES:
		return RECOGNITION_FOUND;
	case PROTOCOL_SHORT:
		return RECOGNITION_OPEN;
	case PROTOCOL_MAYBE:
		return is_confirmed(protocol, side, input, other) ? RECOGNITION_FOUND
								  : RECOGNITION_OPEN;
	default:
		return RECOGNITION_NONE;
	}
}

static enum recognition_direction requests_of(enum recognition_direction direction,
					      enum protocol_side side)
{
	if (side == PROTOCOL_REQUESTS)
		return direction;
	return direction == DIRECTION_IN ? DIRECTION_OUT : DIRECTION_IN;
}

enum recognition_outcome recognition_try(const struct protocol_input inputs[DIRECTIONS],
					 enum recognition_direction direction,
					 enum protocol_side side, struct recognition *found)
{
	const struct protocol_input *input = &inputs[direction], *other = &inputs[!direction];
	enum recognition_outcome outcome = RECOGNITION_NONE;

	for (size_t i = 0; protocols[i]; i++)
		for (unsigned int s = 0; s < PROTOCOL_SIDES; s++) {
			enum recognition_outcome one;

			if (side != PROTOCOL_SIDES && side != s)
				continue;
			one = try_protocol(protocols[i], s, input, other);
			if (one == RECOGNITION_FOUND) {
				*found = (struct recognition){protocols[i],
							      requests_of(direction, s)};
				return one;
			}
			if (one == RECOGNITION_OPEN)
				outcome = one;
		}
	return outcome;
}
