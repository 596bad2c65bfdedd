/* SPDX-License-Identifier: MIT */
/* What the files of MySQL share: packets, commands, and what a request notes for its response. */
#ifndef REQUESTS_PROTOCOLS_MYSQL_H
#define REQUESTS_PROTOCOLS_MYSQL_H

#include "requests/protocols/protocol.h"

enum {
	MYSQL_HEADER_BYTES = 4, /* the length of what follows in three bytes, and a number */
	MYSQL_PACKET_MAX = 0xffffff, /* what follows one of these goes on in the next packet */
};

/* What the response to a command looks like. */
enum mysql_kind {
	MYSQL_NO_COMMAND,
	MYSQL_OUTSIDE, /* nothing answers it, and it is no request */
	MYSQL_ONEWAY,
	MYSQL_LEAVES, /* replication */
	MYSQL_QUERY, /* OK, an error, rows, or the question for a file; maybe several of them */
	MYSQL_PREPARE,
	MYSQL_ROWS, /* up to their end */
	MYSQL_PLAIN, /* one packet, whatever it is */
	MYSQL_AUTH, /* questions and answers, up to OK or an error */
};

/* Bits of a request's note, above its kind and the number of its last packet. */
enum { MYSQL_NOTE_NO_EOF = 1 << 16, MYSQL_NOTE_COMPRESSES = 1 << 17 };

static inline uint32_t mysql_note(enum mysql_kind kind, uint8_t seq)
{
	return (uint32_t)kind | (uint32_t)seq << 8;
}

static inline enum mysql_kind mysql_note_kind(uint32_t note)
{
	return note & 0xff;
}

static inline uint8_t mysql_note_seq(uint32_t note)
{
	return (uint8_t)(note >> 8);
}

struct mysql_body {
	const uint8_t *data;
	size_t len;
};

struct mysql_command {
	const char *name; /* the method, unless `take` finds one */
	uint8_t kind; /* enum mysql_kind */
	uint32_t min, max; /* bytes, with that of the command; max 0: any */
	bool is_text; /* a statement stands behind it */
	void (*take)(struct protocol_message *message, struct mysql_body body);
};

/* Never NULL: an unknown one has MYSQL_NO_COMMAND. */
const struct mysql_command *mysql_command_of(uint8_t byte);

/* The statement in the body of a query, behind the attributes that it may have. */
struct mysql_body mysql_statement_of(struct mysql_body body);

static inline uint32_t mysql_u16(const uint8_t *data)
{
	return (uint32_t)data[0] | (uint32_t)data[1] << 8;
}

static inline uint32_t mysql_u24(const uint8_t *data)
{
	return mysql_u16(data) | (uint32_t)data[2] << 16;
}

static inline uint32_t mysql_u32(const uint8_t *data)
{
	return mysql_u24(data) | (uint32_t)data[3] << 24;
}

struct protocol_step mysql_step_requests(void *state, const struct protocol_input *input,
					 struct protocol_message *message);
struct protocol_step mysql_step_responses(void *state, const struct protocol_input *input,
					  struct protocol_message *message,
					  const struct protocol_message *request);

enum protocol_verdict mysql_recognise(enum protocol_side side, const struct protocol_input *input);

#endif
