/* SPDX-License-Identifier: MIT */
/*
 * Dubbo 2. A request is a call, its target the service and its method the method, or a heartbeat of
 * the client. What they are is read if they are written in Hessian 2 or as JSON; of other
 * serializations only number, status and size are known. An exception that a service throws is an
 * error, though its status is OK. Heartbeats of the server, and their answers, are no requests.
 * Dubbo 3 speaks gRPC.
 */
#include <stdio.h>
#include <string.h>

#include "event/event.h"
#include "requests/protocols/framed.h"

enum {
	DUBBO_HEAD = 16,
	DUBBO_BYTES_MAX = 800, /* of a message, that are looked at */
	DUBBO_BODY_MAX = 1 << 26,
	DUBBO_MAGIC = 0xdabb,
	DUBBO_REQUEST = 0x80,
	DUBBO_TWO_WAY = 0x40,
	DUBBO_EVENT = 0x20,
	DUBBO_SERIALIZATION = 0x1f,
	DUBBO_HESSIAN = 2,
	DUBBO_JSON = 6,
	DUBBO_SERIALIZATION_MIN = 2,
	DUBBO_SERIALIZATION_MAX = 25,
	DUBBO_OK = 20,
	DUBBO_EXCEPTION = 0, /* what a body begins with, without and with attachments */
	DUBBO_EXCEPTION_ATTACHED = 3,
	HESSIAN_ZERO = 0x90, /* the number 0 */
};

struct dubbo_head {
	uint8_t flags, status;
	uint64_t key, body;
};

static const struct {
	uint8_t status;
	const char *name;
} statuses[] = {
	{20, "OK"},
	{25, "SERIALIZATION_ERROR"},
	{30, "CLIENT_TIMEOUT"},
	{31, "SERVER_TIMEOUT"},
	{35, "CHANNEL_INACTIVE"},
	{40, "BAD_REQUEST"},
	{50, "BAD_RESPONSE"},
	{60, "SERVICE_NOT_FOUND"},
	{70, "SERVICE_ERROR"},
	{80, "SERVER_ERROR"},
	{90, "CLIENT_ERROR"},
	{100, "THREADPOOL_EXHAUSTED"},
};

static const char *dubbo_status_name(int32_t status)
{
	for (size_t i = 0; i < sizeof(statuses) / sizeof(statuses[0]); i++)
		if (statuses[i].status == status)
			return statuses[i].name;
	return "UNKNOWN";
}

static struct dubbo_head read_head(struct bytes *bytes)
{
	struct dubbo_head head;

	bytes_take(bytes, 2);
	head.flags = (uint8_t)bytes_be(bytes, 1);
	head.status = (uint8_t)bytes_be(bytes, 1);
	head.key = bytes_be(bytes, 8);
	head.body = bytes_be(bytes, 4);
	return head;
}

static bool is_serialization(uint8_t flags)
{
	uint8_t number = flags & DUBBO_SERIALIZATION;

	return number >= DUBBO_SERIALIZATION_MIN && number <= DUBBO_SERIALIZATION_MAX;
}

static uint64_t dubbo_length(enum protocol_side side, const uint8_t *data, size_t len)
{
	static const uint8_t magic[] = {DUBBO_MAGIC >> 8, DUBBO_MAGIC & 0xff};
	struct bytes bytes = bytes_begin(data, len);
	struct dubbo_head head = read_head(&bytes);

	if (memcmp(data, magic, len < sizeof(magic) ? len : sizeof(magic)) != 0 ||
	    (len > 2 && !is_serialization(head.flags)))
		return FRAMED_WRONG;
	if (bytes.is_short)
		return FRAMED_WAITS;
	return head.body <= DUBBO_BODY_MAX ? DUBBO_HEAD + head.body : FRAMED_WRONG;
}

/* Up to so many characters of UTF-8; what is not known of them is missing. */
static void skip_characters(struct bytes *bytes, size_t count)
{
	for (; count && !bytes->is_short; count--) {
		uint8_t first = (uint8_t)bytes_be(bytes, 1);

		bytes_take(bytes, first >= 0xe0 ? 2 : first >= 0xc0 ? 1 : 0);
	}
}

/* The next text of Hessian, which is short or null. */
static struct protocol_text hessian_text(struct bytes *bytes)
{
	uint8_t tag = (uint8_t)bytes_be(bytes, 1);
	struct protocol_text text = {0};
	size_t count = 0;

	if (tag < 0x20)
		count = tag;
	else if (tag >= 0x30 && tag < 0x34)
		count = (size_t)(tag - 0x30) << 8 | bytes_be(bytes, 1);
	else if (tag == 'S')
		count = bytes_be(bytes, 2);
	else if (tag != 'N')
		bytes_take(bytes, UINT64_MAX);
	text.data = bytes->at;
	skip_characters(bytes, count);
	text.len = (size_t)(bytes->at - text.data);
	return text;
}

