/* SPDX-License-Identifier: MIT */
/*
 * RocketMQ's remoting protocol, whose headers are JSON or binary. A request is a command of a
 * client, its method the name of the code, or the number where that has none here, its target the
 * topic. Responses have the number of their request. What a broker asks its clients, and what these
 * answer, is no request. The proxy of version 5 speaks gRPC.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "event/event.h"
#include "requests/protocols/framed.h"

enum {
	ROCKETMQ_HEAD = 8,
	ROCKETMQ_BYTES_MAX =
		4096, /* of a message, that are looked at: JSON has its parts in any order */
	ROCKETMQ_MESSAGE_MAX = 1 << 24,
	ROCKETMQ_JSON = 0,
	ROCKETMQ_BINARY = 1,
	FLAG_RESPONSE = 1,
	FLAG_ONEWAY = 2,
};

/* What a header says. */
struct rocketmq_command {
	int64_t code, number, flags; /* -1: not known */
	char topic[MESSAGE_TARGET_BYTES];
};

static const struct {
	uint32_t code;
	const char *name;
} requests[] = {
	{10, "SEND_MESSAGE"},
	{11, "PULL_MESSAGE"},
	{12, "QUERY_MESSAGE"},
	{14, "QUERY_CONSUMER_OFFSET"},
	{15, "UPDATE_CONSUMER_OFFSET"},
	{30, "GET_MAX_OFFSET"},
	{31, "GET_MIN_OFFSET"},
	{34, "HEART_BEAT"},
	{35, "UNREGISTER_CLIENT"},
	{36, "CONSUMER_SEND_MSG_BACK"},
	{37, "END_TRANSACTION"},
	{38, "GET_CONSUMER_LIST_BY_GROUP"},
	{41, "LOCK_BATCH_MQ"},
	{42, "UNLOCK_BATCH_MQ"},
	{103, "REGISTER_BROKER"},
	{105, "GET_ROUTEINFO_BY_TOPIC"},
	{106, "GET_BROKER_CLUSTER_INFO"},
	{310, "SEND_MESSAGE_V2"},
	{320, "SEND_BATCH_MESSAGE"},
	{361, "LITE_PULL_MESSAGE"},
	{200050, "POP_MESSAGE"},
	{200051, "ACK_MESSAGE"},
	/* The same, of which binary headers have the lower 16 bits. */
	{200050 & 0xffff, "POP_MESSAGE"},
	{200051 & 0xffff, "ACK_MESSAGE"},
};

/* An empty name: it is no error. */
static const struct {
	uint32_t code;
	const char *name;
} responses[] = {
	{0, ""},
	{1, "SYSTEM_ERROR"},
	{2, "SYSTEM_BUSY"},
	{3, "REQUEST_CODE_NOT_SUPPORTED"},
	{10, ""}, /* stored, but not yet written to disk, or not yet at the replica */
	{11, ""},
	{12, ""},
	{14, "SERVICE_NOT_AVAILABLE"},
	{16, "NO_PERMISSION"},
	{17, "TOPIC_NOT_EXIST"},
	{19, ""}, /* nothing to pull, now or from that offset */
	{20, ""},
	{21, ""},
	{22, ""}, /* a consumer group without an offset yet */
	{209, ""}, /* nothing to pop, now or in the time that the client waits */
	{210, ""},
	{215, "FLOW_CONTROL"},
};

static uint64_t rocketmq_length(enum protocol_side side, const uint8_t *data, size_t len)
{
	struct bytes bytes = bytes_begin(data, len);
	uint64_t length = bytes_be(&bytes, 4), form = bytes_be(&bytes, 1),
		 header = bytes_be(&bytes, 3);

	if (len >= 4 && (length < 4 || length > ROCKETMQ_MESSAGE_MAX))
		return FRAMED_WRONG;
	if (bytes.is_short)
		return data[0] > ROCKETMQ_MESSAGE_MAX >> 24 ? FRAMED_WRONG : FRAMED_WAITS;
	if (form > ROCKETMQ_BINARY || header + 4 > length || header < 2)
		return FRAMED_WRONG;
	return 4 + length;
}

