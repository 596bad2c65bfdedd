/* SPDX-License-Identifier: MIT */
/* Where frames end, and how many of their bytes are waited for. */
#include "requests/protocols/framed.h"

/* What is kept of a side: what its protocol keeps, and the rest of a response that has begun. */
struct framed_side {
	uint8_t own[FRAMED_STATE_BYTES];
	uint64_t left;
};

_Static_assert(sizeof(struct framed_side) <= PROTOCOL_STATE_BYTES, "more than what is kept");

static const struct protocol_step waits = {.action = PROTOCOL_WAITS},
				  lost = {.action = PROTOCOL_LOST};

static struct protocol_step step_of(unsigned int kind, size_t used, uint64_t skip)
{
	if (kind & FRAMED_LOST)
		return lost;
	if (kind & FRAMED_BEFORE)
		return (struct protocol_step){.action = PROTOCOL_GOES_ON, .ends = true};
	return (struct protocol_step){
		.action = kind & FRAMED_LEAVES ? PROTOCOL_LEAVES : PROTOCOL_GOES_ON,
		.used = used,
		.skip = skip,
		.begins = kind & FRAMED_BEGINS,
		.ends = kind & FRAMED_ENDS,
		.stands = kind & (FRAMED_BEGINS | FRAMED_GOES_ON) && !(kind & FRAMED_ENDS),
	};
}

/* Takes a frame, or what is behind its head, if enough of it is there. */
static struct protocol_step take_frame(const struct framed *framed, struct framed_frame *frame,
				       const struct protocol_input *input, unsigned int more)
{
	size_t needed = frame->len < framed->bytes_max ? (size_t)frame->len : framed->bytes_max;
	size_t known = input->len < needed ? input->len : needed;
	struct protocol_step step;
	unsigned int kind;

	if (known < needed && !input->is_cut)
		return waits;
	frame->bytes = bytes_begin(input->data, known);
	kind = framed->take(frame) | more;
	step = step_of(kind, known, frame->len - known);
	step.is_within = kind & FRAMED_WITHIN;
	step.key = frame->within;
	/* There may be many in a call. */
	step.wants_all = true;
	return step;
}

/* Of what is behind it nothing is needed to know which request it answers. */
static struct protocol_step begin_response(const struct framed *framed, struct framed_side *side,
					   uint64_t len)
{
	side->left = len - framed->head_bytes;
	return step_of(side->left ? FRAMED_BEGINS : FRAMED_MESSAGE, framed->head_bytes, 0);
}

struct protocol_step framed_step(const struct framed *framed, enum protocol_side side, void *state,
				 const struct protocol_input *input,
				 struct protocol_message *message,
				 const struct protocol_message *request)
{
	struct framed_side *own = state;
	struct framed_frame frame = {
		.side = side, .state = own->own, .message = message, .request = request};
	struct protocol_step step;

	if (own->left) {
		frame.len = own->left;
		step = take_frame(framed, &frame, input, FRAMED_ENDS);
		if (step.action != PROTOCOL_WAITS)
			own->left = 0;
		return step;
	}
	frame.len = framed->length(side, input->data, input->len);
	if (frame.len == FRAMED_WRONG || (frame.len == FRAMED_WAITS && input->is_cut))
		return lost;
	if (frame.len == FRAMED_WAITS)
		return waits;
	if (framed->begin && side == PROTOCOL_RESPONSES && frame.len >= framed->head_bytes) {
		if (input->len < framed->head_bytes)
			return input->is_cut ? lost : waits;
		if (framed->begin(input->data, message))
			return begin_response(framed, own, frame.len);
	}
	return take_frame(framed, &frame, input, 0);
}