/* A text on a line of its own, between quotes, or null. */
static struct protocol_text json_text(struct bytes *bytes)
{
	const uint8_t *end = memchr(bytes->at, '\n', bytes_left(bytes));
	struct protocol_text text = {bytes->at, end ? (size_t)(end - bytes->at) : 0};

	bytes_take(bytes, end ? text.len + 1 : UINT64_MAX);
	text.len -= text.len && text.data[text.len - 1] == '\r';
	if (text.len < 2 || text.data[0] != '"')
		return (struct protocol_text){0};
	return (struct protocol_text){text.data + 1, text.len - 2};
}

/* Version of Dubbo, service, its version, method. */
static void take_call(struct bytes *bytes, struct protocol_text (*next)(struct bytes *bytes),
		      struct protocol_message *message)
{
	struct protocol_text text;

	next(bytes);
	text = next(bytes);
	if (text.len)
		protocol_text_put(message->target, MESSAGE_TARGET_BYTES, text.data, text.len);
	next(bytes);
	text = next(bytes);
	if (text.len)
		protocol_text_put(message->method, MESSAGE_METHOD_BYTES, text.data, text.len);
}

/* What the body of a response begins with: a number; -1: it is not known. */
static int result_of(uint8_t flags, struct bytes bytes)
{
	int first = (int)bytes_be(&bytes, 1);

	if (bytes.is_short)
		return -1;
	if ((flags & DUBBO_SERIALIZATION) == DUBBO_HESSIAN)
		return first - HESSIAN_ZERO;
	return (flags & DUBBO_SERIALIZATION) == DUBBO_JSON ? first - '0' : -1;
}

static void dubbo_take_result(const struct dubbo_head *head, struct bytes bytes,
			      struct protocol_message *message)
{
	int result = result_of(head->flags, bytes);

	message->has_status = true;
	message->status = head->status;
	if (head->status != DUBBO_OK)
		snprintf(message->error, MESSAGE_ERROR_BYTES, "%s",
			 dubbo_status_name(head->status));
	else if (!(head->flags & DUBBO_EVENT) &&
		 (result == DUBBO_EXCEPTION || result == DUBBO_EXCEPTION_ATTACHED))
		snprintf(message->error, MESSAGE_ERROR_BYTES, "EXCEPTION");
}

static unsigned int take_dubbo(struct framed_frame *frame)
{
	struct protocol_message *message = frame->message;
	struct dubbo_head head = read_head(&frame->bytes);
	bool is_request = head.flags & DUBBO_REQUEST;
	uint8_t serialization = head.flags & DUBBO_SERIALIZATION;

	if (is_request != (frame->side == PROTOCOL_REQUESTS))
		return 0;
	message->has_key = true;
	message->key = head.key;
	if (!is_request) {
		dubbo_take_result(&head, frame->bytes, message);
		return FRAMED_MESSAGE;
	}
	message->is_oneway = !(head.flags & DUBBO_TWO_WAY);
	if (head.flags & DUBBO_EVENT)
		snprintf(message->method, MESSAGE_METHOD_BYTES, "heartbeat");
	else if (serialization == DUBBO_HESSIAN)
		take_call(&frame->bytes, hessian_text, message);
	else if (serialization == DUBBO_JSON)
		take_call(&frame->bytes, json_text, message);
	return FRAMED_MESSAGE;
}

static const struct framed dubbo = {
	.bytes_max = DUBBO_BYTES_MAX,
	.length = dubbo_length,
	.take = take_dubbo,
};

static struct protocol_step dubbo_step(enum protocol_side side, void *state,
				       const struct protocol_input *input,
				       struct protocol_message *message,
				       const struct protocol_message *request)
{
	return framed_step(&dubbo, side, state, input, message, request);
}

/* A request is sure by its head, which has no status; the rest is likely. */
static enum protocol_verdict dubbo_recognise(enum protocol_side side,
					     const struct protocol_input *input)
{
	uint64_t len = dubbo_length(side, input->data, input->len);
	struct bytes bytes = bytes_begin(input->data, input->len);
	struct dubbo_head head = read_head(&bytes);
	bool is_request = head.flags & DUBBO_REQUEST;

	if (len == FRAMED_WRONG)
		return PROTOCOL_NO;
	if (len == FRAMED_WAITS)
		return PROTOCOL_SHORT;
	if (is_request != (side == PROTOCOL_REQUESTS))
		return head.flags & DUBBO_EVENT ? PROTOCOL_MAYBE : PROTOCOL_NO;
	return is_request && head.status == 0 ? PROTOCOL_YES : PROTOCOL_MAYBE;
}

/* Only where a read begins. */
static size_t dubbo_find(enum protocol_side side, const struct protocol_input *input)
{
	return dubbo_recognise(side, input) == PROTOCOL_NO ? input->len : 0;
}

const struct protocol protocol_dubbo = {
	.name = "dubbo",
	.number = request_protocols__dubbo,
	.class = PROTOCOL_OF_RPC,
	.status_name = dubbo_status_name,
	.recognise = dubbo_recognise,
	.step = dubbo_step,
	.find = dubbo_find,
};
