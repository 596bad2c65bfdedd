/* SPDX-License-Identifier: MIT */
/*
 * Kafka, with the flexible headers of newer versions. A request is each of a client, its method the
 * name of the API, or its number where that is not known, its target the first topic of Produce,
 * Fetch and Metadata, or the consumer group. From the versions on that have ids of topics in place
 * of names, the target is the id, as Kafka's tools print it. A Fetch that names no topic, as it
 * goes on with a session, has that of the last one that did. Responses have the number of their
 * request; a Produce that wants no acknowledgement is one-way.
 *
 * Errors are those of Produce, Fetch and OffsetFetch for the first partition that has one, of
 * FindCoordinator for the first key that has one, and of APIs whose response begins with one.
 * Tokens of SASL without a header of their own are not understood.
 */
#include <stdio.h>
#include <string.h>

#include "event/event.h"
#include "requests/protocols/framed.h"

enum {
	KAFKA_HEAD = 8, /* length and number of a response */
	KAFKA_REQUEST_HEAD = 14, /* up to the client's name */
	KAFKA_BYTES_MAX = 1000, /* of a message, that are looked at */
	KAFKA_MESSAGE_MAX = 104857600, /* as brokers have it */
	KAFKA_CLIENT_MAX = 255,
	KAFKA_WALK_MAX = 64, /* topics, and partitions of one, that are looked at */
	KAFKA_PRODUCE = 0,
	KAFKA_PRODUCE_MIN = 3, /* older versions look like zeros */
	KAFKA_VERSION_MAX = 24,
	KAFKA_KEY_MAX = 255, /* of APIs that are to come */
	KAFKA_API_VERSIONS = 18,
	KAFKA_UUID = 16,
	NEVER = UINT8_MAX,
};

/* What is known of a side: of requests the topic of the last Fetch that named one. */
struct kafka {
	char topic[FRAMED_STATE_BYTES];
};

/* One request or response, behind its header. */
struct kafka_body {
	struct framed_frame *frame;
	struct bytes *bytes;
	struct protocol_message *message;
	uint16_t version;
	bool is_flexible;
};

typedef void kafka_take(struct kafka_body *body);

static kafka_take take_produce, take_fetch, take_metadata, take_first_text, take_offset_fetch,
	take_find, take_produced, take_fetched, take_offsets, take_found, kafka_take_error;

