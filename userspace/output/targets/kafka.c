/* SPDX-License-Identifier: MIT */
/*
 * kafka://BROKERS/TOPIC: a message for each record, with librdkafka, which keeps their order in
 * each partition and retries by itself. A batch is done when each message has a report of its
 * delivery.
 */
#include <errno.h>
#include <librdkafka/rdkafka.h>
#include <stdlib.h>
#include <string.h>

#include "output/target.h"
#include "output/targets/kinds.h"
#include "util/clock.h"
#include "util/count.h"

enum { POLL_MS = 50, PURGE_MS = 5000, NAME_MAX_BYTES = 256 };

struct kafka_keys {
	char *key; /* owned */
	uint64_t timeout_ns;
};

struct kafka_target {
	const struct output_config *config;
	struct output_stop *stop;
	char *brokers, *topic_name; /* owned */
	rd_kafka_t *client; /* NULL: not created, or it failed for good */
	rd_kafka_topic_t *topic;
	rd_kafka_message_t *messages; /* owned; of the batch that is sent */
	size_t messages_max;
	/* While a batch is sent. */
	struct output_batch *batch;
	size_t waiting; /* messages without a report */
	rd_kafka_resp_err_t failure; /* of the last message that was not delivered */
	char reason[512]; /* the last error of the connection; empty: none */
};

/* What differs from librdkafka's defaults; keys with a dot change all but the brokers. */
static const struct {
	const char *name, *value;
} defaults[] = {
	{"client.id", "lanner"},
	{"client.software.name", "lanner"},
	{"enable.idempotence", "true"},
	{"compression.codec", "lz4"},
	/* Records come in batches, and the next one waits for the reports of this one. */
	{"linger.ms", "2"},
	{"socket.keepalive.enable", "true"},
	/* Batches come from the queue of the output: more would only be memory. */
	{"queue.buffering.max.messages", "1000000"},
	{"queue.buffering.max.kbytes", "262144"},
	{"log.connection.close", "false"},
};

/* "//BROKERS/TOPIC": sets both, owned. Returns 0, -EINVAL or -ENOMEM. */
static int kafka_split_target(const char *target, char **brokers, char **topic)
{
	const char *slash = strncmp(target, "//", 2) == 0 ? strchr(target + 2, '/') : NULL;

	if (!slash || slash == target + 2 || !slash[1] || strchr(slash + 1, '/'))
		return -EINVAL;
	*brokers = strndup(target + 2, (size_t)(slash - target - 2));
	*topic = strdup(slash + 1);
	return *brokers && *topic ? 0 : -ENOMEM;
}

static int kafka_set(rd_kafka_conf_t *conf, const char *name, const char *value, struct error *err)
{
	char text[512];

	if (rd_kafka_conf_set(conf, name, value, text, sizeof(text)) == RD_KAFKA_CONF_OK)
		return 0;
	return error_set(err, -EINVAL, "kafka: librdkafka does not accept %s: %s", name, text);
}

/* The text is "NAME=VALUE". */
static int set_passed(rd_kafka_conf_t *conf, const char *text, struct error *err)
{
	const char *equals = strchr(text, '=');
	char name[NAME_MAX_BYTES];
	size_t len = (size_t)(equals - text);

	if (len >= sizeof(name))
		return error_set(err, -EINVAL, "kafka: the key '%.40s...' is too long", text);
	memcpy(name, text, len);
	name[len] = '\0';
	return kafka_set(conf, name, equals + 1, err);
}

static int kafka_set_all(rd_kafka_conf_t *conf, const struct output_config *config,
			 const char *brokers, struct error *err)
{
	const struct kafka_keys *keys = config->own;
	char timeout_ms[24];
	int r = 0;

	for (size_t i = 0; i < COUNT(defaults) && r == 0; i++)
		r = kafka_set(conf, defaults[i].name, defaults[i].value, err);
	snprintf(timeout_ms, sizeof(timeout_ms), "%llu",
		 (unsigned long long)(keys->timeout_ns / 1000000));
	if (r == 0)
		r = kafka_set(conf, "message.timeout.ms", timeout_ms, err);
	for (size_t i = 0; i < config->passed.count && r == 0; i++)
		r = set_passed(conf, config->passed.items[i], err);
	return r ? r : kafka_set(conf, "bootstrap.servers", brokers, err);
}

