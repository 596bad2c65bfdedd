/* SPDX-License-Identifier: MIT */
/*
 * MQTT 3.1, 3.1.1 and 5. A request is what a client sends: PUBLISH, which is one-way with a quality
 * of service of 0 and otherwise ends with PUBACK or PUBCOMP, or a PUBREC that refuses it; SUBSCRIBE
 * and UNSUBSCRIBE with the first topic; CONNECT with the client's id; PINGREQ, DISCONNECT.
 * What a broker delivers is reported alone, as DELIVER, and so is a DISCONNECT that it sends with a
 * reason. Acknowledgements of deliveries, PUBREL and AUTH are no requests.
 *
 * A topic that version 5 replaces by an alias is not known, nor is that of a subscription if the
 * connection is older, as its version is not known then.
 */
#include <stdio.h>
#include <string.h>

#include "event/event.h"
#include "requests/protocols/framed.h"

enum {
	MQTT_BYTES_MAX = 900, /* of a packet, that are looked at */
	MQTT_LENGTH_BYTES_MAX = 4,
	MQTT_BRIDGE = 0x80, /* a bit of the version: a broker connects to another one */
	MQTT_FAILED = 0x80, /* reasons from here on, in version 5 and of SUBACK */
	MQTT_CHAIN_MAX = 4, /* packets that must follow each other to be recognised */
	MQTT_REFUSALS_MAX = 5, /* codes of CONNACK before version 5 */
	MQTT_SUCCESS_MAX = 0x19, /* reasons of version 5, and the last one that is an error */
	MQTT_FAILED_MAX = 0xa2,
};

enum mqtt_type {
	MQTT_CONNECT = 1,
	MQTT_CONNACK,
	MQTT_PUBLISH,
	MQTT_PUBACK,
	MQTT_PUBREC,
	MQTT_PUBREL,
	MQTT_PUBCOMP,
	MQTT_SUBSCRIBE,
	MQTT_SUBACK,
	MQTT_UNSUBSCRIBE,
	MQTT_UNSUBACK,
	MQTT_PINGREQ,
	MQTT_PINGRESP,
	MQTT_DISCONNECT,
	MQTT_AUTH,
	MQTT_TYPES,
};

/* What is known of a side: CONNECT and its answer tell. */
struct mqtt {
	uint8_t version; /* 3 and 4 for 3.1 and 3.1.1; 0: not known */
};

struct mqtt_packet {
	struct framed_frame *frame;
	struct mqtt *mqtt;
	struct protocol_message *message;
	struct bytes bytes; /* behind its length */
	uint32_t left; /* of all of them */
	uint8_t flags;
};

/* What is made of a type that the client or the server sends, and its lower bits; PUBLISH has any.
 */
static const struct mqtt_row {
	unsigned int (*take[PROTOCOL_SIDES])(struct mqtt_packet *packet); /* NULL: not sent */
	/* Whether a whole one may be what it says; NULL: PUBLISH, or one without any bytes. */
	bool (*fits)(struct bytes bytes);
	uint8_t flags;
	uint8_t min; /* bytes behind the length */
} rows[MQTT_TYPES];

static const struct {
	uint8_t code;
	const char *name;
} reasons[] = {
	{0x80, "unspecified error"},
	{0x81, "malformed packet"},
	{0x82, "protocol error"},
	{0x83, "implementation specific error"},
	{0x84, "unsupported protocol version"},
	{0x85, "client identifier not valid"},
	{0x86, "bad user name or password"},
	{0x87, "not authorized"},
	{0x88, "server unavailable"},
	{0x89, "server busy"},
	{0x8a, "banned"},
	{0x8b, "server shutting down"},
	{0x8c, "bad authentication method"},
	{0x8d, "keep alive timeout"},
	{0x8e, "session taken over"},
	{0x8f, "topic filter invalid"},
	{0x90, "topic name invalid"},
	{0x91, "packet identifier in use"},
	{0x92, "packet identifier not found"},
	{0x93, "receive maximum exceeded"},
	{0x94, "topic alias invalid"},
	{0x95, "packet too large"},
	{0x96, "message rate too high"},
	{0x97, "quota exceeded"},
	{0x98, "administrative action"},
	{0x99, "payload format invalid"},
	{0x9a, "retain not supported"},
	{0x9b, "QoS not supported"},
	{0x9c, "use another server"},
	{0x9d, "server moved"},
	{0x9e, "shared subscriptions not supported"},
	{0x9f, "connection rate exceeded"},
	{0xa0, "maximum connect time"},
	{0xa1, "subscription identifiers not supported"},
	{0xa2, "wildcard subscriptions not supported"},
};