/* By number. */
static const struct kafka_api {
	const char *name;
	uint8_t flexible; /* since that version */
	kafka_take *take, *take_response; /* NULL: nothing of it matters */
	uint8_t throttle; /* since that version its responses begin with a time, if any matter */
	uint8_t max; /* the last version that `take` and `take_response` know; 0: all */
} apis[] = {
	[KAFKA_PRODUCE] = {"Produce", 9, take_produce, take_produced, NEVER},
	[1] = {"Fetch", 12, take_fetch, take_fetched, 1},
	[2] = {"ListOffsets", 6},
	[3] = {"Metadata", 9, take_metadata},
	[4] = {"LeaderAndIsr", 4},
	[5] = {"StopReplica", 2},
	[6] = {"UpdateMetadata", 6},
	[7] = {"ControlledShutdown", 3},
	[8] = {"OffsetCommit", 8, take_first_text},
	[9] = {"OffsetFetch", 6, take_offset_fetch, take_offsets, 3, 10},
	[10] = {"FindCoordinator", 3, take_find, take_found, 1, 6},
	[11] = {"JoinGroup", 6, take_first_text, kafka_take_error, 2},
	[12] = {"Heartbeat", 4, take_first_text, kafka_take_error, 1},
	[13] = {"LeaveGroup", 4, take_first_text, kafka_take_error, 1},
	[14] = {"SyncGroup", 4, take_first_text, kafka_take_error, 1},
	[15] = {"DescribeGroups", 5},
	[16] = {"ListGroups", 3, NULL, kafka_take_error, 1},
	[17] = {"SaslHandshake", NEVER, NULL, kafka_take_error, NEVER},
	[KAFKA_API_VERSIONS] = {"ApiVersions", 3, NULL, kafka_take_error, NEVER},
	[19] = {"CreateTopics", 5},
	[20] = {"DeleteTopics", 4},
	[21] = {"DeleteRecords", 2},
	[22] = {"InitProducerId", 2, NULL, kafka_take_error},
	[23] = {"OffsetForLeaderEpoch", 4},
	[24] = {"AddPartitionsToTxn", 3},
	[25] = {"AddOffsetsToTxn", 3, NULL, kafka_take_error},
	[26] = {"EndTxn", 3, NULL, kafka_take_error},
	[27] = {"WriteTxnMarkers", 1},
	[28] = {"TxnOffsetCommit", 3},
	[29] = {"DescribeAcls", 2},
	[30] = {"CreateAcls", 2},
	[31] = {"DeleteAcls", 2},
	[32] = {"DescribeConfigs", 4},
	[33] = {"AlterConfigs", 2},
	[34] = {"AlterReplicaLogDirs", 2},
	[35] = {"DescribeLogDirs", 2},
	[36] = {"SaslAuthenticate", 2, NULL, kafka_take_error, NEVER},
	[37] = {"CreatePartitions", 2},
	[38] = {"CreateDelegationToken", 2},
	[39] = {"RenewDelegationToken", 2},
	[40] = {"ExpireDelegationToken", 2},
	[41] = {"DescribeDelegationToken", 2},
	[42] = {"DeleteGroups", 2},
	[43] = {"ElectLeaders", 2},
	[44] = {"IncrementalAlterConfigs", 1},
	[45] = {"AlterPartitionReassignments", 0},
	[46] = {"ListPartitionReassignments", 0},
	[47] = {"OffsetDelete", NEVER},
	[48] = {"DescribeClientQuotas", 1},
	[49] = {"AlterClientQuotas", 1},
	[50] = {"DescribeUserScramCredentials", 0},
	[51] = {"AlterUserScramCredentials", 0},
	[52] = {"Vote", 0},
	[53] = {"BeginQuorumEpoch", 1},
	[54] = {"EndQuorumEpoch", 1},
	[55] = {"DescribeQuorum", 0},
	[56] = {"AlterPartition", 0},
	[57] = {"UpdateFeatures", 0},
	[58] = {"Envelope", 0},
	[59] = {"FetchSnapshot", 0},
	[60] = {"DescribeCluster", 0},
	[61] = {"DescribeProducers", 0},
	[62] = {"BrokerRegistration", 0},
	[63] = {"BrokerHeartbeat", 0},
	[64] = {"UnregisterBroker", 0},
	[65] = {"DescribeTransactions", 0},
	[66] = {"ListTransactions", 0},
	[67] = {"AllocateProducerIds", 0},
	[68] = {"ConsumerGroupHeartbeat", 0, take_first_text, kafka_take_error},
	[69] = {"ConsumerGroupDescribe", 0},
	[70] = {"ControllerRegistration", 0},
	[71] = {"GetTelemetrySubscriptions", 0, NULL, kafka_take_error},
	[72] = {"PushTelemetry", 0, NULL, kafka_take_error},
	[73] = {"AssignReplicasToDirs", 0, NULL, kafka_take_error},
	[74] = {"ListClientMetricsResources", 0, NULL, kafka_take_error},
	[75] = {"DescribeTopicPartitions", 0},
	[76] = {"ShareGroupHeartbeat", 0, take_first_text, kafka_take_error},
	[77] = {"ShareGroupDescribe", 0},
	[78] = {"ShareFetch", 0},
	[79] = {"ShareAcknowledge", 0},
	[80] = {"AddRaftVoter", 0, NULL, kafka_take_error},
	[81] = {"RemoveRaftVoter", 0, NULL, kafka_take_error},
	[82] = {"UpdateRaftVoter", 0, NULL, kafka_take_error},
	[83] = {"InitializeShareGroupState", 0, take_first_text},
	[84] = {"ReadShareGroupState", 0, take_first_text},
	[85] = {"WriteShareGroupState", 0, take_first_text},
	[86] = {"DeleteShareGroupState", 0, take_first_text},
	[87] = {"ReadShareGroupStateSummary", 0, take_first_text},
	[88] = {"StreamsGroupHeartbeat", 0, take_first_text, kafka_take_error},
	[89] = {"StreamsGroupDescribe", 0},
	[90] = {"DescribeShareGroupOffsets", 0},
	[91] = {"AlterShareGroupOffsets", 0, take_first_text, kafka_take_error},
	[92] = {"DeleteShareGroupOffsets", 0, take_first_text, kafka_take_error},
};

