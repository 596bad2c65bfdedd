/* SPDX-License-Identifier: MIT */
/*
 * MongoDB: OP_MSG, and what came before it. A request is a command, its target the collection,
 * never what is in documents. Responses have the number of their request. A command that wants no
 * answer, and the old messages that never have one, are one-way. Of exhaust cursors the first
 * answer is the response, those that follow are aside. Compressed messages have the method
 * OP_COMPRESSED, and nothing more is known of them, but of snappy's whether they want an answer.
 */
#include <stdio.h>
#include <string.h>

#include "event/event.h"
#include "requests/protocols/framed.h"

enum {
	MONGODB_HEAD = 16,
	MONGODB_BYTES_MAX = 1000, /* of a message, that are looked at */
	MONGODB_REQUEST_MIN = 24,
	MONGODB_MESSAGE_MAX = 48000000 + (1 << 14),
	MONGODB_ELEMENTS_MAX = 64, /* of a document, that are looked at */
	FLAGS_KNOWN = 1 << 16 | 3,
	FLAG_MORE_TO_COME = 2,
	COMPRESSOR_NONE = 0,
	COMPRESSOR_SNAPPY = 1,
};

enum mongodb_operation {
	OP_REPLY = 1,
	OP_UPDATE = 2001,
	OP_INSERT = 2002,
	OP_QUERY = 2004,
	OP_GET_MORE = 2005,
	OP_DELETE = 2006,
	OP_KILL_CURSORS = 2007,
	OP_COMPRESSED = 2012,
	OP_MSG = 2013,
};

/* What is known of a side: of responses the number that the next one of an exhaust cursor names. */
struct mongodb {
	uint32_t last;
	bool goes_on;
};

struct mongodb_head {
	uint32_t length, number, answers, operation;
};

static struct mongodb_head read_head(struct bytes *bytes)
{
	struct mongodb_head head = {0};

	head.length = (uint32_t)bytes_le(bytes, 4);
	head.number = (uint32_t)bytes_le(bytes, 4);
	head.answers = (uint32_t)bytes_le(bytes, 4);
	head.operation = (uint32_t)bytes_le(bytes, 4);
	return head;
}

/* How types of BSON go on behind the name. */
enum bson_form { BSON_FIXED, BSON_STRING, BSON_DOCUMENT, BSON_BINARY, BSON_OTHER };

enum {
	BSON_DOUBLE = 1,
	BSON_TEXT = 2,
	BSON_BOOL = 8,
	BSON_INT32 = 16,
	BSON_INT64 = 18,
	BSON_TYPES = 20,
};

static const struct {
	uint8_t form; /* enum bson_form */
	uint8_t bytes; /* of BSON_FIXED; behind the text of BSON_STRING */
} bson_types[BSON_TYPES] = {
	[0] = {BSON_OTHER},
	[BSON_DOUBLE] = {BSON_FIXED, 8},
	[BSON_TEXT] = {BSON_STRING},
	[3] = {BSON_DOCUMENT},
	[4] = {BSON_DOCUMENT},
	[5] = {BSON_BINARY},
	[6] = {BSON_FIXED, 0},
	[7] = {BSON_FIXED, 12},
	[BSON_BOOL] = {BSON_FIXED, 1},
	[9] = {BSON_FIXED, 8},
	[10] = {BSON_FIXED, 0},
	[11] = {BSON_OTHER},
	[12] = {BSON_STRING, 12},
	[13] = {BSON_STRING},
	[14] = {BSON_STRING},
	[15] = {BSON_DOCUMENT},
	[BSON_INT32] = {BSON_FIXED, 4},
	[17] = {BSON_FIXED, 8},
	[BSON_INT64] = {BSON_FIXED, 8},
	[19] = {BSON_FIXED, 16},
};

/* An element of a document: its value, as far as it is known. */
struct bson_element {
	uint8_t type;
	struct protocol_text name;
	struct bytes value;
};

static uint64_t value_bytes(uint8_t type, struct bytes bytes)
{
	uint64_t len;

	if (bson_types[type].form == BSON_FIXED)
		return bson_types[type].bytes;
	len = bytes_le(&bytes, 4);
	if (bson_types[type].form == BSON_STRING)
		return 4 + len + bson_types[type].bytes;
	if (bson_types[type].form == BSON_DOCUMENT)
		return len;
	return bson_types[type].form == BSON_BINARY ? 4 + 1 + len : UINT64_MAX;
}