static int kafka_check(const struct output_config *config, struct error *err)
{
	char *brokers = NULL, *topic = NULL;
	rd_kafka_conf_t *conf = rd_kafka_conf_new();
	int r = kafka_split_target(config->target, &brokers, &topic);

	if (r == -EINVAL)
		error_set(err, r, "kafka:%s: expected kafka://BROKER[:PORT][,BROKER...]/TOPIC",
			  config->target);
	if (r == 0)
		r = kafka_set_all(conf, config, brokers, err);
	rd_kafka_conf_destroy(conf);
	free(brokers);
	free(topic);
	return r;
}

static void kafka_close(void *context);

static int kafka_open(const struct output_config *config, struct output_stop *stop, void **target,
		      struct error *err)
{
	struct kafka_target *made = calloc(1, sizeof(*made));
	int r = made ? kafka_split_target(config->target, &made->brokers, &made->topic_name)
		     : -ENOMEM;

	if (r) {
		kafka_close(made);
		return error_set(err, r, "out of memory");
	}
	made->config = config;
	made->stop = stop;
	*target = made;
	return 0;
}

/* What became of a message that has a report. */
static enum output_result kafka_result_of(const rd_kafka_message_t *message)
{
	switch (message->err) {
	case RD_KAFKA_RESP_ERR_NO_ERROR:
		return OUTPUT_DELIVERED;
	case RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE:
	case RD_KAFKA_RESP_ERR_INVALID_MSG:
	case RD_KAFKA_RESP_ERR_INVALID_RECORD:
		return OUTPUT_REJECTED;
	default:
		return OUTPUT_RETRY;
	}
}

/* Called from rd_kafka_poll(), so on the thread of the output. */
static void take_report(rd_kafka_t *client, const rd_kafka_message_t *message, void *context)
{
	struct kafka_target *target = context;
	size_t i = (size_t)(uintptr_t)message->_private;

	target->waiting--;
	target->batch->results[i] = (uint8_t)kafka_result_of(message);
	if (message->err == RD_KAFKA_RESP_ERR_NO_ERROR)
		return;
	target->failure = message->err;
	if (rd_kafka_message_status(message) != RD_KAFKA_MSG_STATUS_NOT_PERSISTED)
		target->batch->uncertain = true;
}

static void kafka_take_error(rd_kafka_t *client, int code, const char *reason, void *context)
{
	struct kafka_target *target = context;

	snprintf(target->reason, sizeof(target->reason), "%s", reason);
}

/* Errors come through kafka_take_error(); what else it logs is for its developers. */
static void drop_log(const rd_kafka_t *client, int level, const char *facility, const char *text)
{
}

/* Creates the client on the thread of the output, whose blocked signals its threads inherit. */
static int connect_client(struct kafka_target *target, struct error *err)
{
	rd_kafka_conf_t *conf = rd_kafka_conf_new();
	char text[512] = "";
	int r = kafka_set_all(conf, target->config, target->brokers, err);

	if (r) {
		rd_kafka_conf_destroy(conf);
		return r;
	}
	rd_kafka_conf_set_opaque(conf, target);
	rd_kafka_conf_set_dr_msg_cb(conf, take_report);
	rd_kafka_conf_set_error_cb(conf, kafka_take_error);
	rd_kafka_conf_set_log_cb(conf, drop_log);
	target->client = rd_kafka_new(RD_KAFKA_PRODUCER, conf, text, sizeof(text));
	if (!target->client) {
		rd_kafka_conf_destroy(conf);
		return error_set(err, -EINVAL, "%s", text);
	}
	target->topic = rd_kafka_topic_new(target->client, target->topic_name, NULL);
	if (target->topic)
		return 0;
	return error_set(err, -EINVAL, "%s", rd_kafka_err2str(rd_kafka_last_error()));
}

static void disconnect_client(struct kafka_target *target)
{
	if (target->topic)
		rd_kafka_topic_destroy(target->topic);
	if (target->client)
		rd_kafka_destroy(target->client);
	target->topic = NULL;
	target->client = NULL;
}

static int reserve_messages(struct kafka_target *target, size_t count, struct error *err)
{
	rd_kafka_message_t *more;

	if (count <= target->messages_max)
		return 0;
	more = realloc(target->messages, count * sizeof(*more));
	if (!more)
		return error_set(err, -ENOMEM, "out of memory");
	target->messages = more;
	target->messages_max = count;
	return 0;
}