static const struct {
	int16_t code;
	const char *name;
} codes[] = {
	{-1, "UNKNOWN_SERVER_ERROR"},
	{1, "OFFSET_OUT_OF_RANGE"},
	{2, "CORRUPT_MESSAGE"},
	{3, "UNKNOWN_TOPIC_OR_PARTITION"},
	{5, "LEADER_NOT_AVAILABLE"},
	{6, "NOT_LEADER_OR_FOLLOWER"},
	{7, "REQUEST_TIMED_OUT"},
	{9, "REPLICA_NOT_AVAILABLE"},
	{10, "MESSAGE_TOO_LARGE"},
	{14, "COORDINATOR_LOAD_IN_PROGRESS"},
	{15, "COORDINATOR_NOT_AVAILABLE"},
	{16, "NOT_COORDINATOR"},
	{17, "INVALID_TOPIC_EXCEPTION"},
	{18, "RECORD_LIST_TOO_LARGE"},
	{19, "NOT_ENOUGH_REPLICAS"},
	{20, "NOT_ENOUGH_REPLICAS_AFTER_APPEND"},
	{21, "INVALID_REQUIRED_ACKS"},
	{22, "ILLEGAL_GENERATION"},
	{25, "UNKNOWN_MEMBER_ID"},
	{26, "INVALID_SESSION_TIMEOUT"},
	{27, "REBALANCE_IN_PROGRESS"},
	{29, "TOPIC_AUTHORIZATION_FAILED"},
	{30, "GROUP_AUTHORIZATION_FAILED"},
	{31, "CLUSTER_AUTHORIZATION_FAILED"},
	{33, "UNSUPPORTED_SASL_MECHANISM"},
	{35, "UNSUPPORTED_VERSION"},
	{41, "NOT_CONTROLLER"},
	{45, "OUT_OF_ORDER_SEQUENCE_NUMBER"},
	{47, "INVALID_PRODUCER_EPOCH"},
	{56, "KAFKA_STORAGE_ERROR"},
	{58, "SASL_AUTHENTICATION_FAILED"},
	{70, "FETCH_SESSION_ID_NOT_FOUND"},
	{71, "INVALID_FETCH_SESSION_EPOCH"},
	{74, "FENCED_LEADER_EPOCH"},
	{75, "UNKNOWN_LEADER_EPOCH"},
	{79, "MEMBER_ID_REQUIRED"},
	{100, "UNKNOWN_TOPIC_ID"},
	{103, "INCONSISTENT_TOPIC_ID"},
};

static const struct kafka_api *find_api(uint32_t key)
{
	return key < sizeof(apis) / sizeof(apis[0]) && apis[key].name ? &apis[key] : NULL;
}

static void put_code(struct protocol_message *message, int16_t code)
{
	size_t count = sizeof(codes) / sizeof(codes[0]), i = 0;

	message->has_status = true;
	message->status = code;
	while (i < count && codes[i].code != code)
		i++;
	if (code && i < count)
		snprintf(message->error, MESSAGE_ERROR_BYTES, "%s", codes[i].name);
	else if (code)
		snprintf(message->error, MESSAGE_ERROR_BYTES, "%d", code);
}

/* The number of elements of an array, or of bytes of a text that has them in 16 bits; 0 for null.
 */
static uint32_t read_count(struct kafka_body *body, size_t bytes)
{
	uint32_t count = body->is_flexible ? bytes_varint(body->bytes)
					   : (uint32_t)bytes_be(body->bytes, bytes);

	if (body->is_flexible)
		return count ? count - 1 : 0;
	return count >> (8 * bytes - 1) ? 0 : count;
}

