/* SPDX-License-Identifier: MIT */
/*
 * Cassandra's CQL, versions 3 to 5. A request is each message of a client: QUERY and BATCH with the
 * statement, of a batch the first one if that is text, without its literals; EXECUTE with that
 * which was prepared. Responses have the stream of their request; events of the server are aside.
 *
 * From the first answer to STARTUP on, version 5 has messages in segments: such a connection is not
 * recognised if it is older than the capture. Compressed bodies are not read, and of segments that
 * are compressed nothing is understood.
 */
#include <stdio.h>
#include <string.h>

#include "event/event.h"
#include "requests/protocols/framed.h"
#include "requests/protocols/sql.h"
#include "util/hash.h"

enum {
	CQL_HEAD = 9,
	CQL_BYTES_MAX = 1000, /* of a message, that are looked at */
	CQL_BODY_MAX = 1 << 28,
	CQL_VERSION_MIN = 3,
	CQL_VERSION_SEGMENTS = 5,
	CQL_RESPONSE = 0x80, /* a bit of the version */
	CQL_FLAGS_END = 0x20,
	CQL_SEGMENT_HEAD = 6,
	CQL_COMPRESSED_HEAD = 8,
	CQL_SEGMENT_MAX = (1 << 17) - 1,
	CQL_CHECKSUM = 4, /* behind a segment */
};

/* Bits of the flags. */
enum { CQL_COMPRESSED = 1, CQL_TRACING = 2, CQL_PAYLOAD = 4, CQL_WARNINGS = 8 };

enum cql_operation {
	CQL_ERROR,
	CQL_STARTUP,
	CQL_READY,
	CQL_AUTHENTICATE,
	CQL_OPTIONS = 5,
	CQL_SUPPORTED,
	CQL_QUERY,
	CQL_RESULT,
	CQL_PREPARE,
	CQL_EXECUTE,
	CQL_REGISTER,
	CQL_EVENT,
	CQL_BATCH,
	CQL_AUTH_CHALLENGE,
	CQL_AUTH_RESPONSE,
	CQL_AUTH_SUCCESS,
	CQL_OPERATIONS,
};

enum { CQL_RESULT_PREPARED = 4, CQL_BATCH_TEXT = 0 };

/* What is known of a side. */
struct cassandra {
	uint32_t left; /* bytes of the segment that were not taken */
	uint32_t extra; /* heads and checksums of further segments of the message */
	bool has_segments;
	bool is_opaque; /* they are compressed */
	bool at_checksum;
	bool in_message;
};

_Static_assert(sizeof(struct cassandra) <= FRAMED_STATE_BYTES, "more than what is kept of a side");

typedef void cql_take(struct framed_frame *frame, uint8_t version);

static cql_take take_startup, cassandra_take_query, take_prepare, take_execute, take_batch,
	cassandra_take_error, cassandra_take_result;

static const struct {
	const char *name; /* of a request; NULL: it is none */
	cql_take *take;
} operations[CQL_OPERATIONS] = {
	[CQL_ERROR] = {NULL, cassandra_take_error},
	[CQL_STARTUP] = {"STARTUP", take_startup},
	[CQL_OPTIONS] = {"OPTIONS"},
	[CQL_QUERY] = {"QUERY", cassandra_take_query},
	[CQL_RESULT] = {NULL, cassandra_take_result},
	[CQL_PREPARE] = {"PREPARE", take_prepare},
	[CQL_EXECUTE] = {"EXECUTE", take_execute},
	[CQL_REGISTER] = {"REGISTER"},
	[CQL_BATCH] = {"BATCH", take_batch},
	[CQL_AUTH_RESPONSE] = {"AUTH_RESPONSE"},
};

static const struct {
	uint16_t code;
	const char *name;
} errors[] = {
	{0x0000, "SERVER_ERROR"},   {0x000a, "PROTOCOL_ERROR"},	  {0x0100, "BAD_CREDENTIALS"},
	{0x1000, "UNAVAILABLE"},    {0x1001, "OVERLOADED"},	  {0x1002, "IS_BOOTSTRAPPING"},
	{0x1003, "TRUNCATE_ERROR"}, {0x1100, "WRITE_TIMEOUT"},	  {0x1200, "READ_TIMEOUT"},
	{0x1300, "READ_FAILURE"},   {0x1400, "FUNCTION_FAILURE"}, {0x1500, "WRITE_FAILURE"},
	{0x2000, "SYNTAX_ERROR"},   {0x2100, "UNAUTHORIZED"},	  {0x2200, "INVALID"},
	{0x2300, "CONFIG_ERROR"},   {0x2400, "ALREADY_EXISTS"},	  {0x2500, "UNPREPARED"},
};

