/* SPDX-License-Identifier: MIT */
/*
 * What the files of Redis share: how far a side is, and the tokens of RESP. Used by redis*.c of
 * this folder alone.
 */
#ifndef REQUESTS_PROTOCOLS_REDIS_RESP_H
#define REQUESTS_PROTOCOLS_REDIS_RESP_H

#include <stdbool.h>

#include "requests/protocols/protocol.h"

enum {
	REDIS_ARGUMENTS_MAX = 1 << 20, /* of a command, as servers have it */
	/* A line that is longer and not yet whole is taken as it is, and its rest ignored. */
	REDIS_LINE_WAITS_MAX = 8 * 1024,
};

#define REDIS_VALUE_BYTES_MAX (UINT64_C(1) << 40)

enum redis_replies { REPLIES_ON, REPLIES_OFF, REPLIES_SKIP_ONE };

/* What is known of a side between two steps. */
struct redis {
	/* Of requests. */
	uint32_t left; /* arguments of the command that are still to come */
	uint32_t index; /* of the next one */
	uint8_t keys; /* enum redis_keys */
	uint8_t key_index; /* 0: no argument is known to be a key */
	uint8_t count_index;
	uint8_t replies; /* enum redis_replies, from the next request on */
	bool is_reply; /* CLIENT REPLY */
	bool is_skip; /* CLIENT REPLY SKIP, whose own reply is skipped too */
	/* Of responses. */
	bool has_top; /* the reply itself has begun, not only its attributes */
	bool in_line; /* up to its end, a line is ignored */
	bool leaves;
	uint32_t pending; /* elements that are still to come; 0: between replies */
	uint32_t more; /* replies to come of the SUBSCRIBE that was answered */
};

_Static_assert(sizeof(struct redis) <= PROTOCOL_STATE_BYTES, "more than what is kept of a side");

/* One step. */
struct redis_run {
	const uint8_t *at, *end;
	bool is_cut;
	bool is_over; /* the step ends here, though there may be more input */
	struct redis *redis;
	struct protocol_message *message;
	const struct protocol_message *request;
	struct protocol_step step;
};

struct redis_text {
	const uint8_t *data;
	size_t len;
};

enum redis_number { REDIS_FOUND, REDIS_WAITING, REDIS_WRONG };

static inline size_t redis_bytes_left(const struct redis_run *run)
{
	return (size_t)(run->end - run->at);
}

/* Ends the step where no message is known to begin. */
void redis_lose(struct redis_run *run);

/* Of a number that was not found: false to wait for more, or true, and the place is lost. */
bool redis_stay(struct redis_run *run, enum redis_number found);

/*
 * A type, a number and what ends the line: *3, $-1. Returns its size in *size, and a number below 0
 * as -1.
 */
enum redis_number redis_read_number(const uint8_t *data, size_t len, size_t *size, int64_t *number);

/* Goes behind a value and what ends it, which may reach behind the input. */
void redis_pass_value(struct redis_run *run, uint64_t len);

bool redis_is_name_byte(uint8_t c);

/* Makes it the name of a command, in upper case; "" if it is none. */
void redis_put_name(char *to, size_t room, struct redis_text text);

/* In either case. */
bool redis_is_word(struct redis_text text, const char *word);

/* Takes an argument, or what announces them. Returns false: it waits for more. */
bool redis_take_request(struct redis_run *run);

/* Whether a line is a command as people type it. */
bool redis_is_typed(const uint8_t *data, size_t len);

/* Whether these bytes are the name of a command that is known. */
bool redis_is_command(const uint8_t *data, size_t len);

/* SUBSCRIBE and its like: a reply for each channel. */
bool redis_has_channels(const char *method);

/* Takes an element of a reply. Returns false: it waits for more. */
bool redis_take_element(struct redis_run *run);

/* Whether elements can begin with that byte. */
bool redis_is_type(uint8_t byte);

enum protocol_verdict redis_recognise(enum protocol_side side, const struct protocol_input *input);
size_t redis_find(enum protocol_side side, const struct protocol_input *input);

#endif