/* The next one; false: there is none that is understood. */
static bool next_element(struct bytes *bytes, struct bson_element *element)
{
	const uint8_t *end;
	uint64_t len;

	element->type = (uint8_t)bytes_be(bytes, 1);
	end = memchr(bytes->at, 0, bytes_left(bytes));
	if (bytes->is_short || !end || element->type == 0 || element->type >= BSON_TYPES)
		return false;
	element->name = (struct protocol_text){bytes->at, (size_t)(end - bytes->at)};
	bytes_take(bytes, element->name.len + 1);
	len = value_bytes(element->type, *bytes);
	element->value = *bytes;
	if (len < bytes_left(bytes))
		element->value.end = bytes->at + len;
	bytes_take(bytes, len);
	return true;
}

/* Its text, which ends with a NUL. */
static void put_string(const struct bson_element *element, char *to, size_t room)
{
	struct bytes value = element->value;
	uint64_t len = bytes_le(&value, 4);

	if (element->type == BSON_TEXT && len)
		bytes_text(&value, len - 1, to, room);
}

/* The first element is the command, and what it is about; others have that in another one. */
static void take_command(struct bytes document, struct protocol_message *message)
{
	struct bson_element element;
	bool is_other;

	bytes_take(&document, 4);
	if (!next_element(&document, &element))
		return;
	protocol_text_put(message->method, MESSAGE_METHOD_BYTES, element.name.data,
			  element.name.len);
	put_string(&element, message->target, MESSAGE_TARGET_BYTES);
	is_other = strcmp(message->method, "getMore") == 0;
	for (unsigned int i = 0; i < MONGODB_ELEMENTS_MAX && is_other; i++) {
		if (!next_element(&document, &element))
			return;
		if (protocol_text_is(element.name, "collection"))
			put_string(&element, message->target, MESSAGE_TARGET_BYTES);
	}
}

/* A number that is 0 whatever its type is. */
static bool is_zero(const struct bson_element *element)
{
	struct bytes value = element->value;
	bool is_number = element->type == BSON_DOUBLE || element->type == BSON_INT32 ||
			 element->type == BSON_INT64 || element->type == BSON_BOOL;

	return is_number && bytes_le(&value, bson_types[element->type].bytes) == 0 &&
	       !value.is_short;
}

/* Documents of errors are small: what is behind the known bytes is none. */
static void take_result(struct bytes document, struct protocol_message *message)
{
	struct bson_element element;
	char name[MESSAGE_ERROR_BYTES] = "";
	bool has_failed = false, has_write_errors = false, has_code = false;
	int32_t code = 0;

	bytes_take(&document, 4);
	for (unsigned int i = 0; i < MONGODB_ELEMENTS_MAX && next_element(&document, &element);
	     i++) {
		has_failed |= protocol_text_is(element.name, "ok") && is_zero(&element);
		has_write_errors |= protocol_text_is(element.name, "writeErrors");
		if (protocol_text_is(element.name, "codeName"))
			put_string(&element, name, sizeof(name));
		if (protocol_text_is(element.name, "code") && element.type == BSON_INT32) {
			code = (int32_t)bytes_le(&element.value, 4);
			has_code = !element.value.is_short;
		}
	}
	if (has_failed) {
		message->has_status = has_code;
		message->status = code;
		if (name[0])
			memcpy(message->error, name, sizeof(name));
		else if (has_code)
			snprintf(message->error, MESSAGE_ERROR_BYTES, "%d", code);
		else
			snprintf(message->error, MESSAGE_ERROR_BYTES, "CommandFailed");
	} else if (has_write_errors)
		snprintf(message->error, MESSAGE_ERROR_BYTES, "WriteError");
}

static void mongodb_put_method(struct protocol_message *message, const char *method)
{
	snprintf(message->method, MESSAGE_METHOD_BYTES, "%s", method);
}

typedef void mongodb_take(struct framed_frame *frame);

/* Which command has a list of that name. */
static const struct {
	const char *list, *method;
} lists[] = {{"documents", "insert"}, {"updates", "update"}, {"deletes", "delete"}};

static void put_command_of(struct bytes list, struct protocol_message *message)
{
	const uint8_t *name = list.at;
	const uint8_t *end = memchr(name, 0, bytes_left(&list));

	for (size_t i = 0; end && i < sizeof(lists) / sizeof(lists[0]); i++)
		if (strcmp((const char *)name, lists[i].list) == 0)
			mongodb_put_method(message, lists[i].method);
}

/*
 * The document that is no list of others, which may stand behind one. If it is behind what is
 * known, the list tells the command.
 */