/* What CONNACK has before version 5. */
static const char *const refusals[] = {
	[1] = "unsupported protocol version",
	[2] = "client identifier not valid",
	[3] = "server unavailable",
	[4] = "bad user name or password",
	[5] = "not authorized",
};

static void put_reason(struct protocol_message *message, uint8_t code)
{
	size_t count = sizeof(reasons) / sizeof(reasons[0]), i = 0;

	message->has_status = true;
	message->status = code;
	if (code < MQTT_FAILED)
		return;
	while (i < count && reasons[i].code != code)
		i++;
	if (i < count)
		snprintf(message->error, sizeof(message->error), "%s", reasons[i].name);
	else
		snprintf(message->error, sizeof(message->error), "reason %u", code);
}

/* The ids of what is published and of subscriptions are of one space, but others have none. */
static uint64_t key_of(enum mqtt_type type, uint64_t id)
{
	return (uint64_t)type << 16 | id;
}

static void set_key(struct mqtt_packet *packet, enum mqtt_type type, uint64_t id)
{
	packet->message->has_key = true;
	packet->message->key = key_of(type, id);
}

static void mqtt_put_method(struct mqtt_packet *packet, const char *method)
{
	snprintf(packet->message->method, sizeof(packet->message->method), "%s", method);
}

static void skip_properties(struct mqtt_packet *packet)
{
	if (packet->mqtt->version >= 5)
		bytes_take(&packet->bytes, bytes_varint(&packet->bytes));
}

static void put_string(struct mqtt_packet *packet)
{
	bytes_text(&packet->bytes, bytes_be(&packet->bytes, 2), packet->message->target,
		   MESSAGE_TARGET_BYTES);
}

static unsigned int take_connect(struct mqtt_packet *packet)
{
	bytes_take(&packet->bytes, bytes_be(&packet->bytes, 2));
	packet->mqtt->version = (uint8_t)(bytes_be(&packet->bytes, 1) & ~MQTT_BRIDGE);
	bytes_take(&packet->bytes, 1 + 2); /* flags, keep alive */
	skip_properties(packet);
	mqtt_put_method(packet, "CONNECT");
	put_string(packet);
	set_key(packet, MQTT_CONNECT, 0);
	return FRAMED_MESSAGE;
}

/* In version 5 it has properties, or at least their length. */
static unsigned int take_connack(struct mqtt_packet *packet)
{
	uint8_t code;

	bytes_take(&packet->bytes, 1); /* flags */
	code = (uint8_t)bytes_be(&packet->bytes, 1);
	packet->mqtt->version = packet->left > 2 ? 5 : 4;
	set_key(packet, MQTT_CONNECT, 0);
	if (!packet->bytes.is_short)
		put_reason(packet->message, code);
	if (code && code < sizeof(refusals) / sizeof(refusals[0]))
		snprintf(packet->message->error, MESSAGE_ERROR_BYTES, "%s", refusals[code]);
	return FRAMED_MESSAGE;
}

static unsigned int take_publish(struct mqtt_packet *packet)
{
	uint8_t quality = packet->flags >> 1 & 3;
	uint64_t id;

	mqtt_put_method(packet, "PUBLISH");
	put_string(packet);
	id = quality ? bytes_be(&packet->bytes, 2) : 0;
	set_key(packet, MQTT_PUBLISH, id);
	packet->message->is_oneway = quality == 0;
	return FRAMED_MESSAGE;
}

static unsigned int take_delivery(struct mqtt_packet *packet)
{
	mqtt_put_method(packet, "DELIVER");
	put_string(packet);
	packet->message->is_alone = true;
	return FRAMED_MESSAGE;
}

/* Version 5 may have a reason behind the id. */
static unsigned int take_acknowledgement(struct mqtt_packet *packet)
{
	uint64_t id = bytes_be(&packet->bytes, 2);

	set_key(packet, MQTT_PUBLISH, id);
	if (packet->left > 2)
		put_reason(packet->message, (uint8_t)bytes_be(&packet->bytes, 1));
	return FRAMED_MESSAGE;
}