static void skip_text(struct kafka_body *body)
{
	bytes_take(body->bytes, read_count(body, 2));
}

static void skip_tags(struct kafka_body *body)
{
	uint32_t count = body->is_flexible ? bytes_varint(body->bytes) : 0;

	for (; count && !body->bytes->is_short; count--) {
		bytes_varint(body->bytes);
		bytes_take(body->bytes, bytes_varint(body->bytes));
	}
}

static void put_text(struct kafka_body *body)
{
	bytes_text(body->bytes, read_count(body, 2), body->message->target, MESSAGE_TARGET_BYTES);
}

/* In base64, with the letters of URLs and without padding. */
static void put_uuid(struct kafka_body *body)
{
	static const char letters[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
	const uint8_t *uuid = bytes_take(body->bytes, KAFKA_UUID);
	char *to = body->message->target;
	uint32_t bits = 0;

	for (size_t i = 0, n = 0; uuid && i < KAFKA_UUID; i++) {
		bits = bits << 8 | uuid[i];
		for (n += 8; n >= 6; n -= 6)
			*to++ = letters[bits >> (n - 6) & 63];
		if (i == KAFKA_UUID - 1)
			*to++ = letters[bits << (6 - n) & 63];
	}
	*to = '\0';
}

static void put_topic(struct kafka_body *body, uint16_t uuid_since)
{
	if (body->version >= uuid_since)
		put_uuid(body);
	else
		put_text(body);
}

static void take_produce(struct kafka_body *body)
{
	bool wants_none;

	skip_text(body); /* id of the transaction */
	wants_none = bytes_be(body->bytes, 2) == 0;
	body->message->is_oneway = wants_none && !body->bytes->is_short;
	bytes_take(body->bytes, 4);
	if (read_count(body, 4))
		put_topic(body, 13);
}

/* Replica, times and limits, and the session. */
static void take_fetch(struct kafka_body *body)
{
	struct kafka *kafka = body->frame->state;
	uint16_t version = body->version;
	size_t bytes = (version < 15 ? 4 : 0) + 4 + 4 + (version >= 3 ? 4 : 0) +
		       (version >= 4 ? 1 : 0) + (version >= 7 ? 4 + 4 : 0);
	struct protocol_message *message = body->message;

	bytes_take(body->bytes, bytes);
	if (read_count(body, 4) == 0) {
		snprintf(message->target, MESSAGE_TARGET_BYTES, "%s", kafka->topic);
		return;
	}
	put_topic(body, 13);
	kafka->topic[0] = '\0';
	if (strlen(message->target) < sizeof(kafka->topic))
		memcpy(kafka->topic, message->target, strlen(message->target) + 1);
}

static void take_metadata(struct kafka_body *body)
{
	if (read_count(body, 4) == 0)
		return;
	if (body->version >= 10)
		bytes_take(body->bytes, KAFKA_UUID);
	put_text(body);
}

static void take_first_text(struct kafka_body *body)
{
	put_text(body);
}

/* The first group, since there may be several. */
static void take_offset_fetch(struct kafka_body *body)
{
	if (body->version < 8 || read_count(body, 4))
		put_text(body);
}

/* Likewise of keys, behind what they are. */
static void take_find(struct kafka_body *body)
{
	if (body->version >= 4)
		bytes_take(body->bytes, 1);
	if (body->version < 4 || read_count(body, 4))
		put_text(body);
}

static void kafka_take_error(struct kafka_body *body)
{
	int16_t code = (int16_t)bytes_be(body->bytes, 2);

	if (!body->bytes->is_short)
		put_code(body->message, code);
}

/* Of a partition, behind its error. */
static void skip_produced(struct kafka_body *body)
{
	uint32_t errors;

	bytes_take(body->bytes, 8 + 8 + (body->version >= 5 ? 8 : 0));
	if (body->version < 8)
		return;
	errors = read_count(body, 4);
	for (; errors && !body->bytes->is_short; errors--) {
		bytes_take(body->bytes, 4);
		skip_text(body);
		skip_tags(body);
	}
	skip_text(body);
	skip_tags(body);
}

static void skip_fetched(struct kafka_body *body)
{
	uint16_t version = body->version;
	uint32_t aborted;

	bytes_take(body->bytes, 8 + (version >= 4 ? 8 : 0) + (version >= 5 ? 8 : 0));
	aborted = version >= 4 ? read_count(body, 4) : 0;
	for (; aborted && !body->bytes->is_short; aborted--) {
		bytes_take(body->bytes, 8 + 8);
		skip_tags(body);
	}
	bytes_take(body->bytes, version >= 11 ? 4 : 0);
	bytes_take(body->bytes, read_count(body, 4));
	skip_tags(body);
}

/* The first error of a partition of a topic. Returns false: no further one is known. */
static bool take_partitions(struct kafka_body *body, kafka_take *skip)
{
	uint32_t count = read_count(body, 4);

	for (uint32_t i = 0; i < count && i < KAFKA_WALK_MAX; i++) {
		bytes_take(body->bytes, 4);
		kafka_take_error(body);
		if (body->bytes->is_short || body->message->error[0])
			return false;
		skip(body);
	}
	skip_tags(body);
	return count <= KAFKA_WALK_MAX;
}

static void take_topics(struct kafka_body *body, kafka_take *skip)
{
	uint32_t count = read_count(body, 4);

	for (uint32_t i = 0; i < count && i < KAFKA_WALK_MAX; i++) {
		if (body->version >= 13)
			bytes_take(body->bytes, KAFKA_UUID);
		else
			skip_text(body);
		if (!take_partitions(body, skip))
			return;
	}
}

static void take_produced(struct kafka_body *body)
{
	take_topics(body, skip_produced);
}

static void take_fetched(struct kafka_body *body)
{
	if (body->version >= 7) {
		kafka_take_error(body);
		bytes_take(body->bytes, 4);
	}
	if (!body->message->error[0])
		take_topics(body, skip_fetched);
}

/* Of a partition, before its error: in the other responses it is in front. */
static void take_offset(struct kafka_body *body)
{
	bytes_take(body->bytes, 4 + 8 + (body->version >= 5 ? 4 : 0));
	skip_text(body); /* metadata */
	kafka_take_error(body);
	skip_tags(body);
}

/* Whether the walk over an array goes on: an error ends it, as does what is not known. */
static bool goes_on(const struct kafka_body *body, uint32_t i, uint32_t count)
{
	return i < count && i < KAFKA_WALK_MAX && !body->bytes->is_short &&
	       !body->message->error[0];
}

static void take_offsets_of_topics(struct kafka_body *body)
{
	uint32_t topics = read_count(body, 4);

	for (uint32_t i = 0; goes_on(body, i, topics); i++) {
		uint32_t partitions;

		if (body->version >= 10)
			bytes_take(body->bytes, KAFKA_UUID);
		else
			skip_text(body);
		partitions = read_count(body, 4);
		for (uint32_t n = 0; goes_on(body, n, partitions); n++)
			take_offset(body);
		if (partitions > KAFKA_WALK_MAX)
			bytes_take(body->bytes, UINT64_MAX);
		skip_tags(body);
	}
	if (topics > KAFKA_WALK_MAX)
		bytes_take(body->bytes, UINT64_MAX);
}

/* Offsets of a group, or of several, behind which stands an error of each. */
static void take_offsets(struct kafka_body *body)
{
	uint32_t groups = body->version >= 8 ? read_count(body, 4) : 1;

	for (uint32_t i = 0; goes_on(body, i, groups); i++) {
		if (body->version >= 8)
			skip_text(body);
		take_offsets_of_topics(body);
		if (body->version >= 2 && !body->message->error[0])
			kafka_take_error(body);
		if (body->version >= 8)
			skip_tags(body);
	}
}

static void take_found(struct kafka_body *body)
{
	uint32_t keys;

	if (body->version < 4) {
		kafka_take_error(body);
		return;
	}
	keys = read_count(body, 4);
	for (uint32_t i = 0; goes_on(body, i, keys); i++) {
		skip_text(body);
		bytes_take(body->bytes, 4);
		skip_text(body); /* the host */
		bytes_take(body->bytes, 4);
		kafka_take_error(body);
		skip_text(body); /* in words */
		skip_tags(body);
	}
}

static bool may_be_api(uint32_t key, uint16_t version)
{
	return key <= KAFKA_KEY_MAX && version <= KAFKA_VERSION_MAX &&
	       (key != KAFKA_PRODUCE || version >= KAFKA_PRODUCE_MIN);
}

static uint64_t kafka_length(enum protocol_side side, const uint8_t *data, size_t len)
{
	struct bytes bytes = bytes_begin(data, len);
	uint64_t length = bytes_be(&bytes, 4), min = side == PROTOCOL_REQUESTS ? 10 : 4;
	uint32_t key;
	uint16_t version;

	if (bytes.is_short)
		return data[0] > KAFKA_MESSAGE_MAX >> 24 ? FRAMED_WRONG : FRAMED_WAITS;
	if (length < min || length > KAFKA_MESSAGE_MAX)
		return FRAMED_WRONG;
	if (side == PROTOCOL_RESPONSES)
		return 4 + length;
	key = (uint32_t)bytes_be(&bytes, 2);
	version = (uint16_t)bytes_be(&bytes, 2);
	if (bytes.is_short)
		return FRAMED_WAITS;
	return may_be_api(key, version) ? 4 + length : FRAMED_WRONG;
}

static unsigned int take_request(struct framed_frame *frame)
{
	struct kafka_body body = {
		.frame = frame, .bytes = &frame->bytes, .message = frame->message};
	const struct kafka_api *api;
	uint32_t key;

	bytes_take(&frame->bytes, 4);
	key = (uint32_t)bytes_be(&frame->bytes, 2);
	body.version = (uint16_t)bytes_be(&frame->bytes, 2);
	api = find_api(key);
	body.message->has_key = true;
	body.message->key = bytes_be(&frame->bytes, 4);
	body.message->note = key << 16 | body.version;
	if (!api) {
		snprintf(body.message->method, MESSAGE_METHOD_BYTES, "API %u", key);
		return FRAMED_MESSAGE;
	}
	snprintf(body.message->method, MESSAGE_METHOD_BYTES, "%s", api->name);
	skip_text(&body); /* the client's name, never compact */
	body.is_flexible = body.version >= api->flexible;
	skip_tags(&body);
	if (api->take && (!api->max || body.version <= api->max))
		api->take(&body);
	return FRAMED_MESSAGE;
}

/* What is behind the number. ApiVersions has no tags there, so that anybody can read it. */
static unsigned int take_response(struct framed_frame *frame)
{
	struct kafka_body body = {
		.frame = frame, .bytes = &frame->bytes, .message = frame->message};
	const struct kafka_api *api;

	if (!frame->request)
		return 0;
	api = find_api(frame->request->note >> 16);
	body.version = (uint16_t)frame->request->note;
	if (!api || !api->take_response || (api->max && body.version > api->max))
		return 0;
	body.is_flexible = body.version >= api->flexible;
	if (frame->request->note >> 16 != KAFKA_API_VERSIONS)
		skip_tags(&body);
	bytes_take(&frame->bytes, body.version >= api->throttle ? 4 : 0);
	api->take_response(&body);
	return 0;
}

static unsigned int take_kafka(struct framed_frame *frame)
{
	return frame->side == PROTOCOL_REQUESTS ? take_request(frame) : take_response(frame);
}

static bool kafka_begin_response(const uint8_t *head, struct protocol_message *message)
{
	struct bytes bytes = bytes_begin(head + 4, 4);

	message->has_key = true;
	message->key = bytes_be(&bytes, 4);
	return true;
}

static const struct framed kafka = {
	.bytes_max = KAFKA_BYTES_MAX,
	.length = kafka_length,
	.take = take_kafka,
	.head_bytes = KAFKA_HEAD,
	.begin = kafka_begin_response,
};

static struct protocol_step kafka_step(enum protocol_side side, void *state,
				       const struct protocol_input *input,
				       struct protocol_message *message,
				       const struct protocol_message *request)
{
	return framed_step(&kafka, side, state, input, message, request);
}

/* A client without a name opens with ApiVersions, of which each byte is known: tags and two texts.
 */
static enum protocol_verdict recognise_nameless(uint32_t key, uint16_t version, struct bytes bytes,
						uint64_t left)
{
	struct kafka_body body = {.bytes = &bytes, .version = version, .is_flexible = true};
	uint64_t known = bytes_left(&bytes);

	left -= KAFKA_REQUEST_HEAD;
	if (key != KAFKA_API_VERSIONS)
		return PROTOCOL_NO;
	if (version < apis[KAFKA_API_VERSIONS].flexible)
		return left ? PROTOCOL_NO : PROTOCOL_YES;
	if (known < left)
		return PROTOCOL_SHORT;
	bytes.end = bytes.at + left;
	skip_tags(&body);
	skip_text(&body);
	skip_text(&body);
	skip_tags(&body);
	return bytes.is_short || bytes_left(&bytes) ? PROTOCOL_NO : PROTOCOL_YES;
}

/*
 * An API of the table, a number that is not negative, and a client's name that is text; sure if it
 * is not empty. is_known: that the connection is one of Kafka.
 */
static enum protocol_verdict recognise_request(struct bytes bytes, uint64_t left, bool is_known)
{
	uint32_t key = (uint32_t)bytes_be(&bytes, 2);
	uint16_t version = (uint16_t)bytes_be(&bytes, 2), len;
	int32_t number = (int32_t)bytes_be(&bytes, 4);

	len = (uint16_t)bytes_be(&bytes, 2);
	if (!find_api(key) || number < 0)
		return PROTOCOL_NO;
	if (bytes.is_short)
		return PROTOCOL_SHORT;
	if (len == UINT16_MAX)
		return PROTOCOL_YES;
	if (len == 0)
		return is_known ? PROTOCOL_MAYBE : recognise_nameless(key, version, bytes, left);
	if (len > KAFKA_CLIENT_MAX || (uint64_t)KAFKA_REQUEST_HEAD + len > left)
		return PROTOCOL_NO;
	for (size_t i = 0; i < len && i < bytes_left(&bytes); i++)
		if (bytes.at[i] < ' ' || bytes.at[i] >= 0x7f)
			return PROTOCOL_NO;
	return bytes_left(&bytes) >= len ? PROTOCOL_YES : PROTOCOL_SHORT;
}

static enum protocol_verdict judge(enum protocol_side side, const struct protocol_input *input,
				   bool is_known)
{
	uint64_t len = kafka_length(side, input->data, input->len);
	struct bytes bytes = bytes_begin(input->data, input->len);

	/* None of more than 16 MiB is the first one. */
	if (len == FRAMED_WRONG || input->data[0])
		return PROTOCOL_NO;
	if (len == FRAMED_WAITS)
		return PROTOCOL_SHORT;
	bytes_take(&bytes, 4);
	if (side == PROTOCOL_REQUESTS)
		return recognise_request(bytes, len, is_known);
	return bytes_left(&bytes) && *bytes.at & 0x80 ? PROTOCOL_NO : PROTOCOL_MAYBE;
}

/* Requests are sure, or none: nearly anything may be a response, which makes nothing sure. */
static enum protocol_verdict kafka_recognise(enum protocol_side side,
					     const struct protocol_input *input)
{
	return judge(side, input, false);
}

/* Only where a read begins. */
static size_t kafka_find(enum protocol_side side, const struct protocol_input *input)
{
	return judge(side, input, true) == PROTOCOL_NO ? input->len : 0;
}

const struct protocol protocol_kafka = {
	.name = "kafka",
	.number = request_protocols__kafka,
	.class = PROTOCOL_OF_QUEUES,
	.is_found_by_key = true,
	.recognise = kafka_recognise,
	.step = kafka_step,
	.find = kafka_find,
};
