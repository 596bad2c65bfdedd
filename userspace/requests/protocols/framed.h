/* SPDX-License-Identifier: MIT */
/*
 * Protocols whose bytes are frames with their length in front: these are found here, and taken by
 * the protocol when as many bytes of them are there as it looks at. Used by the files of this
 * folder alone.
 */
#ifndef REQUESTS_PROTOCOLS_FRAMED_H
#define REQUESTS_PROTOCOLS_FRAMED_H

#include "requests/protocols/bytes.h"
#include "requests/protocols/protocol.h"

/* Lengths that are none. */
#define FRAMED_WAITS UINT64_C(0) /* more bytes would tell */
#define FRAMED_WRONG UINT64_MAX /* no frame begins here */

/* What a frame is, as bits; 0: it belongs to no message. */
enum framed_kind {
	FRAMED_BEGINS = 1, /* a message begins with its first byte */
	FRAMED_ENDS = 2, /* its last byte ends the message */
	FRAMED_MESSAGE = FRAMED_BEGINS | FRAMED_ENDS,
	FRAMED_LEAVES = 4, /* behind it another protocol is spoken */
	FRAMED_LOST = 8, /* it is none after all */
	FRAMED_BEFORE = 16, /* alone: the message that is open ended before it; it is given again */
	FRAMED_GOES_ON = 32, /* with the message that is open; of which stands what is known */
	FRAMED_WITHIN = 64, /* with FRAMED_GOES_ON: a response of its own, with the key `within` */
};

struct framed_frame {
	enum protocol_side side;
	struct bytes bytes; /* those that are known, up to `bytes_max` */
	uint64_t len; /* of all of them */
	void *state; /* FRAMED_STATE_BYTES of this side */
	struct protocol_message *message;
	const struct protocol_message *request; /* NULL: not known */
	uint64_t within; /* set by `take` */
};

struct framed {
	size_t bytes_max; /* of a frame, that are looked at */
	/*
	 * The length of the frame that begins with these bytes, of which there is one at least, or
	 * one of the above. More bytes must not change it.
	 */
	uint64_t (*length)(enum protocol_side side, const uint8_t *data, size_t len);
	/* Takes a frame. Returns bits of enum framed_kind. */
	unsigned int (*take)(struct framed_frame *frame);
	/*
	 * If it is not NULL: asked with so many bytes of a frame of the server, it sets the key of
	 * a response and returns true; false: it is none, and taken as other frames. `take` is
	 * given what is behind these bytes, with the request that has the key, and what it returns
	 * always ends the message.
	 */
	size_t head_bytes;
	bool (*begin)(const uint8_t *head, struct protocol_message *message);
};

enum { FRAMED_STATE_BYTES = PROTOCOL_STATE_BYTES - sizeof(uint64_t) };

/*
 * Takes the next frame, or part of one, as the `step` of struct protocol does, whose arguments
 * these are. Returns what it has found.
 */
struct protocol_step framed_step(const struct framed *framed, enum protocol_side side, void *state,
				 const struct protocol_input *input,
				 struct protocol_message *message,
				 const struct protocol_message *request);

#endif
