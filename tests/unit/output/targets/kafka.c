/* SPDX-License-Identifier: MIT */
/* Kafka: what a mock cluster of librdkafka, over TCP, gets; its failures; what cannot be sent. */
#include <errno.h>
#include <librdkafka/rdkafka.h>
#include <librdkafka/rdkafka_mock.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "output/targets/kinds.h"
#include "sent.h"
#include "unit.h"

enum { BROKERS = 3, PARTITIONS = 1, LINE_BYTES = 100, TRIES = 100 };

struct cluster {
	rd_kafka_t *owner;
	rd_kafka_mock_cluster_t *mock;
};

static int setup(void **state)
{
	struct cluster *cluster = calloc(1, sizeof(*cluster));
	char text[256];

	*state = cluster;
	cluster->owner = rd_kafka_new(RD_KAFKA_PRODUCER, rd_kafka_conf_new(), text, sizeof(text));
	cluster->mock = rd_kafka_mock_cluster_new(cluster->owner, BROKERS);
	return rd_kafka_mock_topic_create(cluster->mock, "events", PARTITIONS, 1) ? -1 : 0;
}

static int teardown(void **state)
{
	struct cluster *cluster = *state;

	rd_kafka_mock_cluster_destroy(cluster->mock);
	rd_kafka_destroy(cluster->owner);
	free(cluster);
	return 0;
}

/* Opens a target; commas between brokers are escaped, as on the command line. */
static void open_target(struct sent_target *target, const struct cluster *cluster, const char *keys)
{
	const char *brokers = rd_kafka_mock_cluster_bootstraps(cluster->mock);
	char text[512];
	size_t len = (size_t)snprintf(text, sizeof(text), "kafka://");

	for (; *brokers; brokers++) {
		if (*brokers == ',')
			text[len++] = '\\';
		text[len++] = *brokers;
	}
	snprintf(text + len, sizeof(text) - len, "/events%s", keys);
	sent_open(target, &output_kind_kafka, text);
}

/* Reads messages of the topic until `count` came: each is the line of its record, in their order.
 */
static void expect_messages(const struct cluster *cluster, size_t count)
{
	rd_kafka_conf_t *conf = rd_kafka_conf_new();
	rd_kafka_topic_t *topic;
	rd_kafka_t *consumer;
	char text[256];
	size_t got = 0;

	rd_kafka_conf_set(conf, "bootstrap.servers",
			  rd_kafka_mock_cluster_bootstraps(cluster->mock), text, sizeof(text));
	consumer = rd_kafka_new(RD_KAFKA_CONSUMER, conf, text, sizeof(text));
	topic = rd_kafka_topic_new(consumer, "events", NULL);
	assert_int_equal(rd_kafka_consume_start(topic, 0, RD_KAFKA_OFFSET_BEGINNING), 0);
	for (int i = 0; i < TRIES && got < count;) {
		rd_kafka_message_t *message = rd_kafka_consume(topic, 0, 100);

		if (!message || message->err) {
			i++;
		} else {
			got++;
			assert_int_equal(message->len, LINE_BYTES - 1);
			assert_int_equal(strtoull(message->payload, NULL, 10), got);
		}
		if (message)
			rd_kafka_message_destroy(message);
	}
	assert_int_equal(got, count);
	rd_kafka_consume_stop(topic, 0);
	rd_kafka_topic_destroy(topic);
	rd_kafka_destroy(consumer);
}

static void test_messages(void **state)
{
	struct sent_target target;
	struct error err;

	open_target(&target, *state, ",linger.ms=1,key=node1");
	assert_int_equal(sent_all(&target, 1, 1000, LINE_BYTES, &err), 0);
	assert_int_equal(sent_all(&target, 1001, 1, LINE_BYTES, &err), 0);
	assert_int_equal(target.kind->tick(target.target, &err), 0);
	sent_close(&target);
	expect_messages(*state, 1001);
}

/* Errors that pass are retried by librdkafka: nobody hears of them, nothing comes twice. */
static void test_errors_that_pass(void **state)
{
	struct cluster *cluster = *state;
	struct sent_target target;
	struct error err;

	open_target(&target, cluster, "");
	rd_kafka_mock_push_request_errors(
		cluster->mock, 0 /* Produce */, 3, RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION,
		RD_KAFKA_RESP_ERR__TRANSPORT, RD_KAFKA_RESP_ERR_NOT_ENOUGH_REPLICAS);
	assert_int_equal(sent_all(&target, 1, 100, LINE_BYTES, &err), 0);
	sent_close(&target);
	expect_messages(cluster, 100);
}

