/* SPDX-License-Identifier: MIT */
/*
 * FastCGI. A request is what a web server asks of a program: method, path and host from its
 * parameters, the status from the head of what the program prints, 200 if that has none, or 302
 * with a Location, and not known if the head is longer than its first record. Responses have the id
 * of their request. Parameters that cross the end of a record are not read.
 *
 * If records of two requests mix, the size of the one that began first is that of what came before
 * the other one.
 */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "event/event.h"
#include "requests/protocols/framed.h"

enum {
	FASTCGI_HEAD = 8,
	FASTCGI_BYTES_MAX = 8192, /* of a record, that are looked at */
	FASTCGI_VERSION = 1,
	FASTCGI_BEGIN_BYTES = 8,
	FASTCGI_ROLE_MAX = 3,
	FASTCGI_OK = 200,
	FASTCGI_FOUND = 302,
};

enum fastcgi_type {
	FASTCGI_BEGIN = 1,
	FASTCGI_ABORT,
	FASTCGI_END,
	FASTCGI_PARAMS,
	FASTCGI_STDIN,
	FASTCGI_STDOUT,
	FASTCGI_STDERR,
	FASTCGI_DATA,
	FASTCGI_GET_VALUES,
	FASTCGI_GET_VALUES_RESULT,
	FASTCGI_UNKNOWN_TYPE,
	FASTCGI_TYPES,
};

/* What is known of a side. */
struct fastcgi {
	uint16_t id; /* of the message that is open */
	bool is_open;
	bool has_output; /* the head of it was read */
};

struct fastcgi_record {
	uint8_t type, padding;
	uint16_t id, content;
};

typedef unsigned int fastcgi_take(struct framed_frame *frame, const struct fastcgi_record *record);

static fastcgi_take fastcgi_take_begin, take_abort, take_params, take_input, take_output,
	take_errors, fastcgi_take_end, fastcgi_take_nothing;

/* What each side sends. */
static fastcgi_take *const takes[PROTOCOL_SIDES][FASTCGI_TYPES] = {
	[PROTOCOL_REQUESTS] = {[FASTCGI_BEGIN] = fastcgi_take_begin,
			       [FASTCGI_ABORT] = take_abort,
			       [FASTCGI_PARAMS] = take_params,
			       [FASTCGI_STDIN] = take_input,
			       [FASTCGI_DATA] = fastcgi_take_nothing,
			       [FASTCGI_GET_VALUES] = fastcgi_take_nothing},
	[PROTOCOL_RESPONSES] = {[FASTCGI_END] = fastcgi_take_end,
				[FASTCGI_STDOUT] = take_output,
				[FASTCGI_STDERR] = take_errors,
				[FASTCGI_GET_VALUES_RESULT] = fastcgi_take_nothing,
				[FASTCGI_UNKNOWN_TYPE] = fastcgi_take_nothing},
};

/* The end of a request says whether it was taken at all. */
static const char *const protocol_statuses[] = {
	[1] = "CANT_MPX_CONN",
	[2] = "OVERLOADED",
	[3] = "UNKNOWN_ROLE",
};

/* Where a parameter goes. */
struct fastcgi_param {
	const char *name;
	size_t offset, room; /* in a message */
	bool yields; /* to another one that goes there */
};

#define PARAM_ROOM(member)                                                                         \
	offsetof(struct protocol_message, member), sizeof(((struct protocol_message *)0)->member)

static const struct fastcgi_param params[] = {
	{"REQUEST_METHOD", PARAM_ROOM(method)},
	{"REQUEST_URI", PARAM_ROOM(target)},
	{"SCRIPT_NAME", PARAM_ROOM(target), true},
	{"HTTP_HOST", PARAM_ROOM(host)},
};

static struct fastcgi_record read_record(struct bytes *bytes)
{
	struct fastcgi_record record;

	bytes_take(bytes, 1);
	record.type = (uint8_t)bytes_be(bytes, 1);
	record.id = (uint16_t)bytes_be(bytes, 2);
	record.content = (uint16_t)bytes_be(bytes, 2);
	record.padding = (uint8_t)bytes_be(bytes, 1);
	bytes_take(bytes, 1);
	return record;
}

static uint64_t fastcgi_length(enum protocol_side side, const uint8_t *data, size_t len)
{
	struct bytes bytes = bytes_begin(data, len);
	struct fastcgi_record record = read_record(&bytes);

	if (data[0] != FASTCGI_VERSION ||
	    (len > 1 && (record.type >= FASTCGI_TYPES || !takes[side][record.type])))
		return FRAMED_WRONG;
	if (bytes.is_short)
		return FRAMED_WAITS;
	if (record.type == FASTCGI_BEGIN && record.content != FASTCGI_BEGIN_BYTES)
		return FRAMED_WRONG;
	return FASTCGI_HEAD + (uint64_t)record.content + record.padding;
}

