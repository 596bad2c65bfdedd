/* SPDX-License-Identifier: MIT */
/* What servers of MySQL send: which packets a response has, and what it says. */
#include <stdio.h>
#include <string.h>

#include "requests/protocols/mysql.h"
#include "requests/protocols/text.h"

enum {
	HEAD_NEEDED_MAX = 24, /* of a packet that is looked into */
	FIRST_SEQ = 1,
	OK_BYTES_MIN = 7,
	EOF_BYTES = 5,
	EOF_STATUS_AT = 3,
	ERROR_BYTES_MIN = 3,
	ERROR_STATE_AT = 4,
	STATE_BYTES = 5,
	ERROR_WITH_STATE_MIN = ERROR_STATE_AT + STATE_BYTES,
	PREPARED_BYTES = 12,
	CODE_PROGRESS = 0xffff, /* no error: how far a statement is */
	STATUS_MORE = 1 << 3, /* another result follows */
	STATUS_CURSOR = 1 << 6, /* the rows are fetched later */
};

enum mysql_first {
	FIRST_OK = 0,
	FIRST_GREETING = 0x0a,
	FIRST_FILE = 0xfb,
	FIRST_EOF = 0xfe,
	FIRST_ERROR = 0xff,
};

/* Which packet comes next. */
enum mysql_phase {
	PHASE_FIRST, /* of a result */
	PHASE_DEFINITIONS,
	PHASE_BEHIND_THEM, /* their end, or the first row */
	PHASE_ROWS,
	PHASE_FILE, /* the result, when the client has sent it */
	PHASE_PARAMETERS, /* definitions of a statement that was prepared */
	PHASE_BETWEEN, /* their end, or the first definition of a column */
	PHASE_COLUMNS,
	PHASE_LAST, /* their end */
};

/* Whether the end of definitions has a packet. */
enum mysql_ends { ENDS_UNKNOWN, ENDS_HAVE_PACKET, ENDS_HAVE_NONE };

/* What is known of the side between two steps. */
struct mysql_responses {
	uint32_t left; /* definitions */
	uint16_t columns;
	uint8_t phase; /* enum mysql_phase */
	uint8_t kind; /* enum mysql_kind of the request */
	uint8_t seq; /* of the last packet */
	uint8_t ends; /* enum mysql_ends */
	bool is_long; /* the packet goes on in the next one */
	bool in_message;
	bool has_spoken;
};

_Static_assert(sizeof(struct mysql_responses) <= PROTOCOL_STATE_BYTES,
	       "more than what is kept of a side");

/* What a packet is to its response. */
enum mysql_place { PLACE_INSIDE, PLACE_LAST, PLACE_WRONG };

/* One packet: its first bytes, and all that it has. */
struct mysql_packet {
	struct mysql_responses *mysql;
	struct protocol_message *message;
	const uint8_t *data;
	size_t len; /* of data */
	uint32_t size;
};

static bool is_end(const struct mysql_packet *packet)
{
	return packet->data[0] == FIRST_EOF && packet->size < MYSQL_PACKET_MAX;
}

/* The bytes that a number takes. */
static size_t number_bytes(uint8_t first)
{
	if (first < FIRST_FILE)
		return 1;
	return first == 0xfc ? 3 : first == 0xfd ? 4 : 9;
}

/* The status at the end of OK, behind two numbers. */
static uint32_t ok_status(const struct mysql_packet *packet)
{
	size_t at = 1;

	for (int i = 0; i < 2; i++) {
		if (at >= packet->len)
			return 0;
		at += number_bytes(packet->data[at]);
	}
	return at + 2 <= packet->len ? mysql_u16(packet->data + at) : 0;
}

static enum mysql_place take_status(struct mysql_packet *packet, uint32_t status)
{
	if (!(status & STATUS_MORE))
		return PLACE_LAST;
	packet->mysql->phase = PHASE_FIRST;
	return PLACE_INSIDE;
}

static enum mysql_place take_ok(struct mysql_packet *packet)
{
	return packet->size < OK_BYTES_MIN ? PLACE_WRONG : take_status(packet, ok_status(packet));
}