/*
 * Hands all records to librdkafka, which does not copy them. Those that it does not take are
 * rejected, or stay to be retried.
 */
static void produce(struct kafka_target *target, struct output_batch *batch)
{
	const struct kafka_keys *keys = target->config->own;

	for (size_t i = 0; i < batch->count; i++)
		target->messages[i] = (rd_kafka_message_t){
			.payload = (void *)batch->records[i].bytes,
			.len = output_record_text_len(&batch->records[i]),
			.key = keys->key,
			.key_len = keys->key ? strlen(keys->key) : 0,
			._private = (void *)(uintptr_t)i,
		};
	target->batch = batch;
	target->waiting = (size_t)rd_kafka_produce_batch(target->topic, RD_KAFKA_PARTITION_UA, 0,
							 target->messages, (int)batch->count);
	for (size_t i = 0; i < batch->count && target->waiting < batch->count; i++) {
		if (target->messages[i].err == RD_KAFKA_RESP_ERR_NO_ERROR)
			continue;
		target->failure = target->messages[i].err;
		batch->results[i] = (uint8_t)kafka_result_of(&target->messages[i]);
	}
}

/* Waits for the reports, also of the messages that are given up after a stop. */
static void wait_for_reports(struct kafka_target *target)
{
	bool purged = false;

	while (target->waiting) {
		rd_kafka_poll(target->client, POLL_MS);
		if (purged || !output_is_stopped(target->stop))
			continue;
		purged = true;
		rd_kafka_purge(target->client, RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT);
	}
	target->batch = NULL;
}

static int kafka_report(struct kafka_target *target, struct error *err)
{
	char fatal[256];

	if (!target->failure)
		return 0;
	if (rd_kafka_fatal_error(target->client, fatal, sizeof(fatal))) {
		/* Only a new client can go on. */
		disconnect_client(target);
		return error_set(err, -EIO, "%s", fatal);
	}
	/* What was purged at the end has a reason if no broker could be reached before. */
	if (output_is_stopped(target->stop))
		return target->reason[0] ? error_set(err, -EIO, "%s", target->reason) : -ECANCELED;
	return error_set(err, -EIO, "%s%s%s", rd_kafka_err2str(target->failure),
			 target->reason[0] ? ": " : "", target->reason);
}

static int kafka_send(void *context, struct output_batch *batch, struct error *err)
{
	struct kafka_target *target = context;
	int r = reserve_messages(target, batch->count, err);

	if (r == 0 && !target->topic)
		r = connect_client(target, err);
	if (r) {
		disconnect_client(target);
		return r;
	}
	target->failure = RD_KAFKA_RESP_ERR_NO_ERROR;
	target->reason[0] = '\0';
	produce(target, batch);
	wait_for_reports(target);
	return kafka_report(target, err);
}

/* Lets librdkafka report errors between batches. */
static int kafka_tick(void *context, struct error *err)
{
	struct kafka_target *target = context;

	if (target->client)
		rd_kafka_poll(target->client, 0);
	return 0;
}

static void kafka_close(void *context)
{
	struct kafka_target *target = context;

	if (!target)
		return;
	disconnect_client(target);
	free(target->messages);
	free(target->brokers);
	free(target->topic_name);
	free(target);
}

static const char *const names[] = {"kafka", NULL};

static const struct output_key keys[] = {
	{"key", "TEXT",
	 "key of all messages, so that they keep their order in one partition; default: none",
	 OUTPUT_TEXT, offsetof(struct kafka_keys, key)},
	{"timeout", "TIME", "after that a message counts as not delivered, and is sent again",
	 OUTPUT_TIME, offsetof(struct kafka_keys, timeout_ns), "30s"},
	{0},
};

const struct output_kind output_kind_kafka = {
	.names = names,
	.target = "//BROKER[:PORT][,BROKER...]/TOPIC",
	.help = "a topic of Kafka; keys with a dot are those of librdkafka, as linger.ms=50",
	.keys = keys,
	.own_bytes = sizeof(struct kafka_keys),
	.passes_dotted = true,
	.acknowledges = true,
	.has_deadlines = true,
	.uses = OUTPUT_USES_NETWORK,
	.check = kafka_check,
	.open = kafka_open,
	.send = kafka_send,
	.tick = kafka_tick,
	.close = kafka_close,
};
