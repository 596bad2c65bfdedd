/* SPDX-License-Identifier: MIT */
/*
 * Frames of WebSocket, behind the upgrade of HTTP. Each message, of one frame or several, is a
 * request: what a client sends is one-way, what a server sends is reported alone. The method is
 * TEXT or BINARY, or CLOSE with the code as status. A PING of the client has PONG as its response;
 * those of the server are no requests. What messages say is not looked at.
 */
#include <stdio.h>
#include <string.h>

#include "event/event.h"
#include "requests/protocols/framed.h"
#include "util/utf8.h"

enum {
	WEBSOCKET_BYTES_MAX = 20, /* of a frame, that are looked at: its head, and a code */
	WEBSOCKET_CONTROL_MAX = 125, /* bytes of a control frame */
	WEBSOCKET_CHAIN_MAX = 4, /* frames that must follow each other to be recognised */
	WEBSOCKET_TEXT_MAX = 64, /* bytes of text that are looked at then */
	FRAMES_LIKELY = 2, /* so many frames are */
	UTF8_BYTES_MAX = 4,
	LENGTH_16 = 126,
	LENGTH_64 = 127,
	BIT_FINAL = 0x80,
	BITS_RESERVED = 0x30, /* that no extension uses */
	BIT_MASKED = 0x80,
	MASK_BYTES = 4,
	CODE_NORMAL = 1000,
	CODE_GOING_AWAY = 1001,
};

enum websocket_operation {
	WEBSOCKET_CONTINUATION,
	WEBSOCKET_TEXT,
	WEBSOCKET_BINARY,
	WEBSOCKET_CLOSE = 8,
	WEBSOCKET_PING,
	WEBSOCKET_PONG,
	WEBSOCKET_OPERATIONS,
};

/* What is known of a side. */
struct websocket {
	bool in_message;
};

static unsigned int take_data(struct framed_frame *frame, bool is_final);
static unsigned int take_continuation(struct framed_frame *frame, bool is_final);
static unsigned int websocket_take_close(struct framed_frame *frame, bool is_final);
static unsigned int take_ping(struct framed_frame *frame, bool is_final);
static unsigned int take_pong(struct framed_frame *frame, bool is_final);

static const struct {
	const char *name; /* NULL: there is no such operation */
	unsigned int (*take)(struct framed_frame *frame, bool is_final);
} operations[WEBSOCKET_OPERATIONS] = {
	[WEBSOCKET_CONTINUATION] = {"CONTINUATION", take_continuation},
	[WEBSOCKET_TEXT] = {"TEXT", take_data},
	[WEBSOCKET_BINARY] = {"BINARY", take_data},
	[WEBSOCKET_CLOSE] = {"CLOSE", websocket_take_close},
	[WEBSOCKET_PING] = {"PING", take_ping},
	[WEBSOCKET_PONG] = {"PONG", take_pong},
};

static bool is_operation(uint8_t byte)
{
	uint8_t number = byte & 15;

	return number < WEBSOCKET_OPERATIONS && operations[number].name &&
	       !(byte & BITS_RESERVED) && (number < WEBSOCKET_CLOSE || byte & BIT_FINAL);
}

/* Of what is behind the head; *is_longer_coded: a shorter form of the number would do. */
static uint64_t read_length(struct bytes *bytes, uint8_t coded, bool *is_longer_coded)
{
	uint64_t len = coded;

	if (coded == LENGTH_16)
		len = bytes_be(bytes, 2);
	else if (coded == LENGTH_64)
		len = bytes_be(bytes, 8);
	*is_longer_coded = (coded == LENGTH_16 && len < LENGTH_16) ||
			   (coded == LENGTH_64 && len <= UINT16_MAX);
	return len;
}