static enum mysql_place take_end(struct mysql_packet *packet)
{
	if (packet->size > EOF_BYTES)
		return take_ok(packet);
	/* Of the protocol before 4.1 it has no more than its first byte. */
	return take_status(packet,
			   packet->len < EOF_BYTES ? 0 : mysql_u16(packet->data + EOF_STATUS_AT));
}

/* The first error of a response is the one that counts. */
static enum mysql_place take_error(struct mysql_packet *packet)
{
	struct protocol_message *message = packet->message;
	uint32_t code;

	if (packet->size < ERROR_BYTES_MIN)
		return PLACE_WRONG;
	code = mysql_u16(packet->data + 1);
	if (code == CODE_PROGRESS)
		return PLACE_INSIDE;
	message->has_status = true;
	message->status = (int32_t)code;
	if (packet->size >= ERROR_WITH_STATE_MIN && packet->data[ERROR_STATE_AT - 1] == '#')
		protocol_text_put(message->error, MESSAGE_ERROR_BYTES,
				  packet->data + ERROR_STATE_AT, STATE_BYTES);
	else
		snprintf(message->error, MESSAGE_ERROR_BYTES, "%u", code);
	return PLACE_LAST;
}

static enum mysql_place take_row(struct mysql_packet *packet)
{
	if (packet->data[0] == FIRST_ERROR)
		return take_error(packet);
	return is_end(packet) ? take_end(packet) : PLACE_INSIDE;
}

/*
 * How many columns the rows have. MariaDB may say behind it that their definitions are those of
 * before, and not sent again.
 */
static enum mysql_place take_columns(struct mysql_packet *packet)
{
	size_t bytes = number_bytes(packet->data[0]);
	uint32_t columns = packet->data[0];

	if (bytes > 3 || packet->size < bytes || packet->size > bytes + 1)
		return PLACE_WRONG;
	if (bytes == 3)
		columns = mysql_u16(packet->data + 1);
	if (packet->size > bytes && packet->data[bytes] == 0)
		columns = 0;
	packet->mysql->left = columns;
	packet->mysql->phase = columns ? PHASE_DEFINITIONS : PHASE_BEHIND_THEM;
	return PLACE_INSIDE;
}

static enum mysql_place take_definition(struct mysql_packet *packet)
{
	if (!--packet->mysql->left)
		packet->mysql->phase = PHASE_BEHIND_THEM;
	return PLACE_INSIDE;
}

static enum mysql_place take_behind(struct mysql_packet *packet)
{
	struct mysql_responses *mysql = packet->mysql;

	mysql->phase = PHASE_ROWS;
	if (!is_end(packet) || packet->size != EOF_BYTES) {
		mysql->ends = ENDS_HAVE_NONE;
		return take_row(packet);
	}
	mysql->ends = ENDS_HAVE_PACKET;
	return mysql_u16(packet->data + EOF_STATUS_AT) & STATUS_CURSOR ? PLACE_LAST : PLACE_INSIDE;
}

/* Definitions of parameters and columns, of which both may be none. */
static enum mysql_place go_on_prepared(struct mysql_packet *packet, bool had_parameters)
{
	struct mysql_responses *mysql = packet->mysql;

	if (mysql->phase == PHASE_PARAMETERS && !mysql->left && mysql->columns) {
		mysql->phase = had_parameters ? PHASE_BETWEEN : PHASE_COLUMNS;
		mysql->left = mysql->columns;
	}
	if (mysql->left)
		return PLACE_INSIDE;
	if ((mysql->columns || had_parameters) && mysql->ends == ENDS_HAVE_PACKET) {
		mysql->phase = PHASE_LAST;
		return PLACE_INSIDE;
	}
	return PLACE_LAST;
}

static enum mysql_place take_prepared(struct mysql_packet *packet)
{
	struct mysql_responses *mysql = packet->mysql;

	if (packet->data[0] != FIRST_OK || packet->size < PREPARED_BYTES)
		return PLACE_WRONG;
	packet->message->has_statement = true;
	packet->message->statement = mysql_u32(packet->data + 1);
	mysql->columns = (uint16_t)mysql_u16(packet->data + 5);
	mysql->left = mysql_u16(packet->data + 7);
	mysql->phase = PHASE_PARAMETERS;
	return go_on_prepared(packet, mysql->left);
}