static void set_brokers_down(const struct cluster *cluster, bool down)
{
	for (int32_t id = 1; id <= BROKERS; id++)
		if (down)
			rd_kafka_mock_broker_set_down(cluster->mock, id);
		else
			rd_kafka_mock_broker_set_up(cluster->mock, id);
}

/* Records wait for a cluster that is away, and come once. */
static void test_cluster_that_is_away(void **state)
{
	struct cluster *cluster = *state;
	struct sent_target target;
	struct error err = {""};
	struct sent sent;

	open_target(&target, cluster, ",timeout=500ms,reconnect.backoff.max.ms=100");
	set_brokers_down(cluster, true);
	sent_init(&sent, 1, 10, LINE_BYTES);
	assert_int_equal(target.kind->send(target.target, &sent.batch, &err), -EIO);
	assert_int_equal(sent_count(&sent, OUTPUT_RETRY), 10);
	assert_non_null(strstr(err.text, "timed out"));
	set_brokers_down(cluster, false);
	sent_finish(&sent);
	sent_all(&target, 1, 10, LINE_BYTES, &err);
	sent_close(&target);
	expect_messages(cluster, 10);
}

static void *stop_soon(void *stop)
{
	sleep(2);
	output_stop_now(stop);
	return NULL;
}

/* What could not be reached until then is the reason. */
static void test_stop_ends_the_wait(void **state)
{
	struct cluster *cluster = *state;
	struct sent_target target;
	struct error err;
	struct sent sent;
	pthread_t thread;

	open_target(&target, cluster, "");
	set_brokers_down(cluster, true);
	sent_init(&sent, 1, 10, LINE_BYTES);
	assert_int_equal(pthread_create(&thread, NULL, stop_soon, &target.stop), 0);
	assert_int_equal(target.kind->send(target.target, &sent.batch, &err), -EIO);
	assert_non_null(strstr(err.text, "127.0.0.1:"));
	assert_int_equal(sent_count(&sent, OUTPUT_RETRY), 10);
	pthread_join(thread, NULL);
	sent_finish(&sent);
	sent_close(&target);
}

static void test_message_that_is_too_large(void **state)
{
	struct sent_target target;
	struct error err = {""};
	struct sent sent;

	open_target(&target, *state, ",message.max.bytes=1000");
	sent_init(&sent, 1, 1, 2000);
	assert_int_equal(target.kind->send(target.target, &sent.batch, &err), -EIO);
	assert_int_equal(sent_count(&sent, OUTPUT_REJECTED), 1);
	assert_non_null(strstr(err.text, "too large"));
	sent_finish(&sent);
	sent_close(&target);
}

static void test_rejected_words(void **state)
{
	static const struct {
		const char *text, *message;
	} wrong[] = {
		{"kafka:", "kafka:: expected kafka://BROKER[:PORT][,BROKER...]/TOPIC"},
		{"kafka://a", "kafka://a: expected kafka://BROKER[:PORT][,BROKER...]/TOPIC"},
		{"kafka://a/", "kafka://a/: expected kafka://BROKER[:PORT][,BROKER...]/TOPIC"},
		{"kafka://a/b,no.such=1", "kafka: librdkafka does not accept no.such: "},
		{"kafka://a/b,linger.ms=x", "kafka: librdkafka does not accept linger.ms: "},
	};
	struct sent_target target;
	struct error err;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		assert_int_equal(sent_try(&target, &output_kind_kafka, wrong[i].text, &err),
				 -EINVAL);
		assert_memory_equal(err.text, wrong[i].message, strlen(wrong[i].message));
	}
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

static const struct CMUnitTest tests[] = {
	TEST(test_messages),
	TEST(test_errors_that_pass),
	TEST(test_cluster_that_is_away),
	TEST(test_stop_ends_the_wait),
	TEST(test_message_that_is_too_large),
	cmocka_unit_test(test_rejected_words),
};

UNIT_GROUP(tests);