static uint64_t cassandra_length(enum protocol_side side, const uint8_t *data, size_t len)
{
	struct bytes bytes = bytes_begin(data, len);
	uint8_t bit = side == PROTOCOL_RESPONSES ? CQL_RESPONSE : 0;
	uint8_t version = (uint8_t)bytes_be(&bytes, 1) ^ bit, flags = (uint8_t)bytes_be(&bytes, 1);
	uint64_t operation, body;

	bytes_take(&bytes, 2);
	operation = bytes_be(&bytes, 1);
	body = bytes_be(&bytes, 4);
	if (version < CQL_VERSION_MIN || version > CQL_VERSION_SEGMENTS || flags >= CQL_FLAGS_END)
		return FRAMED_WRONG;
	if (len > 4 && (operation >= CQL_OPERATIONS || operation == 4 ||
			!operations[operation].name != (side == PROTOCOL_RESPONSES)))
		return FRAMED_WRONG;
	if (bytes.is_short)
		return FRAMED_WAITS;
	return body <= CQL_BODY_MAX ? CQL_HEAD + body : FRAMED_WRONG;
}

/* The next text, whose length stands in so many bytes. */
static struct bytes next_text(struct bytes *bytes, size_t length_bytes)
{
	uint64_t len = bytes_be(bytes, length_bytes);
	struct bytes text = *bytes;

	if (len < bytes_left(bytes))
		text.end = text.at + len;
	bytes_take(bytes, len);
	return text;
}

static void skip_payload(struct bytes *bytes)
{
	for (uint64_t count = bytes_be(bytes, 2); count && !bytes->is_short; count--) {
		next_text(bytes, 2);
		next_text(bytes, 4);
	}
}

/* What may stand before the body. */
static void skip_prefix(struct bytes *bytes, uint8_t flags, bool is_response)
{
	uint64_t count;

	if (is_response && flags & CQL_TRACING)
		bytes_take(bytes, 16);
	if (is_response && flags & CQL_WARNINGS)
		for (count = bytes_be(bytes, 2); count && !bytes->is_short; count--)
			next_text(bytes, 2);
	if (flags & CQL_PAYLOAD)
		skip_payload(bytes);
}

static void put_statement(struct protocol_message *message, struct bytes text)
{
	protocol_sql_put(message, SQL_POSTGRES, text.at, bytes_left(&text));
}

/* A map of texts. What is agreed on holds behind the answer, but the client asks nothing before it.
 */
static void take_startup(struct framed_frame *frame, uint8_t version)
{
	struct cassandra *cassandra = frame->state;
	uint64_t count = bytes_be(&frame->bytes, 2);

	if (version < CQL_VERSION_SEGMENTS)
		return;
	cassandra->has_segments = true;
	for (; count && !frame->bytes.is_short; count--) {
		struct bytes key = next_text(&frame->bytes, 2);
		struct protocol_text text = {key.at, bytes_left(&key)};

		next_text(&frame->bytes, 2);
		cassandra->is_opaque |= protocol_text_is(text, "COMPRESSION");
	}
}

static void cassandra_take_query(struct framed_frame *frame, uint8_t version)
{
	put_statement(frame->message, next_text(&frame->bytes, 4));
}

static void take_prepare(struct framed_frame *frame, uint8_t version)
{
	struct protocol_message *message = frame->message;

	put_statement(message, next_text(&frame->bytes, 4));
	message->statement_use = STATEMENT_KEEPS;
	memcpy(message->statement_method, message->method, sizeof(message->method));
	snprintf(message->method, sizeof(message->method), "PREPARE");
}

static void set_statement(struct protocol_message *message, struct bytes *bytes)
{
	uint64_t len = bytes_be(bytes, 2);
	const uint8_t *id = bytes_take(bytes, len);

	message->has_statement = id && len;
	if (message->has_statement)
		message->statement = hash_bytes(id, len) | (uint64_t)hash_bytes(id, len - 1) << 32;
}

static void take_execute(struct framed_frame *frame, uint8_t version)
{
	frame->message->statement_use = STATEMENT_USES;
	set_statement(frame->message, &frame->bytes);
}