static enum mysql_place take_prepared_definition(struct mysql_packet *packet)
{
	packet->mysql->left--;
	return go_on_prepared(packet, true);
}

static enum mysql_place take_between(struct mysql_packet *packet)
{
	struct mysql_responses *mysql = packet->mysql;

	mysql->phase = PHASE_COLUMNS;
	if (is_end(packet)) {
		mysql->ends = ENDS_HAVE_PACKET;
		return PLACE_INSIDE;
	}
	mysql->ends = ENDS_HAVE_NONE;
	return take_prepared_definition(packet);
}

static enum mysql_place take_last(struct mysql_packet *packet)
{
	return is_end(packet) ? PLACE_LAST : PLACE_WRONG;
}

static enum mysql_place take_auth(struct mysql_packet *packet)
{
	return packet->data[0] == FIRST_OK ? PLACE_LAST : PLACE_INSIDE;
}

static enum mysql_place take_first(struct mysql_packet *packet)
{
	uint8_t kind = packet->mysql->kind, first = packet->data[0];

	if (kind == MYSQL_PLAIN)
		return first == FIRST_ERROR ? take_error(packet) : PLACE_LAST;
	if (first == FIRST_ERROR)
		return take_error(packet);
	if (kind == MYSQL_AUTH)
		return take_auth(packet);
	if (kind == MYSQL_PREPARE)
		return take_prepared(packet);
	if (kind == MYSQL_ROWS) {
		packet->mysql->phase = PHASE_ROWS;
		return take_row(packet);
	}
	if (first == FIRST_OK)
		return take_ok(packet);
	if (is_end(packet))
		return take_end(packet);
	if (first != FIRST_FILE)
		return take_columns(packet);
	packet->mysql->phase = PHASE_FILE;
	return PLACE_INSIDE;
}

static enum mysql_place take_file(struct mysql_packet *packet)
{
	if (packet->data[0] == FIRST_ERROR)
		return take_error(packet);
	return packet->data[0] == FIRST_OK ? take_ok(packet) : PLACE_WRONG;
}

static enum mysql_place (*const takes[])(struct mysql_packet *packet) = {
	[PHASE_FIRST] = take_first,	   [PHASE_DEFINITIONS] = take_definition,
	[PHASE_BEHIND_THEM] = take_behind, [PHASE_ROWS] = take_row,
	[PHASE_FILE] = take_file,	   [PHASE_PARAMETERS] = take_prepared_definition,
	[PHASE_BETWEEN] = take_between,	   [PHASE_COLUMNS] = take_prepared_definition,
	[PHASE_LAST] = take_last,
};

/*
 * Steps.
 */

static struct protocol_step waits(const struct protocol_input *input)
{
	if (!input->is_cut)
		return (struct protocol_step){.action = PROTOCOL_WAITS};
	return (struct protocol_step){.action = PROTOCOL_LOST, .wants_all = true};
}

static struct protocol_step lost(void)
{
	return (struct protocol_step){.action = PROTOCOL_LOST, .wants_all = true};
}

/* Goes behind a packet, which may reach behind the input. */
static struct protocol_step pass(const struct protocol_input *input, uint32_t size)
{
	size_t len = MYSQL_HEADER_BYTES + (size_t)size;
	size_t used = len < input->len ? len : input->len;

	return (struct protocol_step){
		.action = PROTOCOL_GOES_ON, .used = used, .skip = len - used, .wants_all = true};
}

/*
 * What a server says on its own: the greeting, or in its place why there is no service. Later, why
 * it ends the connection.
 */
static struct protocol_step greet(struct mysql_packet *packet, struct protocol_step step,
				  bool is_asked)
{
	struct mysql_responses *mysql = packet->mysql;

	if (packet->data[0] != FIRST_GREETING &&
	    (packet->data[0] != FIRST_ERROR || take_error(packet) != PLACE_LAST))
		return lost();
	packet->message->is_alone =
		packet->data[0] == FIRST_ERROR && !mysql->has_spoken && !is_asked;
	packet->message->is_aside = !packet->message->is_alone;
	if (packet->message->is_alone)
		protocol_text_put(packet->message->method, MESSAGE_METHOD_BYTES, "STARTUP", 7);
	mysql->has_spoken = true;
	step.begins = step.ends = true;
	return step;
}

