/* SPDX-License-Identifier: MIT */
/*
 * AMQP 0-9-1, as RabbitMQ has it. A request is a method that the server answers, on its channel, or
 * basic.publish with its content, which is one-way: confirms are not paired. The target is an
 * exchange and a routing key with ':' between them, one of them alone if the other one is empty, or
 * a queue. What the server delivers or returns is reported alone, and so is that it closes a
 * channel or the connection for something that nobody waits for. Acknowledgements are no requests.
 *
 * If a method of another channel comes before all of a content, the size of the message is that of
 * what came before it.
 */
#include <stdio.h>
#include <string.h>

#include "event/event.h"
#include "requests/protocols/framed.h"

enum {
	AMQP_FRAME_HEAD = 7,
	AMQP_FRAME_END = 0xce,
	AMQP_START_MIN = 6, /* bytes by which connection.start is known */
	AMQP_GREETING = 8,
	AMQP_BYTES_MAX = 900, /* of a frame, that are looked at */
	AMQP_FRAME_MAX = 1 << 27,
	AMQP_CHAIN_MAX = 4, /* frames that must follow each other to be recognised */
	AMQP_METHOD = 1,
	AMQP_HEADER = 2,
	AMQP_BODY = 3,
	AMQP_HEARTBEAT = 8,
	AMQP_CONNECTION = 10, /* a class whose methods have no channel */
	AMQP_CHANNEL = 20,
	AMQP_CLOSE = 40, /* of a channel */
	AMQP_SUCCESS = 200,
};

static const char greeting[] = "AMQP\0\0\x09\1";

/* What is known of a side: of the content that comes. */
struct amqp {
	uint64_t body; /* bytes to come */
	uint16_t channel;
	bool in_content; /* a message is not whole, */
	bool wants_header; /* and how long its content is, is not known */
};

/* What a method is for the side that sends it. */
enum amqp_kind {
	AMQP_NEVER, /* it does not send it */
	AMQP_NOTHING, /* no message */
	AMQP_ASKS,
	AMQP_PUBLISHES,
	AMQP_ANSWERS, /* the method `asked` of its class */
	AMQP_ANSWERS_CONTENT,
	AMQP_DELIVERS, /* a content, alone */
	AMQP_RETURNS, /* with a code and text first */
	AMQP_CLOSES, /* for what has failed */
};