static void take_batch(struct framed_frame *frame, uint8_t version)
{
	struct protocol_message *message = frame->message;

	bytes_take(&frame->bytes, 1 + 2);
	if (bytes_be(&frame->bytes, 1) != CQL_BATCH_TEXT || frame->bytes.is_short)
		return;
	put_statement(message, next_text(&frame->bytes, 4));
	snprintf(message->method, sizeof(message->method), "BATCH");
}

static void cassandra_take_error(struct framed_frame *frame, uint8_t version)
{
	struct protocol_message *message = frame->message;
	uint64_t code = bytes_be(&frame->bytes, 4);
	size_t i = 0, count = sizeof(errors) / sizeof(errors[0]);

	if (frame->bytes.is_short)
		return;
	message->has_status = true;
	message->status = (int32_t)code;
	while (i < count && errors[i].code != code)
		i++;
	if (i < count)
		snprintf(message->error, MESSAGE_ERROR_BYTES, "%s", errors[i].name);
	else
		snprintf(message->error, MESSAGE_ERROR_BYTES, "0x%04x", (unsigned int)code);
}

static void cassandra_take_result(struct framed_frame *frame, uint8_t version)
{
	if (bytes_be(&frame->bytes, 4) == CQL_RESULT_PREPARED)
		set_statement(frame->message, &frame->bytes);
}

/* Version, flags and operation of a response, for what is behind them. */
static uint32_t note_of(uint8_t version, uint8_t flags, uint8_t operation)
{
	return (uint32_t)version << 16 | (uint32_t)flags << 8 | operation;
}

static void take_body(struct framed_frame *frame, uint32_t note)
{
	uint8_t version = note >> 16 & 0x7f, flags = note >> 8 & 0xff, operation = note & 0xff;

	if (flags & CQL_COMPRESSED)
		return;
	skip_prefix(&frame->bytes, flags, frame->side == PROTOCOL_RESPONSES);
	if (operations[operation].take)
		operations[operation].take(frame, version);
}

static unsigned int take_cassandra(struct framed_frame *frame)
{
	struct protocol_message *message = frame->message;
	uint8_t version, flags, operation;

	if (frame->side == PROTOCOL_RESPONSES) {
		take_body(frame, message->note);
		return 0;
	}
	version = (uint8_t)bytes_be(&frame->bytes, 1);
	flags = (uint8_t)bytes_be(&frame->bytes, 1);
	message->has_key = true;
	message->key = bytes_be(&frame->bytes, 2);
	operation = (uint8_t)bytes_be(&frame->bytes, 1);
	bytes_take(&frame->bytes, 4);
	snprintf(message->method, sizeof(message->method), "%s", operations[operation].name);
	take_body(frame, note_of(version, flags, operation));
	return FRAMED_MESSAGE;
}

static bool cassandra_begin_response(const uint8_t *head, struct protocol_message *message)
{
	message->has_key = true;
	message->key = (uint64_t)head[2] << 8 | head[3];
	message->note = note_of(head[0], head[1], head[4]);
	message->is_aside = head[4] == CQL_EVENT;
	return true;
}

static const struct framed cassandra = {
	.bytes_max = CQL_BYTES_MAX,
	.length = cassandra_length,
	.take = take_cassandra,
	.head_bytes = CQL_HEAD,
	.begin = cassandra_begin_response,
};

/* Whether the CRC-24 of so many bytes follows them, as the specification has it. */
static bool has_checksum(const uint8_t *data, size_t len)
{
	uint32_t crc = 0x875060;

	for (size_t i = 0; i < len; i++) {
		crc ^= (uint32_t)data[i] << 16;
		for (unsigned int bit = 0; bit < 8; bit++) {
			crc <<= 1;
			crc ^= crc & 0x1000000 ? 0x1974f0b : 0;
		}
	}
	data += len;
	return crc == (data[0] | (uint32_t)data[1] << 8 | (uint32_t)data[2] << 16);
}

static bool is_segment(const struct protocol_input *input)
{
	return input->len >= CQL_SEGMENT_HEAD && has_checksum(input->data, 3);
}

/* A head that says how long the segment is without compression, too. */
static bool is_compressed_segment(const struct protocol_input *input)
{
	return input->len >= CQL_COMPRESSED_HEAD && has_checksum(input->data, 5);
}