static unsigned int take_received(struct mqtt_packet *packet)
{
	unsigned int kind = take_acknowledgement(packet);

	packet->message->is_aside = !packet->message->error[0];
	return kind;
}

static unsigned int take_topics(struct mqtt_packet *packet, enum mqtt_type type, const char *method)
{
	set_key(packet, type, bytes_be(&packet->bytes, 2));
	mqtt_put_method(packet, method);
	if (!packet->mqtt->version)
		return FRAMED_MESSAGE;
	skip_properties(packet);
	put_string(packet);
	return FRAMED_MESSAGE;
}

static unsigned int take_subscribe(struct mqtt_packet *packet)
{
	return take_topics(packet, MQTT_SUBSCRIBE, "SUBSCRIBE");
}

static unsigned int take_unsubscribe(struct mqtt_packet *packet)
{
	return take_topics(packet, MQTT_UNSUBSCRIBE, "UNSUBSCRIBE");
}

/* A code for each topic: the first one that failed. Where they begin depends on the version. */
static void put_codes(struct mqtt_packet *packet)
{
	if (!packet->mqtt->version)
		return;
	skip_properties(packet);
	while (bytes_left(&packet->bytes) && !packet->message->error[0])
		put_reason(packet->message, (uint8_t)bytes_be(&packet->bytes, 1));
}

static unsigned int take_suback(struct mqtt_packet *packet)
{
	set_key(packet, MQTT_SUBSCRIBE, bytes_be(&packet->bytes, 2));
	if (packet->mqtt->version >= 5) {
		put_codes(packet);
		return FRAMED_MESSAGE;
	}
	/* Others have the quality that is granted, or that none is. */
	while (packet->mqtt->version && bytes_left(&packet->bytes))
		if (bytes_be(&packet->bytes, 1) >= MQTT_FAILED)
			put_reason(packet->message, MQTT_FAILED);
	return FRAMED_MESSAGE;
}

static unsigned int take_unsuback(struct mqtt_packet *packet)
{
	set_key(packet, MQTT_UNSUBSCRIBE, bytes_be(&packet->bytes, 2));
	put_codes(packet);
	return FRAMED_MESSAGE;
}

static unsigned int take_ping(struct mqtt_packet *packet)
{
	mqtt_put_method(packet, "PINGREQ");
	set_key(packet, MQTT_PINGREQ, 0);
	return FRAMED_MESSAGE;
}

static unsigned int take_pong(struct mqtt_packet *packet)
{
	set_key(packet, MQTT_PINGREQ, 0);
	return FRAMED_MESSAGE;
}

static unsigned int take_disconnect(struct mqtt_packet *packet)
{
	mqtt_put_method(packet, "DISCONNECT");
	set_key(packet, MQTT_DISCONNECT, 0);
	packet->message->is_oneway = true;
	return FRAMED_MESSAGE;
}

static unsigned int take_dismissal(struct mqtt_packet *packet)
{
	mqtt_put_method(packet, "DISCONNECT");
	packet->message->is_alone = true;
	put_reason(packet->message, (uint8_t)bytes_be(&packet->bytes, 1));
	return FRAMED_MESSAGE;
}

static unsigned int mqtt_take_nothing(struct mqtt_packet *packet)
{
	return 0;
}

/* Properties to the end, or nothing. */
static bool fits_properties(struct bytes bytes)
{
	if (bytes_left(&bytes))
		bytes_take(&bytes, bytes_varint(&bytes));
	return !bytes.is_short && bytes_left(&bytes) == 0;
}

static bool fits_connack(struct bytes bytes)
{
	uint64_t flags = bytes_be(&bytes, 1), code = bytes_be(&bytes, 1);

	if (flags > 1)
		return false;
	if (bytes_left(&bytes) == 0 && code <= MQTT_REFUSALS_MAX)
		return true;
	return (code == 0 || code >= MQTT_FAILED) && fits_properties(bytes);
}

static bool is_reason(uint64_t code)
{
	return code <= MQTT_SUCCESS_MAX || (code >= MQTT_FAILED && code <= MQTT_FAILED_MAX);
}

static bool fits_reason(struct bytes bytes)
{
	return bytes_left(&bytes) == 0 ||
	       (is_reason(bytes_be(&bytes, 1)) && fits_properties(bytes));
}

static bool fits_acknowledgement(struct bytes bytes)
{
	return bytes_be(&bytes, 2) && fits_reason(bytes);
}