/* Whether the record belongs to the message that is open. */
static bool is_of_open(const struct framed_frame *frame, const struct fastcgi_record *record)
{
	const struct fastcgi *fastcgi = frame->state;

	return fastcgi->is_open && fastcgi->id == record->id;
}

/* A message begins with the record; one that is open has ended before. */
static unsigned int fastcgi_begin(struct framed_frame *frame, const struct fastcgi_record *record)
{
	struct fastcgi *fastcgi = frame->state;

	if (fastcgi->is_open) {
		fastcgi->is_open = false;
		return FRAMED_BEFORE;
	}
	*fastcgi = (struct fastcgi){.id = record->id, .is_open = true};
	frame->message->has_key = true;
	frame->message->key = record->id;
	return FRAMED_BEGINS;
}

static unsigned int fastcgi_end(struct framed_frame *frame)
{
	struct fastcgi *fastcgi = frame->state;

	fastcgi->is_open = false;
	return FRAMED_ENDS;
}

static unsigned int fastcgi_take_nothing(struct framed_frame *frame,
					 const struct fastcgi_record *record)
{
	return 0;
}

static unsigned int fastcgi_take_begin(struct framed_frame *frame,
				       const struct fastcgi_record *record)
{
	return fastcgi_begin(frame, record);
}

static unsigned int take_abort(struct framed_frame *frame, const struct fastcgi_record *record)
{
	return is_of_open(frame, record) ? fastcgi_end(frame) : 0;
}

static unsigned int take_input(struct framed_frame *frame, const struct fastcgi_record *record)
{
	if (!is_of_open(frame, record))
		return 0;
	return record->content ? FRAMED_GOES_ON : fastcgi_end(frame);
}

/* In a byte, or in four with the uppermost bit set. */
static uint64_t read_size(struct bytes *bytes)
{
	uint64_t size = bytes_be(bytes, 1);

	return size & 0x80 ? (size & 0x7f) << 24 | bytes_be(bytes, 3) : size;
}

/* A path without its query. */
static void put_param(struct protocol_message *message, struct protocol_text name,
		      const uint8_t *value, size_t len)
{
	for (size_t i = 0; i < sizeof(params) / sizeof(params[0]); i++) {
		char *to = (char *)message + params[i].offset;
		const uint8_t *query;

		if (!protocol_text_is(name, params[i].name) || (*to && params[i].yields))
			continue;
		query = to == message->target ? memchr(value, '?', len) : NULL;
		protocol_text_put(to, params[i].room, value, query ? (size_t)(query - value) : len);
		return;
	}
}

static unsigned int take_params(struct framed_frame *frame, const struct fastcgi_record *record)
{
	struct bytes *bytes = &frame->bytes;

	if (!is_of_open(frame, record))
		return 0;
	if (record->content < bytes_left(bytes))
		bytes->end = bytes->at + record->content;
	while (bytes_left(bytes)) {
		uint64_t name_len = read_size(bytes), len = read_size(bytes);
		const uint8_t *name = bytes_take(bytes, name_len), *value = bytes_take(bytes, len);

		if (value)
			put_param(frame->message, (struct protocol_text){name, (size_t)name_len},
				  value, (size_t)len);
	}
	return FRAMED_GOES_ON;
}

static void fastcgi_put_status(struct protocol_message *message, int32_t status)
{
	message->has_status = true;
	message->status = status;
	message->error[0] = '\0';
	/* As of HTTP. */
	message->blames_client = status < 500;
	if (status >= 400)
		snprintf(message->error, MESSAGE_ERROR_BYTES, "%d", status);
}

/* What stands behind a name and a colon on a line; len 0: another name, or nothing. */
static struct protocol_text value_of(struct protocol_text line, const char *name)
{
	struct protocol_text value = {line.data, 0};
	size_t at = strlen(name);

	if (line.len <= at || line.data[at] != ':' ||
	    strncasecmp((const char *)line.data, name, at) != 0)
		return value;
	at++;
	while (at < line.len && (line.data[at] == ' ' || line.data[at] == '\t'))
		at++;
	return (struct protocol_text){line.data + at, line.len - at};
}

/* Status: 404 Not Found, on a line of the head; -1: none of three digits. */
static int32_t status_of_line(struct protocol_text line)
{
	struct protocol_text value = value_of(line, "Status");

	if (value.len < 3)
		return -1;
	value.len = 3;
	return (int32_t)protocol_text_number(value);
}

/*
 * The lines of a head, or as many as are there. A status that is none is the one that has no name:
 * 200, or 302 of one that sends the client elsewhere. -1: none is known, as the head goes on.
 */