/* Its length, whether it has whole messages, and the checksum of these. */
static struct protocol_step begin_segment(struct cassandra *own, const struct protocol_input *input)
{
	const uint8_t *data = input->data;
	struct protocol_step step = {.action = PROTOCOL_GOES_ON, .used = CQL_SEGMENT_HEAD};

	if (!is_segment(input)) {
		own->is_opaque = is_compressed_segment(input);
		if (!own->is_opaque)
			step = (struct protocol_step){.action = input->len < CQL_COMPRESSED_HEAD &&
										!input->is_cut
									? PROTOCOL_WAITS
									: PROTOCOL_LOST};
		return step;
	}
	own->has_segments = true;
	own->left = data[0] | (uint32_t)data[1] << 8 | (uint32_t)(data[2] & 1) << 16;
	own->at_checksum = own->left == 0;
	return step;
}

/* What the rest of a message that is longer than its segment has around it. */
static uint32_t extra_of(const struct cassandra *own, uint64_t len)
{
	uint64_t rest = len > own->left ? len - own->left : 0;
	uint64_t segments = (rest + CQL_SEGMENT_MAX - 1) / CQL_SEGMENT_MAX;

	return (uint32_t)(segments * (CQL_SEGMENT_HEAD + CQL_CHECKSUM));
}

static void account(struct cassandra *own, struct protocol_step *step)
{
	uint64_t taken = step->used + step->skip;

	own->left -= taken < own->left ? (uint32_t)taken : own->left;
	own->at_checksum = own->left == 0;
	if (!step->ends)
		return;
	step->skip += own->extra;
	own->extra = 0;
}

static struct protocol_step cassandra_step(enum protocol_side side, void *state,
					   const struct protocol_input *input,
					   struct protocol_message *message,
					   const struct protocol_message *request)
{
	struct cassandra *own = state;
	struct protocol_step step;
	uint64_t len;

	if (own->is_opaque && !own->in_message)
		return (struct protocol_step){
			.action = PROTOCOL_LEAVES, .used = input->len, .is_opaque = true};
	if (own->at_checksum) {
		own->at_checksum = false;
		return (struct protocol_step){
			.action = PROTOCOL_GOES_ON, .used = 1, .skip = CQL_CHECKSUM - 1};
	}
	len = own->in_message ? 0 : cassandra_length(side, input->data, input->len);
	if (own->has_segments ? own->left == 0 : len == FRAMED_WRONG)
		return begin_segment(own, input);
	if (own->has_segments && len != FRAMED_WAITS && len != FRAMED_WRONG)
		own->extra = extra_of(own, len);
	step = framed_step(&cassandra, side, state, input, message, request);
	if (step.action != PROTOCOL_GOES_ON)
		return step;
	own->in_message = step.begins && !step.ends;
	if (own->left)
		account(own, &step);
	return step;
}

/* STARTUP has a map that begins with the version, OPTIONS has nothing. */
static bool is_sure(const struct protocol_input *input)
{
	static const char version[] = "\0\x0b"
				      "CQL_VERSION";
	size_t at = CQL_HEAD + 2, len = sizeof(version) - 1;

	if (input->len < CQL_HEAD)
		return false;
	if (input->data[4] == CQL_OPTIONS)
		return memcmp(input->data + 5, "\0\0\0\0", 4) == 0;
	return input->data[4] == CQL_STARTUP && input->len >= at + len &&
	       memmem(input->data + at, input->len - at, version, len);
}

static enum protocol_verdict cassandra_recognise(enum protocol_side side,
						 const struct protocol_input *input)
{
	uint64_t len = cassandra_length(side, input->data, input->len);

	if (len == FRAMED_WRONG || len == FRAMED_WAITS)
		return len == FRAMED_WRONG ? PROTOCOL_NO : PROTOCOL_SHORT;
	return side == PROTOCOL_REQUESTS && is_sure(input) ? PROTOCOL_YES : PROTOCOL_MAYBE;
}

/* Only where a read begins. */
static size_t cassandra_find(enum protocol_side side, const struct protocol_input *input)
{
	bool is_found = cassandra_recognise(side, input) != PROTOCOL_NO || is_segment(input);

	return is_found ? 0 : input->len;
}

const struct protocol protocol_cassandra = {
	.name = "cassandra",
	.number = request_protocols__cassandra,
	.class = PROTOCOL_OF_DATABASES,
	.has_statements = true,
	.recognise = cassandra_recognise,
	.step = cassandra_step,
	.find = cassandra_find,
};