static void begin_response(struct mysql_responses *mysql, const struct protocol_message *request)
{
	*mysql = (struct mysql_responses){
		.kind = request ? (uint8_t)mysql_note_kind(request->note) : MYSQL_QUERY,
		.ends = mysql->ends,
		.in_message = true,
		.has_spoken = true,
	};
}

/* Whether a response to the request can begin with a packet of that number. */
static bool is_answer_to(const struct protocol_message *request, uint8_t seq)
{
	if (!request)
		return seq == FIRST_SEQ;
	return mysql_note_kind(request->note) == MYSQL_AUTH ||
	       seq == (uint8_t)(mysql_note_seq(request->note) + 1);
}

/* Clients send something between some packets of a response. */
static bool is_next(const struct mysql_responses *mysql, uint8_t seq)
{
	return mysql->kind == MYSQL_AUTH || mysql->phase == PHASE_FILE ||
	       seq == (uint8_t)(mysql->seq + 1);
}

static void end_response(struct mysql_responses *mysql, struct protocol_step *step,
			 const struct protocol_message *message,
			 const struct protocol_message *request)
{
	uint32_t note = request ? request->note : 0;

	step->ends = true;
	if (mysql->kind == MYSQL_AUTH && !message->error[0]) {
		if (note & MYSQL_NOTE_COMPRESSES)
			step->action = PROTOCOL_LEAVES;
		/* A server that knows the question has no packet there. */
		if (mysql_note_seq(note) && !(note & MYSQL_NOTE_NO_EOF))
			mysql->ends = ENDS_HAVE_PACKET;
	}
	mysql->in_message = false;
}

static struct protocol_step take_packet(struct mysql_packet *packet, struct protocol_step step,
					uint8_t seq, const struct protocol_message *request)
{
	struct mysql_responses *mysql = packet->mysql;
	enum mysql_place place;

	if (!mysql->in_message && seq == 0)
		return greet(packet, step, request);
	if (!mysql->in_message) {
		/* The end of something of which the beginning is not known. */
		if (!is_answer_to(request, seq))
			return step;
		begin_response(mysql, request);
		step.begins = true;
	} else if (!is_next(mysql, seq)) {
		return lost();
	}
	mysql->seq = seq;
	mysql->is_long = packet->size == MYSQL_PACKET_MAX;
	place = takes[mysql->phase](packet);
	if (place == PLACE_WRONG || (place == PLACE_LAST && mysql->is_long))
		return lost();
	/* Only an error in the place of further rows would say more. */
	step.stands = mysql->phase == PHASE_ROWS && place == PLACE_INSIDE;
	if (place == PLACE_LAST)
		end_response(mysql, &step, packet->message, request);
	return step;
}

struct protocol_step mysql_step_responses(void *state, const struct protocol_input *input,
					  struct protocol_message *message,
					  const struct protocol_message *request)
{
	struct mysql_packet packet = {.mysql = state, .message = message};
	struct mysql_responses *mysql = state;
	struct protocol_step step;
	uint32_t needed;

	if (input->len < MYSQL_HEADER_BYTES)
		return waits(input);
	packet.size = mysql_u24(input->data);
	if (mysql->is_long) {
		mysql->is_long = packet.size == MYSQL_PACKET_MAX;
		if (input->data[3] != (uint8_t)++mysql->seq)
			return lost();
		step = pass(input, packet.size);
		step.stands = true;
		return step;
	}
	packet.data = input->data + MYSQL_HEADER_BYTES;
	packet.len = input->len - MYSQL_HEADER_BYTES;
	if (packet.len > packet.size)
		packet.len = packet.size;
	needed = packet.size < HEAD_NEEDED_MAX ? packet.size : HEAD_NEEDED_MAX;
	if (packet.size == 0)
		return lost();
	if (packet.len < needed)
		return waits(input);
	return take_packet(&packet, pass(input, packet.size), input->data[3], request);
}