static bool are_codes(struct bytes bytes, bool has_properties)
{
	if (has_properties)
		bytes_take(&bytes, bytes_varint(&bytes));
	while (bytes_left(&bytes))
		if (!is_reason(bytes_be(&bytes, 1)))
			return false;
	return !bytes.is_short;
}

static bool fits_codes(struct bytes bytes)
{
	return bytes_be(&bytes, 2) && (are_codes(bytes, false) || are_codes(bytes, true));
}

/* Topics up to the end, each with so many bytes behind it. */
static bool are_topics(struct bytes bytes, size_t more, bool has_properties)
{
	if (has_properties)
		bytes_take(&bytes, bytes_varint(&bytes));
	do
		bytes_take(&bytes, bytes_be(&bytes, 2) + more);
	while (bytes_left(&bytes));
	return !bytes.is_short;
}

static bool fits_subscribe(struct bytes bytes)
{
	return bytes_be(&bytes, 2) && (are_topics(bytes, 1, false) || are_topics(bytes, 1, true));
}

static bool fits_unsubscribe(struct bytes bytes)
{
	return bytes_be(&bytes, 2) && (are_topics(bytes, 0, false) || are_topics(bytes, 0, true));
}

static const struct mqtt_row rows[MQTT_TYPES] = {
	[MQTT_CONNECT] = {{take_connect, NULL}, .min = 10},
	[MQTT_CONNACK] = {{NULL, take_connack}, fits_connack, .min = 2},
	[MQTT_PUBLISH] = {{take_publish, take_delivery}, .min = 2},
	[MQTT_PUBACK] = {{mqtt_take_nothing, take_acknowledgement}, fits_acknowledgement, .min = 2},
	[MQTT_PUBREC] = {{mqtt_take_nothing, take_received}, fits_acknowledgement, .min = 2},
	[MQTT_PUBREL] = {{mqtt_take_nothing, mqtt_take_nothing}, fits_acknowledgement, 2, 2},
	[MQTT_PUBCOMP] = {{mqtt_take_nothing, take_acknowledgement},
			  fits_acknowledgement,
			  .min = 2},
	[MQTT_SUBSCRIBE] = {{take_subscribe, NULL}, fits_subscribe, 2, 5},
	[MQTT_SUBACK] = {{NULL, take_suback}, fits_codes, .min = 3},
	[MQTT_UNSUBSCRIBE] = {{take_unsubscribe, NULL}, fits_unsubscribe, 2, 4},
	[MQTT_UNSUBACK] = {{NULL, take_unsuback}, fits_codes, .min = 2},
	[MQTT_PINGREQ] = {{take_ping, NULL}},
	[MQTT_PINGRESP] = {{NULL, take_pong}},
	[MQTT_DISCONNECT] = {{take_disconnect, take_dismissal}, fits_reason},
	[MQTT_AUTH] = {{mqtt_take_nothing, mqtt_take_nothing}, fits_reason},
};

/* PUBLISH has a quality of service of 0 to 2 in its flags. */
static bool is_typed(enum protocol_side side, uint8_t byte)
{
	const struct mqtt_row *row = &rows[byte >> 4];

	if (byte >> 4 == MQTT_PUBLISH)
		return (byte >> 1 & 3) != 3;
	return byte >> 4 && row->take[side] && row->flags == (byte & 15);
}

static uint64_t mqtt_length(enum protocol_side side, const uint8_t *data, size_t len)
{
	struct bytes bytes = bytes_begin(data + 1, len - 1);
	uint32_t left;

	if (!is_typed(side, data[0]))
		return FRAMED_WRONG;
	left = bytes_varint(&bytes);
	if (bytes.is_short)
		return len > MQTT_LENGTH_BYTES_MAX ? FRAMED_WRONG : FRAMED_WAITS;
	return left < rows[data[0] >> 4].min ? FRAMED_WRONG : (uint64_t)(bytes.at - data) + left;
}

static unsigned int mqtt_take(struct framed_frame *frame)
{
	struct mqtt_packet packet = {
		.frame = frame, .mqtt = frame->state, .message = frame->message};
	uint8_t byte = (uint8_t)bytes_be(&frame->bytes, 1);

	packet.left = bytes_varint(&frame->bytes);
	packet.flags = byte & 15;
	packet.bytes = frame->bytes;
	return rows[byte >> 4].take[frame->side](&packet);
}

static const struct framed mqtt = {
	.bytes_max = MQTT_BYTES_MAX,
	.length = mqtt_length,
	.take = mqtt_take,
};