static int32_t find_status(struct bytes bytes)
{
	int32_t otherwise = FASTCGI_OK, status;
	struct protocol_text line;
	size_t used;

	while (bytes_left(&bytes) &&
	       protocol_text_line(bytes.at, bytes_left(&bytes), true, FASTCGI_BYTES_MAX, &line,
				  &used) == LINE_WHOLE) {
		if (!line.len)
			return otherwise;
		bytes_take(&bytes, used);
		status = status_of_line(line);
		if (status >= 0)
			return status;
		if (value_of(line, "Location").len)
			otherwise = FASTCGI_FOUND;
	}
	return -1;
}

static unsigned int take_errors(struct framed_frame *frame, const struct fastcgi_record *record)
{
	return is_of_open(frame, record) ? FRAMED_GOES_ON : fastcgi_begin(frame, record);
}

static unsigned int take_output(struct framed_frame *frame, const struct fastcgi_record *record)
{
	struct fastcgi *fastcgi = frame->state;
	unsigned int kind =
		is_of_open(frame, record) ? FRAMED_GOES_ON : fastcgi_begin(frame, record);
	struct bytes head = frame->bytes;
	int32_t status;

	if (kind == FRAMED_BEFORE || fastcgi->has_output || !record->content)
		return kind;
	if (record->content < bytes_left(&head))
		head.end = head.at + record->content;
	status = find_status(head);
	if (status >= 0)
		fastcgi_put_status(frame->message, status);
	fastcgi->has_output = true;
	return kind;
}

/* Its status of the program, and that of the protocol. */
static unsigned int fastcgi_take_end(struct framed_frame *frame,
				     const struct fastcgi_record *record)
{
	unsigned int kind =
		is_of_open(frame, record) ? FRAMED_GOES_ON : fastcgi_begin(frame, record);
	uint8_t status;

	if (kind == FRAMED_BEFORE)
		return kind;
	bytes_take(&frame->bytes, 4);
	status = (uint8_t)bytes_be(&frame->bytes, 1);
	if (status && status < sizeof(protocol_statuses) / sizeof(protocol_statuses[0])) {
		frame->message->blames_client = false;
		snprintf(frame->message->error, MESSAGE_ERROR_BYTES, "%s",
			 protocol_statuses[status]);
	}
	return kind | fastcgi_end(frame);
}

static unsigned int take_fastcgi(struct framed_frame *frame)
{
	struct fastcgi_record record = read_record(&frame->bytes);

	return takes[frame->side][record.type](frame, &record);
}

static const struct framed fastcgi = {
	.bytes_max = FASTCGI_BYTES_MAX,
	.length = fastcgi_length,
	.take = take_fastcgi,
};

static struct protocol_step fastcgi_step(enum protocol_side side, void *state,
					 const struct protocol_input *input,
					 struct protocol_message *message,
					 const struct protocol_message *request)
{
	return framed_step(&fastcgi, side, state, input, message, request);
}

/* A request begins with a role and nothing else: that is sure. Any other record is likely. */
static enum protocol_verdict fastcgi_recognise(enum protocol_side side,
					       const struct protocol_input *input)
{
	uint64_t len = fastcgi_length(side, input->data, input->len);
	struct bytes bytes = bytes_begin(input->data, input->len);
	struct fastcgi_record record = read_record(&bytes);
	uint64_t role;

	if (len == FRAMED_WRONG)
		return PROTOCOL_NO;
	/* The last byte of the head is reserved. */
	if (len == FRAMED_WAITS)
		return PROTOCOL_SHORT;
	if (input->data[FASTCGI_HEAD - 1] || !record.id != (record.type >= FASTCGI_GET_VALUES))
		return PROTOCOL_NO;
	if (record.type != FASTCGI_BEGIN)
		return PROTOCOL_MAYBE;
	role = bytes_be(&bytes, 2);
	if (bytes_be(&bytes, 1) > 1 || (!bytes.is_short && (!role || role > FASTCGI_ROLE_MAX)))
		return PROTOCOL_NO;
	if (bytes_be(&bytes, 5))
		return PROTOCOL_NO;
	return bytes.is_short ? PROTOCOL_MAYBE : PROTOCOL_YES;
}

/* Only where a read begins. */
static size_t fastcgi_find(enum protocol_side side, const struct protocol_input *input)
{
	return fastcgi_recognise(side, input) == PROTOCOL_NO ? input->len : 0;
}

const struct protocol protocol_fastcgi = {
	.name = "fastcgi",
	.number = request_protocols__fastcgi,
	.class = PROTOCOL_OF_OTHERS,
	.recognise = fastcgi_recognise,
	.step = fastcgi_step,
	.find = fastcgi_find,
};