/* What stands behind a key of JSON that no text has around it; NULL: nothing does. */
static const uint8_t *rocketmq_find_value(struct bytes json, const char *key)
{
	size_t len = strlen(key);
	const uint8_t *at = json.at, *found;

	while ((found = memmem(at, (size_t)(json.end - at), key, len))) {
		at = found + len;
		/* A quote in a text has a backslash before it. */
		if (found > json.at && found[-1] != '\\' && at < json.end)
			return at;
	}
	return NULL;
}

static int64_t json_number(struct bytes json, const char *key)
{
	const uint8_t *at = rocketmq_find_value(json, key);
	struct protocol_text text = {at, 0};

	while (at && at + text.len < json.end && at[text.len] >= '0' && at[text.len] <= '9')
		text.len++;
	return text.len ? protocol_text_number(text) : -1;
}

static void json_topic(struct bytes json, const char *key, char *topic)
{
	const uint8_t *at = rocketmq_find_value(json, key);
	const uint8_t *end;

	if (!at || *at != '"')
		return;
	at++;
	end = memchr(at, '"', (size_t)(json.end - at));
	if (end)
		protocol_text_put(topic, MESSAGE_TARGET_BYTES, at, (size_t)(end - at));
}

static void read_json(struct bytes json, struct rocketmq_command *command)
{
	command->code = json_number(json, "\"code\":");
	command->number = json_number(json, "\"opaque\":");
	command->flags = json_number(json, "\"flag\":");
	json_topic(json, "\"topic\":", command->topic);
	if (!command->topic[0])
		json_topic(json, "\"b\":", command->topic);
}

/* Code, language, version, number, flags, remark, and names with their values. */
static void read_binary(struct bytes bytes, struct rocketmq_command *command)
{
	uint64_t fields;

	command->code = (int64_t)bytes_be(&bytes, 2);
	bytes_take(&bytes, 1 + 2);
	command->number = (int64_t)bytes_be(&bytes, 4);
	command->flags = bytes.is_short ? -1 : (int64_t)bytes_be(&bytes, 4);
	bytes_take(&bytes, bytes_be(&bytes, 4));
	fields = bytes_be(&bytes, 4);
	if (fields < bytes_left(&bytes))
		bytes.end = bytes.at + fields;
	while (bytes_left(&bytes) && !command->topic[0]) {
		struct protocol_text name = {NULL, (size_t)bytes_be(&bytes, 2)};
		uint64_t len;

		name.data = bytes_take(&bytes, name.len);
		len = bytes_be(&bytes, 4);
		if (name.data && (protocol_text_is(name, "topic") || protocol_text_is(name, "b")))
			bytes_text(&bytes, len, command->topic, sizeof(command->topic));
		else
			bytes_take(&bytes, len);
	}
}

static void (*const forms[])(struct bytes bytes, struct rocketmq_command *command) = {
	[ROCKETMQ_JSON] = read_json,
	[ROCKETMQ_BINARY] = read_binary,
};

static struct rocketmq_command read_command(struct bytes bytes)
{
	struct rocketmq_command command = {.code = -1, .number = -1, .flags = -1};
	uint64_t form, header;

	bytes_take(&bytes, 4);
	form = bytes_be(&bytes, 1);
	header = bytes_be(&bytes, 3);
	if (header < bytes_left(&bytes))
		bytes.end = bytes.at + header;
	if (!bytes.is_short)
		forms[form](bytes, &command);
	return command;
}

static void put_request(const struct rocketmq_command *command, struct protocol_message *message)
{
	size_t i = 0, count = sizeof(requests) / sizeof(requests[0]);

	while (i < count && requests[i].code != command->code)
		i++;
	if (i < count)
		snprintf(message->method, MESSAGE_METHOD_BYTES, "%s", requests[i].name);
	else
		snprintf(message->method, MESSAGE_METHOD_BYTES, "%d", (int)command->code);
	memcpy(message->target, command->topic, sizeof(command->topic));
	message->is_oneway = command->flags & FLAG_ONEWAY;
}

static void put_response(const struct rocketmq_command *command, struct protocol_message *message)
{
	size_t i = 0, count = sizeof(responses) / sizeof(responses[0]);

	message->has_status = true;
	message->status = (int32_t)command->code;
	while (i < count && responses[i].code != command->code)
		i++;
	if (i < count)
		snprintf(message->error, MESSAGE_ERROR_BYTES, "%s", responses[i].name);
	else
		snprintf(message->error, MESSAGE_ERROR_BYTES, "%d", message->status);
}