static const struct amqp_method {
	uint8_t class, method;
	uint8_t kinds[PROTOCOL_SIDES]; /* enum amqp_kind, of the client and the server */
	uint8_t asked; /* the method that it answers */
	const char *name;
	/*
	 * Arguments up to those that matter: h, q numbers of 16 and 64 bits; s a short string, S
	 * one that is part of the target; b bits, with the number of that which wants no answer.
	 */
	const char *arguments;
} methods[] = {
	{10, 10, {0, AMQP_NOTHING}, 0, "connection.start", ""},
	{10, 11, {AMQP_ASKS, 0}, 0, "connection.start-ok", ""},
	{10, 20, {0, AMQP_ANSWERS}, 11, "connection.secure", ""},
	{10, 21, {AMQP_NOTHING, 0}, 0, "connection.secure-ok", ""},
	{10, 30, {0, AMQP_ANSWERS}, 11, "connection.tune", ""},
	{10, 31, {AMQP_NOTHING, 0}, 0, "connection.tune-ok", ""},
	{10, 40, {AMQP_ASKS, 0}, 0, "connection.open", "S"},
	{10, 41, {0, AMQP_ANSWERS}, 40, "connection.open-ok", ""},
	{10, 50, {AMQP_ASKS, AMQP_CLOSES}, 0, "connection.close", ""},
	{10, 51, {AMQP_NOTHING, AMQP_ANSWERS}, 50, "connection.close-ok", ""},
	{10, 60, {0, AMQP_NOTHING}, 0, "connection.blocked", ""},
	{10, 61, {0, AMQP_NOTHING}, 0, "connection.unblocked", ""},
	{10, 70, {AMQP_ASKS, 0}, 0, "connection.update-secret", ""},
	{10, 71, {0, AMQP_ANSWERS}, 70, "connection.update-secret-ok", ""},
	{20, 10, {AMQP_ASKS, 0}, 0, "channel.open", ""},
	{20, 11, {0, AMQP_ANSWERS}, 10, "channel.open-ok", ""},
	{20, 20, {AMQP_ASKS, AMQP_NOTHING}, 0, "channel.flow", ""},
	{20, 21, {AMQP_NOTHING, AMQP_ANSWERS}, 20, "channel.flow-ok", ""},
	{AMQP_CHANNEL, AMQP_CLOSE, {AMQP_ASKS, AMQP_CLOSES}, 0, "channel.close", ""},
	{20, 41, {AMQP_NOTHING, AMQP_ANSWERS}, 40, "channel.close-ok", ""},
	{40, 10, {AMQP_ASKS, 0}, 0, "exchange.declare", "hSsb4"},
	{40, 11, {0, AMQP_ANSWERS}, 10, "exchange.declare-ok", ""},
	{40, 20, {AMQP_ASKS, 0}, 0, "exchange.delete", "hSb1"},
	{40, 21, {0, AMQP_ANSWERS}, 20, "exchange.delete-ok", ""},
	{40, 30, {AMQP_ASKS, 0}, 0, "exchange.bind", "hSssb0"},
	{40, 31, {0, AMQP_ANSWERS}, 30, "exchange.bind-ok", ""},
	{40, 40, {AMQP_ASKS, 0}, 0, "exchange.unbind", "hSssb0"},
	{40, 51, {0, AMQP_ANSWERS}, 40, "exchange.unbind-ok", ""},
	{50, 10, {AMQP_ASKS, 0}, 0, "queue.declare", "hSb4"},
	{50, 11, {0, AMQP_ANSWERS}, 10, "queue.declare-ok", ""},
	{50, 20, {AMQP_ASKS, 0}, 0, "queue.bind", "hSssb0"},
	{50, 21, {0, AMQP_ANSWERS}, 20, "queue.bind-ok", ""},
	{50, 30, {AMQP_ASKS, 0}, 0, "queue.purge", "hSb0"},
	{50, 31, {0, AMQP_ANSWERS}, 30, "queue.purge-ok", ""},
	{50, 40, {AMQP_ASKS, 0}, 0, "queue.delete", "hSb2"},
	{50, 41, {0, AMQP_ANSWERS}, 40, "queue.delete-ok", ""},
	{50, 50, {AMQP_ASKS, 0}, 0, "queue.unbind", "hS"},
	{50, 51, {0, AMQP_ANSWERS}, 50, "queue.unbind-ok", ""},
	{60, 10, {AMQP_ASKS, 0}, 0, "basic.qos", ""},
	{60, 11, {0, AMQP_ANSWERS}, 10, "basic.qos-ok", ""},
	{60, 20, {AMQP_ASKS, 0}, 0, "basic.consume", "hSsb3"},
	{60, 21, {0, AMQP_ANSWERS}, 20, "basic.consume-ok", ""},
	{60, 30, {AMQP_ASKS, AMQP_NOTHING}, 0, "basic.cancel", "sb0"},
	{60, 31, {AMQP_NOTHING, AMQP_ANSWERS}, 30, "basic.cancel-ok", ""},
	{60, 40, {AMQP_PUBLISHES, 0}, 0, "basic.publish", "hSS"},
	{60, 50, {0, AMQP_RETURNS}, 0, "basic.return", "SS"},
	{60, 60, {0, AMQP_DELIVERS}, 0, "basic.deliver", "sqbSS"},
	{60, 70, {AMQP_ASKS, 0}, 0, "basic.get", "hS"},
	{60, 71, {0, AMQP_ANSWERS_CONTENT}, 70, "basic.get-ok", ""},
	{60, 72, {0, AMQP_ANSWERS}, 70, "basic.get-empty", ""},
	{60, 80, {AMQP_NOTHING, AMQP_NOTHING}, 0, "basic.ack", ""},
	{60, 90, {AMQP_NOTHING, 0}, 0, "basic.reject", ""},
	{60, 100, {AMQP_NOTHING, 0}, 0, "basic.recover-async", ""},
	{60, 110, {AMQP_ASKS, 0}, 0, "basic.recover", ""},
	{60, 111, {0, AMQP_ANSWERS}, 110, "basic.recover-ok", ""},
	{60, 120, {AMQP_NOTHING, AMQP_NOTHING}, 0, "basic.nack", ""},
	{85, 10, {AMQP_ASKS, 0}, 0, "confirm.select", "b0"},
	{85, 11, {0, AMQP_ANSWERS}, 10, "confirm.select-ok", ""},
	{90, 10, {AMQP_ASKS, 0}, 0, "tx.select", ""},
	{90, 11, {0, AMQP_ANSWERS}, 10, "tx.select-ok", ""},
	{90, 20, {AMQP_ASKS, 0}, 0, "tx.commit", ""},
	{90, 21, {0, AMQP_ANSWERS}, 20, "tx.commit-ok", ""},
	{90, 30, {AMQP_ASKS, 0}, 0, "tx.rollback", ""},
	{90, 31, {0, AMQP_ANSWERS}, 30, "tx.rollback-ok", ""},
};