static struct protocol_step mqtt_step(enum protocol_side side, void *state,
				      const struct protocol_input *input,
				      struct protocol_message *message,
				      const struct protocol_message *request)
{
	return framed_step(&mqtt, side, state, input, message, request);
}

/* The name of the protocol and its version, behind the length of the packet. */
static enum protocol_verdict recognise_connect(struct bytes bytes)
{
	static const struct {
		const char *name; /* with its length */
		size_t len;
		uint8_t version;
	} names[] = {{"\0\4MQTT", 6, 4}, {"\0\4MQTT", 6, 5}, {"\0\6MQIsdp", 8, 3}};
	size_t known = bytes_left(&bytes);

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		size_t len = names[i].len;

		if (memcmp(bytes.at, names[i].name, known < len ? known : len))
			continue;
		if (known <= len)
			return PROTOCOL_SHORT;
		if ((bytes.at[len] & ~MQTT_BRIDGE) == names[i].version)
			return PROTOCOL_YES;
	}
	return PROTOCOL_NO;
}

/* Whether a topic stands here and is text; none: an alias does. */
static enum protocol_verdict judge_publish(uint8_t byte, struct bytes bytes, uint64_t left)
{
	uint64_t len = bytes_be(&bytes, 2), known = bytes_left(&bytes);
	uint64_t id_bytes = byte >> 1 & 3 ? 2 : 0;

	if (bytes.is_short)
		return PROTOCOL_SHORT;
	if (2 + len + id_bytes > left)
		return PROTOCOL_NO;
	for (uint64_t i = 0; i < known && i < len; i++)
		if (bytes.at[i] < ' ' || bytes.at[i] == 0x7f)
			return PROTOCOL_NO;
	return known < len ? PROTOCOL_SHORT : PROTOCOL_MAYBE;
}

/*
 * A packet of a connection that is older: only likely. Of bytes that need not mean anything one
 * of 60 begins as one does: all of it is looked at, but what is published, which may be long.
 */
static enum protocol_verdict judge_packet(uint8_t byte, struct bytes bytes, uint64_t left)
{
	const struct mqtt_row *row = &rows[byte >> 4];

	if (byte >> 4 == MQTT_PUBLISH)
		return judge_publish(byte, bytes, left);
	if (!row->fits)
		return left ? PROTOCOL_NO : PROTOCOL_MAYBE;
	if (bytes_left(&bytes) < left)
		return PROTOCOL_SHORT;
	bytes.end = bytes.at + left;
	return row->fits(bytes) ? PROTOCOL_MAYBE : PROTOCOL_NO;
}

/* Packets follow each other to the end of what is there. */
static enum protocol_verdict mqtt_recognise(enum protocol_side side,
					    const struct protocol_input *input)
{
	const uint8_t *at = input->data, *end = at + input->len;
	enum protocol_verdict verdict = PROTOCOL_MAYBE;

	for (unsigned int i = 0; i < MQTT_CHAIN_MAX && at < end; i++) {
		uint64_t len = mqtt_length(side, at, (size_t)(end - at));
		struct bytes bytes = bytes_begin(at + 1, (size_t)(end - at) - 1);
		uint64_t left;

		if (len == FRAMED_WRONG)
			return PROTOCOL_NO;
		left = bytes_varint(&bytes);
		if (len == FRAMED_WAITS)
			return i ? PROTOCOL_MAYBE : PROTOCOL_SHORT;
		if (i == 0 && *at >> 4 == MQTT_CONNECT)
			return recognise_connect(bytes);
		verdict = judge_packet(*at, bytes, left);
		if (verdict != PROTOCOL_MAYBE)
			return i && verdict == PROTOCOL_SHORT ? PROTOCOL_MAYBE : verdict;
		at += len < (uint64_t)(end - at) ? (size_t)len : (size_t)(end - at);
	}
	return verdict;
}

/* Only where a read begins. */
static size_t mqtt_find(enum protocol_side side, const struct protocol_input *input)
{
	return mqtt_recognise(side, input) == PROTOCOL_NO ? input->len : 0;
}

const struct protocol protocol_mqtt = {
	.name = "mqtt",
	.number = request_protocols__mqtt,
	.class = PROTOCOL_OF_QUEUES,
	.recognise = mqtt_recognise,
	.step = mqtt_step,
	.find = mqtt_find,
};