/* Clients mask what they send, servers do not. */
static uint64_t websocket_length(enum protocol_side side, const uint8_t *data, size_t len)
{
	struct bytes bytes = bytes_begin(data, len);
	uint8_t first = (uint8_t)bytes_be(&bytes, 1), second = (uint8_t)bytes_be(&bytes, 1);
	uint8_t mask = side == PROTOCOL_REQUESTS ? BIT_MASKED : 0, coded = second & ~BIT_MASKED;
	bool is_longer_coded;
	uint64_t payload;

	if (!is_operation(first) || (len > 1 && (second & BIT_MASKED) != mask))
		return FRAMED_WRONG;
	if (bytes.is_short)
		return FRAMED_WAITS;
	if ((first & 15) >= WEBSOCKET_CLOSE && coded > WEBSOCKET_CONTROL_MAX)
		return FRAMED_WRONG;
	payload = read_length(&bytes, coded, &is_longer_coded);
	if (bytes.is_short)
		return FRAMED_WAITS;
	if (is_longer_coded || payload > INT64_MAX)
		return FRAMED_WRONG;
	return (uint64_t)(bytes.at - data) + (mask ? MASK_BYTES : 0) + payload;
}

/* A message that is a client's, or one that a server sends. */
static void put_message(struct framed_frame *frame, const char *method)
{
	struct protocol_message *message = frame->message;

	snprintf(message->method, MESSAGE_METHOD_BYTES, "%s", method);
	message->is_alone = frame->side == PROTOCOL_RESPONSES;
	message->has_key = message->is_oneway = !message->is_alone;
}

static unsigned int take_data(struct framed_frame *frame, bool is_final)
{
	struct websocket *websocket = frame->state;

	if (websocket->in_message)
		return FRAMED_LOST;
	put_message(frame, operations[*frame->bytes.at & 15].name);
	websocket->in_message = !is_final;
	return is_final ? FRAMED_MESSAGE : FRAMED_BEGINS;
}

static unsigned int take_continuation(struct framed_frame *frame, bool is_final)
{
	struct websocket *websocket = frame->state;

	if (!websocket->in_message)
		return 0;
	websocket->in_message = !is_final;
	return is_final ? FRAMED_ENDS : FRAMED_GOES_ON;
}

/* Code and reason, which are masked as all that clients send. */
static void put_close(struct framed_frame *frame)
{
	struct bytes bytes = frame->bytes;
	uint8_t coded = (uint8_t)(bytes_be(&bytes, 2) & 0x7f);
	struct bytes mask = {0};
	uint64_t code;

	if (frame->side == PROTOCOL_REQUESTS) {
		mask = bytes;
		bytes_take(&bytes, MASK_BYTES);
	}
	code = bytes_be(&bytes, 2);
	if (coded < 2 || bytes.is_short)
		return;
	code ^= mask.at ? bytes_be(&mask, 2) : 0;
	frame->message->has_status = true;
	frame->message->status = (int32_t)code;
	if (code != CODE_NORMAL && code != CODE_GOING_AWAY)
		snprintf(frame->message->error, MESSAGE_ERROR_BYTES, "%d", frame->message->status);
}

/* Within a message it ends the connection, and the message with that. */
static unsigned int websocket_take_close(struct framed_frame *frame, bool is_final)
{
	struct websocket *websocket = frame->state;

	if (websocket->in_message) {
		websocket->in_message = false;
		return FRAMED_BEFORE;
	}
	put_message(frame, "CLOSE");
	put_close(frame);
	return FRAMED_MESSAGE;
}

static void set_ping(struct protocol_message *message)
{
	message->has_key = true;
	message->key = WEBSOCKET_PING;
}

/* One between the frames of a message is a part of it. */
static unsigned int take_ping(struct framed_frame *frame, bool is_final)
{
	const struct websocket *websocket = frame->state;

	if (websocket->in_message || frame->side == PROTOCOL_RESPONSES)
		return 0;
	put_message(frame, "PING");
	frame->message->is_oneway = false;
	set_ping(frame->message);
	return FRAMED_MESSAGE;
}