static struct bytes find_body(struct bytes bytes, struct protocol_message *message)
{
	while (bytes_be(&bytes, 1) == 1 && !bytes.is_short) {
		struct bytes list = bytes, name = bytes;

		bytes_take(&bytes, bytes_le(&list, 4));
		bytes_take(&name, 4);
		if (bytes.is_short)
			put_command_of(name, message);
	}
	return bytes;
}

static void mongodb_take_message(struct framed_frame *frame)
{
	bool is_request = frame->side == PROTOCOL_REQUESTS;
	uint32_t flags = (uint32_t)bytes_le(&frame->bytes, 4);
	struct mongodb *mongodb = frame->state;
	struct bytes body;

	if (is_request) {
		frame->message->is_oneway = flags & FLAG_MORE_TO_COME;
		body = find_body(frame->bytes, frame->message);
		if (bytes_left(&body))
			take_command(body, frame->message);
		return;
	}
	mongodb->goes_on = flags & FLAG_MORE_TO_COME;
	take_result(find_body(frame->bytes, frame->message), frame->message);
}

/* Behind the name of the database. */
static void put_collection(struct bytes *bytes, struct protocol_message *message)
{
	const uint8_t *end = memchr(bytes->at, 0, bytes_left(bytes));
	size_t len = end ? (size_t)(end - bytes->at) : bytes_left(bytes);
	const uint8_t *dot = memchr(bytes->at, '.', len);
	size_t skip = dot ? (size_t)(dot + 1 - bytes->at) : 0;

	protocol_text_put(message->target, MESSAGE_TARGET_BYTES, bytes->at + skip, len - skip);
	bytes_take(bytes, len + 1);
}

/* Commands are queries of $cmd. */
static void mongodb_take_query(struct framed_frame *frame)
{
	struct protocol_message *message = frame->message;

	bytes_take(&frame->bytes, 4);
	mongodb_put_method(message, "query");
	put_collection(&frame->bytes, message);
	if (strcmp(message->target, "$cmd") != 0)
		return;
	message->target[0] = '\0';
	bytes_take(&frame->bytes, 4 + 4);
	take_command(frame->bytes, message);
}

static void take_reply(struct framed_frame *frame)
{
	bytes_take(&frame->bytes, 4 + 8 + 4 + 4);
	take_result(frame->bytes, frame->message);
}

static void take_of_collection(struct framed_frame *frame, const char *method, bool is_oneway)
{
	mongodb_put_method(frame->message, method);
	frame->message->is_oneway = is_oneway;
	bytes_take(&frame->bytes, 4);
	put_collection(&frame->bytes, frame->message);
}

static void take_update(struct framed_frame *frame)
{
	take_of_collection(frame, "update", true);
}

static void take_insert(struct framed_frame *frame)
{
	take_of_collection(frame, "insert", true);
}

static void take_delete(struct framed_frame *frame)
{
	take_of_collection(frame, "delete", true);
}

static void take_get_more(struct framed_frame *frame)
{
	take_of_collection(frame, "getMore", false);
}

static void take_kill_cursors(struct framed_frame *frame)
{
	mongodb_put_method(frame->message, "killCursors");
	frame->message->is_oneway = true;
}

/*
 * The first byte of the flags of an OP_MSG. Snappy has the length in front, of seven bits a byte,
 * and begins with bytes as they are, whose number is in one byte or up to five; -1: not known.
 */
static int first_of_snappy(struct bytes bytes)
{
	uint64_t literal;
	unsigned int more;

	bytes_varint(&bytes);
	literal = bytes_be(&bytes, 1);
	more = literal >> 2 < 60 ? 0 : (unsigned int)(literal >> 2) - 59;
	bytes_take(&bytes, more);
	if (literal & 3 || bytes.is_short || !bytes_left(&bytes))
		return -1;
	return (int)bytes_be(&bytes, 1);
}

/* What was before, its length, and who compressed it: nobody if that is 0. */
static void take_compressed(struct framed_frame *frame)
{
	struct protocol_message *message = frame->message;
	uint32_t operation = (uint32_t)bytes_le(&frame->bytes, 4);
	uint64_t compressor;
	int flags;

	bytes_take(&frame->bytes, 4);
	compressor = bytes_be(&frame->bytes, 1);
	if (operation == OP_MSG && compressor == COMPRESSOR_NONE) {
		mongodb_take_message(frame);
		return;
	}
	mongodb_put_method(message, "OP_COMPRESSED");
	if (operation != OP_MSG || compressor != COMPRESSOR_SNAPPY ||
	    frame->side != PROTOCOL_REQUESTS)
		return;
	flags = first_of_snappy(frame->bytes);
	message->is_oneway = flags > 0 && flags & FLAG_MORE_TO_COME;
}