/* The rows are in the order of their classes and methods. */
static const struct amqp_method *find_method(uint64_t class, uint64_t method)
{
	size_t low = 0, high = sizeof(methods) / sizeof(methods[0]);

	while (low < high) {
		size_t middle = (low + high) / 2;
		const struct amqp_method *row = &methods[middle];

		if (row->class == class && row->method == method)
			return row;
		if (row->class < class || (row->class == class && row->method < method))
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

static uint64_t amqp_length(enum protocol_side side, const uint8_t *data, size_t len)
{
	struct bytes bytes = bytes_begin(data, len);
	uint8_t type = (uint8_t)bytes_be(&bytes, 1);
	uint64_t channel = bytes_be(&bytes, 2), size = bytes_be(&bytes, 4);

	if (type == greeting[0]) {
		if (memcmp(data, greeting, len < AMQP_GREETING ? len : AMQP_GREETING) != 0)
			return FRAMED_WRONG;
		return len < AMQP_GREETING ? FRAMED_WAITS : AMQP_GREETING;
	}
	if (type != AMQP_METHOD && type != AMQP_HEADER && type != AMQP_BODY &&
	    type != AMQP_HEARTBEAT)
		return FRAMED_WRONG;
	if (bytes.is_short)
		return FRAMED_WAITS;
	if (size > AMQP_FRAME_MAX || (type == AMQP_METHOD && size < 4) ||
	    (type == AMQP_HEADER && size < 14) || (type == AMQP_HEARTBEAT && (size || channel)))
		return FRAMED_WRONG;
	return AMQP_FRAME_HEAD + size + 1;
}

/* Appends a part of the target behind ':'. */
static void put_part(struct bytes *bytes, struct protocol_message *message)
{
	uint64_t len = bytes_be(bytes, 1);
	size_t at = strlen(message->target);

	if (at && len && at + 1 < MESSAGE_TARGET_BYTES)
		message->target[at++] = ':';
	bytes_text(bytes, len, message->target + at, MESSAGE_TARGET_BYTES - at);
}

/* See struct amqp_method. Returns whether no answer is wanted. */
static bool read_arguments(const char *arguments, struct bytes *bytes,
			   struct protocol_message *message)
{
	bool is_oneway = false;

	for (; *arguments; arguments++) {
		if (*arguments == 'h' || *arguments == 'q')
			bytes_take(bytes, *arguments == 'h' ? 2 : 8);
		else if (*arguments == 's')
			bytes_take(bytes, bytes_be(bytes, 1));
		else if (*arguments == 'S')
			put_part(bytes, message);
		else if (*arguments == 'b' && arguments[1] >= '0' && arguments[1] <= '9')
			is_oneway = bytes_be(bytes, 1) >> (*++arguments - '0') & 1;
		else
			bytes_take(bytes, 1);
	}
	return is_oneway;
}

/* A code, and a text that begins with its name: NOT_FOUND - no queue 'a'. */
static void put_reason(struct bytes *bytes, struct protocol_message *message)
{
	uint64_t code = bytes_be(bytes, 2), len = bytes_be(bytes, 1);
	char text[UINT8_MAX + 1];

	bytes_text(bytes, len, text, sizeof(text));
	message->has_status = true;
	message->status = (int32_t)code;
	if (code == AMQP_SUCCESS)
		return;
	text[strcspn(text, " ")] = '\0';
	if (text[0])
		protocol_text_put(message->error, MESSAGE_ERROR_BYTES, text, strlen(text));
	else
		snprintf(message->error, MESSAGE_ERROR_BYTES, "%d", message->status);
}

/* One method. */
struct amqp_call {
	struct framed_frame *frame;
	struct protocol_message *message;
	struct amqp *amqp;
	const struct amqp_method *method;
	uint16_t channel;
};

static uint64_t amqp_key(const struct amqp_call *call, uint64_t class, uint64_t method)
{
	return (uint64_t)call->channel << 32 | class << 16 | method;
}

static void set_key(const struct amqp_call *call, uint64_t class, uint64_t method)
{
	call->message->has_key = true;
	call->message->key = amqp_key(call, class, method);
}

static unsigned int begin_content(const struct amqp_call *call)
{
	call->amqp->in_content = call->amqp->wants_header = true;
	call->amqp->channel = call->channel;
	return FRAMED_BEGINS;
}

static void put_call(const struct amqp_call *call)
{
	snprintf(call->message->method, MESSAGE_METHOD_BYTES, "%s", call->method->name);
	call->message->is_oneway =
		read_arguments(call->method->arguments, &call->frame->bytes, call->message);
}

static unsigned int take_asking(const struct amqp_call *call)
{
	put_call(call);
	set_key(call, call->method->class, call->method->method);
	return FRAMED_MESSAGE;
}

static unsigned int take_publishing(const struct amqp_call *call)
{
	take_asking(call);
	call->message->is_oneway = true;
	return begin_content(call);
}

static unsigned int amqp_take_answer(const struct amqp_call *call)
{
	set_key(call, call->method->class, call->method->asked);
	return FRAMED_MESSAGE;
}

static unsigned int take_answer_with_content(const struct amqp_call *call)
{
	amqp_take_answer(call);
	return begin_content(call);
}

static unsigned int take_delivery(const struct amqp_call *call)
{
	put_call(call);
	call->message->is_oneway = false;
	call->message->is_alone = true;
	return begin_content(call);
}

static unsigned int take_return(const struct amqp_call *call)
{
	put_reason(&call->frame->bytes, call->message);
	return take_delivery(call);
}

/* It answers what has failed, if that has an answer. */
static unsigned int amqp_take_close(const struct amqp_call *call)
{
	struct bytes *bytes = &call->frame->bytes;
	const struct amqp_method *failed;
	uint64_t class, method;

	put_reason(bytes, call->message);
	class = bytes_be(bytes, 2);
	method = bytes_be(bytes, 2);
	failed = find_method(class, method);
	/* That of the connection does not say on which channel it was. */
	call->message->is_alone = !failed || failed->kinds[PROTOCOL_REQUESTS] != AMQP_ASKS ||
				  (!call->channel && class != AMQP_CONNECTION);
	if (call->message->is_alone)
		put_call(call);
	else
		set_key(call, class, method);
	/* What the client has sent behind it on that channel is thrown away, but its own close. */
	if (call->channel) {
		call->message->key |= (uint64_t)call->channel << 32;
		call->message->ends_mask = UINT64_MAX << 32;
		call->message->ends_but = amqp_key(call, AMQP_CHANNEL, AMQP_CLOSE);
	}
	return FRAMED_MESSAGE;
}

static unsigned int (*const kinds[])(const struct amqp_call *call) = {
	[AMQP_ASKS] = take_asking,	   [AMQP_PUBLISHES] = take_publishing,
	[AMQP_ANSWERS] = amqp_take_answer, [AMQP_ANSWERS_CONTENT] = take_answer_with_content,
	[AMQP_DELIVERS] = take_delivery,   [AMQP_RETURNS] = take_return,
	[AMQP_CLOSES] = amqp_take_close,
};

static unsigned int take_method(struct framed_frame *frame, uint16_t channel)
{
	struct amqp_call call = {.frame = frame,
				 .message = frame->message,
				 .amqp = frame->state,
				 .channel = channel};
	uint64_t class = bytes_be(&frame->bytes, 2), method = bytes_be(&frame->bytes, 2);

	call.method = find_method(class, method);
	if (!call.method || call.method->kinds[frame->side] <= AMQP_NOTHING)
		return 0;
	if (call.amqp->in_content) {
		call.amqp->in_content = false;
		return FRAMED_BEFORE;
	}
	return kinds[call.method->kinds[frame->side]](&call);
}

static unsigned int end_content(struct amqp *amqp)
{
	amqp->in_content = false;
	return FRAMED_ENDS;
}

/* Class, weight, and the bytes of the body. */
static unsigned int take_header(struct framed_frame *frame)
{
	struct amqp *amqp = frame->state;

	bytes_take(&frame->bytes, 2 + 2);
	amqp->body = bytes_be(&frame->bytes, 8);
	amqp->wants_header = false;
	return amqp->body || frame->bytes.is_short ? FRAMED_GOES_ON : end_content(amqp);
}

static unsigned int take_body(struct framed_frame *frame)
{
	struct amqp *amqp = frame->state;
	uint64_t size = frame->len - AMQP_FRAME_HEAD - 1;

	if (size >= amqp->body)
		return end_content(amqp);
	amqp->body -= size;
	return FRAMED_GOES_ON;
}

static unsigned int amqp_take(struct framed_frame *frame)
{
	struct amqp *amqp = frame->state;
	bool has_wrong_end =
		bytes_left(&frame->bytes) == frame->len && frame->bytes.end[-1] != AMQP_FRAME_END;
	uint8_t type = (uint8_t)bytes_be(&frame->bytes, 1);
	uint16_t channel = (uint16_t)bytes_be(&frame->bytes, 2);

	if (type == greeting[0])
		return 0;
	if (has_wrong_end)
		return FRAMED_LOST;
	bytes_take(&frame->bytes, 4);
	if (type == AMQP_METHOD)
		return take_method(frame, channel);
	if (!amqp->in_content || channel != amqp->channel)
		return 0;
	if (type == AMQP_HEADER && amqp->wants_header)
		return take_header(frame);
	return type == AMQP_BODY && !amqp->wants_header ? take_body(frame) : 0;
}

static const struct framed amqp = {
	.bytes_max = AMQP_BYTES_MAX,
	.length = amqp_length,
	.take = amqp_take,
};

static struct protocol_step amqp_step(enum protocol_side side, void *state,
				      const struct protocol_input *input,
				      struct protocol_message *message,
				      const struct protocol_message *request)
{
	return framed_step(&amqp, side, state, input, message, request);
}

/* Whether a frame may be one, as far as it is there. */
static bool is_likely(enum protocol_side side, const uint8_t *data, size_t known, uint64_t len)
{
	const struct amqp_method *row;
	struct bytes bytes = bytes_begin(data, known);
	uint64_t class, method;

	if (known >= len && data[len - 1] != AMQP_FRAME_END)
		return false;
	if (data[0] != AMQP_METHOD)
		return true;
	bytes_take(&bytes, AMQP_FRAME_HEAD);
	class = bytes_be(&bytes, 2);
	method = bytes_be(&bytes, 2);
	row = find_method(class, method);
	return bytes.is_short || (row && row->kinds[side] != AMQP_NEVER);
}

/* What only the server begins with: connection.start, and the version. */
static bool is_start(const uint8_t *data, size_t known, uint64_t len)
{
	struct bytes bytes = bytes_begin(data, known);

	if (len <= AMQP_FRAME_HEAD + AMQP_START_MIN || bytes_be(&bytes, 3) != AMQP_METHOD << 16)
		return false;
	bytes_take(&bytes, 4);
	return bytes_be(&bytes, 4) == (10 << 16 | 10) && bytes_be(&bytes, 2) == 9;
}

/* Frames follow each other to the end of what is there. */
static enum protocol_verdict amqp_recognise(enum protocol_side side,
					    const struct protocol_input *input)
{
	const uint8_t *at = input->data, *end = at + input->len;

	for (unsigned int i = 0; i < AMQP_CHAIN_MAX && at < end; i++) {
		size_t known = (size_t)(end - at);
		uint64_t len = amqp_length(side, at, known);

		if (len == FRAMED_WRONG)
			return PROTOCOL_NO;
		if (len == FRAMED_WAITS)
			return i ? PROTOCOL_MAYBE : PROTOCOL_SHORT;
		if (i == 0 && *at == greeting[0])
			return side == PROTOCOL_REQUESTS ? PROTOCOL_YES : PROTOCOL_MAYBE;
		if (i == 0 && side == PROTOCOL_RESPONSES && is_start(at, known, len))
			return PROTOCOL_YES;
		if (!is_likely(side, at, known, len))
			return PROTOCOL_NO;
		if (i == 0 && known < len && (*at != AMQP_METHOD || known < AMQP_FRAME_HEAD + 4))
			return PROTOCOL_SHORT;
		at += len < known ? (size_t)len : known;
	}
	return PROTOCOL_MAYBE;
}

/* Only where a read begins. */
static size_t amqp_find(enum protocol_side side, const struct protocol_input *input)
{
	return amqp_recognise(side, input) == PROTOCOL_NO ? input->len : 0;
}

const struct protocol protocol_amqp = {
	.name = "amqp",
	.number = request_protocols__amqp,
	.class = PROTOCOL_OF_QUEUES,
	.recognise = amqp_recognise,
	.step = amqp_step,
	.find = amqp_find,
};