static unsigned int take_pong(struct framed_frame *frame, bool is_final)
{
	const struct websocket *websocket = frame->state;
	size_t known = bytes_left(&frame->bytes);

	if (frame->side == PROTOCOL_REQUESTS)
		return 0;
	if (websocket->in_message) {
		if (known < frame->len && known < WEBSOCKET_BYTES_MAX)
			return 0;
		frame->within = WEBSOCKET_PING;
		return FRAMED_GOES_ON | FRAMED_WITHIN;
	}
	set_ping(frame->message);
	return FRAMED_MESSAGE;
}

static unsigned int take_websocket(struct framed_frame *frame)
{
	uint8_t first = *frame->bytes.at;

	return operations[first & 15].take(frame, first & BIT_FINAL);
}

static const struct framed websocket = {
	.bytes_max = WEBSOCKET_BYTES_MAX,
	.length = websocket_length,
	.take = take_websocket,
};

static struct protocol_step websocket_step(enum protocol_side side, void *state,
					   const struct protocol_input *input,
					   struct protocol_message *message,
					   const struct protocol_message *request)
{
	return framed_step(&websocket, side, state, input, message, request);
}

/* Whether a whole frame is text, which is not compressed. bytes: behind the length. */
static bool is_plain_text(uint8_t first, struct bytes bytes, enum protocol_side side)
{
	struct bytes mask = {0};
	char text[WEBSOCKET_TEXT_MAX];
	size_t len, n;
	uint32_t c;

	if ((first & ~BIT_FINAL) != WEBSOCKET_TEXT)
		return false;
	if (side == PROTOCOL_REQUESTS)
		mask = bytes_begin(bytes_take(&bytes, MASK_BYTES), MASK_BYTES);
	len = bytes_left(&bytes) < sizeof(text) ? bytes_left(&bytes) : sizeof(text);
	for (size_t i = 0; i < len; i++)
		text[i] = (char)(bytes.at[i] ^ (mask.at ? mask.at[i % MASK_BYTES] : 0));
	for (size_t at = 0; at < len; at += n) {
		n = utf8_decode(text + at, len - at, &c);
		if (n == 0)
			return len == sizeof(text) && at + UTF8_BYTES_MAX > len;
		if (c < ' ' && c != '\t' && c != '\n' && c != '\r')
			return false;
	}
	return len > 0;
}

/*
 * Never sure: a few bits are all that a frame has. They follow each other to the end. Two that are
 * whole are likely, or one of text.
 */
static enum protocol_verdict websocket_recognise(enum protocol_side side,
						 const struct protocol_input *input)
{
	const uint8_t *at = input->data, *end = at + input->len;
	unsigned int whole = 0;

	/* Nobody begins with what goes on. */
	if ((*at & 15) == WEBSOCKET_CONTINUATION)
		return PROTOCOL_NO;
	for (unsigned int i = 0; i < WEBSOCKET_CHAIN_MAX && at < end; i++) {
		uint64_t len = websocket_length(side, at, (size_t)(end - at));
		bool is_longer_coded;
		struct bytes bytes;

		if (len == FRAMED_WRONG)
			return PROTOCOL_NO;
		if (len == FRAMED_WAITS || len > (uint64_t)(end - at))
			break;
		bytes = bytes_begin(at + 2, (size_t)len - 2);
		read_length(&bytes, at[1] & ~BIT_MASKED, &is_longer_coded);
		whole += is_plain_text(*at, bytes, side) ? FRAMES_LIKELY : 1;
		at += len;
	}
	return whole >= FRAMES_LIKELY ? PROTOCOL_MAYBE : PROTOCOL_SHORT;
}

/* Only where a read begins. */
static size_t websocket_find(enum protocol_side side, const struct protocol_input *input)
{
	return websocket_recognise(side, input) == PROTOCOL_NO ? input->len : 0;
}

const struct protocol protocol_websocket = {
	.name = "websocket",
	.number = request_protocols__websocket,
	.class = PROTOCOL_OF_OTHERS,
	.recognise = websocket_recognise,
	.step = websocket_step,
	.find = websocket_find,
};