static const struct mongodb_row {
	uint16_t operation; /* enum mongodb_operation */
	bool is_sent[PROTOCOL_SIDES];
	uint8_t min; /* bytes of a message */
	mongodb_take *take;
} rows[] = {
	{OP_MSG, {true, true}, 26, mongodb_take_message},
	{OP_COMPRESSED, {true, true}, 25, take_compressed},
	{OP_QUERY, {true, false}, 34, mongodb_take_query},
	{OP_REPLY, {false, true}, 36, take_reply},
	{OP_UPDATE, {true, false}, 36, take_update},
	{OP_INSERT, {true, false}, 27, take_insert},
	{OP_GET_MORE, {true, false}, 34, take_get_more},
	{OP_DELETE, {true, false}, 31, take_delete},
	{OP_KILL_CURSORS, {true, false}, 24, take_kill_cursors},
};

static const struct mongodb_row *mongodb_find_row(uint32_t operation)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].operation == operation)
			return &rows[i];
	return NULL;
}

static bool is_length(uint32_t length)
{
	return length >= MONGODB_REQUEST_MIN && length <= MONGODB_MESSAGE_MAX;
}

static uint64_t mongodb_length(enum protocol_side side, const uint8_t *data, size_t len)
{
	struct bytes bytes = bytes_begin(data, len);
	struct mongodb_head head = read_head(&bytes);
	const struct mongodb_row *row = mongodb_find_row(head.operation);

	if (len >= 4 && !is_length(head.length))
		return FRAMED_WRONG;
	if (len >= 12 && (head.answers != 0) != (side == PROTOCOL_RESPONSES))
		return FRAMED_WRONG;
	if (bytes.is_short)
		return FRAMED_WAITS;
	return row && row->is_sent[side] && head.length >= row->min ? head.length : FRAMED_WRONG;
}

static unsigned int take_mongodb(struct framed_frame *frame)
{
	struct mongodb *mongodb = frame->state;
	struct mongodb_head head = read_head(&frame->bytes);
	bool is_response = frame->side == PROTOCOL_RESPONSES;

	frame->message->has_key = true;
	frame->message->key = is_response ? head.answers : head.number;
	frame->message->is_aside = is_response && mongodb->goes_on && mongodb->last == head.answers;
	mongodb->goes_on = false;
	mongodb->last = head.number;
	mongodb_find_row(head.operation)->take(frame);
	return FRAMED_MESSAGE;
}

static const struct framed mongodb = {
	.bytes_max = MONGODB_BYTES_MAX,
	.length = mongodb_length,
	.take = take_mongodb,
};

static struct protocol_step mongodb_step(enum protocol_side side, void *state,
					 const struct protocol_input *input,
					 struct protocol_message *message,
					 const struct protocol_message *request)
{
	return framed_step(&mongodb, side, state, input, message, request);
}

/* Of OP_MSG the flags, and what the first section is, are looked at, too. */
static enum protocol_verdict mongodb_recognise(enum protocol_side side,
					       const struct protocol_input *input)
{
	uint64_t len = mongodb_length(side, input->data, input->len);
	struct bytes bytes = bytes_begin(input->data, input->len);
	struct mongodb_head head;
	uint32_t flags;
	uint8_t kind;

	if (len == FRAMED_WRONG || len == FRAMED_WAITS)
		return len == FRAMED_WRONG ? PROTOCOL_NO : PROTOCOL_SHORT;
	head = read_head(&bytes);
	if (head.operation != OP_MSG)
		return PROTOCOL_YES;
	flags = (uint32_t)bytes_le(&bytes, 4);
	kind = (uint8_t)bytes_be(&bytes, 1);
	if (bytes.is_short)
		return PROTOCOL_SHORT;
	return flags & ~(uint32_t)FLAGS_KNOWN || kind > 1 ? PROTOCOL_NO : PROTOCOL_YES;
}

/* Only where a read begins. */
static size_t mongodb_find(enum protocol_side side, const struct protocol_input *input)
{
	return mongodb_recognise(side, input) == PROTOCOL_NO ? input->len : 0;
}

const struct protocol protocol_mongodb = {
	.name = "mongodb",
	.number = request_protocols__mongodb,
	.class = PROTOCOL_OF_DATABASES,
	.recognise = mongodb_recognise,
	.step = mongodb_step,
	.find = mongodb_find,
};