/* Whether a header goes on behind what is looked at, as of messages with many properties. */
static bool has_long_header(struct bytes bytes)
{
	size_t known = bytes_left(&bytes);

	bytes_take(&bytes, 4 + 1);
	return known >= ROCKETMQ_BYTES_MAX && bytes_be(&bytes, 3) + ROCKETMQ_HEAD > known;
}

static unsigned int take_rocketmq(struct framed_frame *frame)
{
	struct rocketmq_command command = read_command(frame->bytes);
	bool is_request = frame->side == PROTOCOL_REQUESTS;

	/* Where the next one begins is known all the same. */
	if (command.code < 0 || command.number < 0 || command.flags < 0)
		return has_long_header(frame->bytes) ? 0 : FRAMED_LOST;
	if (!(command.flags & FLAG_RESPONSE) != is_request)
		return 0;
	frame->message->has_key = true;
	frame->message->key = (uint64_t)command.number;
	if (is_request)
		put_request(&command, frame->message);
	else
		put_response(&command, frame->message);
	return FRAMED_MESSAGE;
}

static const struct framed rocketmq = {
	.bytes_max = ROCKETMQ_BYTES_MAX,
	.length = rocketmq_length,
	.take = take_rocketmq,
};

static struct protocol_step rocketmq_step(enum protocol_side side, void *state,
					  const struct protocol_input *input,
					  struct protocol_message *message,
					  const struct protocol_message *request)
{
	return framed_step(&rocketmq, side, state, input, message, request);
}

/* Whether flags are those of the side; others are of what the broker asks. */
static enum protocol_verdict verdict_of(enum protocol_side side, uint64_t flags,
					enum protocol_verdict sure)
{
	bool is_response = flags & FLAG_RESPONSE;

	if (flags > (FLAG_RESPONSE | FLAG_ONEWAY) || is_response != (side == PROTOCOL_RESPONSES))
		return PROTOCOL_NO;
	return sure;
}

static enum protocol_verdict recognise_json(enum protocol_side side, struct bytes json)
{
	static const char begin[] = "{\"code\":", flag[] = "\"flag\":";
	size_t known = bytes_left(&json), needed = strlen(begin);
	const uint8_t *value = rocketmq_find_value(json, flag);

	if (memcmp(json.at, begin, known < needed ? known : needed) != 0)
		return PROTOCOL_NO;
	if (!value)
		return PROTOCOL_MAYBE;
	return verdict_of(side, (uint64_t)(*value - '0'), PROTOCOL_YES);
}

/* Only likely, by its language, of which there are a dozen, and its flags. */
static enum protocol_verdict recognise_binary(enum protocol_side side, struct bytes bytes)
{
	uint64_t flags;

	bytes_take(&bytes, 2);
	if (bytes_be(&bytes, 1) > 15)
		return PROTOCOL_NO;
	bytes_take(&bytes, 2 + 4);
	flags = bytes_be(&bytes, 4);
	return bytes.is_short ? PROTOCOL_SHORT : verdict_of(side, flags, PROTOCOL_MAYBE);
}

static enum protocol_verdict rocketmq_recognise(enum protocol_side side,
						const struct protocol_input *input)
{
	uint64_t len = rocketmq_length(side, input->data, input->len);
	struct bytes header = bytes_begin(input->data, input->len);

	if (len == FRAMED_WRONG)
		return PROTOCOL_NO;
	bytes_take(&header, ROCKETMQ_HEAD);
	if (len == FRAMED_WAITS || !bytes_left(&header))
		return PROTOCOL_SHORT;
	return input->data[4] == ROCKETMQ_JSON ? recognise_json(side, header)
					       : recognise_binary(side, header);
}

/* Only where a read begins. */
static size_t rocketmq_find(enum protocol_side side, const struct protocol_input *input)
{
	return rocketmq_recognise(side, input) == PROTOCOL_NO ? input->len : 0;
}

const struct protocol protocol_rocketmq = {
	.name = "rocketmq",
	.number = request_protocols__rocketmq,
	.class = PROTOCOL_OF_QUEUES,
	.recognise = rocketmq_recognise,
	.step = rocketmq_step,
	.find = rocketmq_find,
};
