/* SPDX-License-Identifier: MIT */
/*
 * librdkafka's mock cluster as a program, so that others can produce and consume over TCP:
 *
 *   kafka_cluster TOPIC PARTITIONS
 *
 * Prints the address of its broker, then for each line of stdin how many messages the topic got so
 * far. Ends with its stdin. A partition keeps its last 5 MiB or 100,000 messages: take so many
 * partitions that readers can be behind.
 */
#include <inttypes.h>
#include <librdkafka/rdkafka.h>
#include <librdkafka/rdkafka_mock.h>
#include <stdio.h>
#include <stdlib.h>

enum { BROKERS = 1, TIMEOUT_MS = 60000 };

static _Noreturn void fail(const char *what)
{
	fprintf(stderr, "kafka_cluster: %s\n", what);
	exit(1);
}

static rd_kafka_t *client_new(rd_kafka_type_t type, const char *brokers)
{
	rd_kafka_conf_t *conf = rd_kafka_conf_new();
	char text[512];
	rd_kafka_t *client;

	/* What it warns of is meant: the owner of a mock cluster has no brokers. */
	rd_kafka_conf_set(conf, "log_level", "3", text, sizeof(text));
	if (brokers && rd_kafka_conf_set(conf, "bootstrap.servers", brokers, text, sizeof(text)))
		fail(text);
	client = rd_kafka_new(type, conf, text, sizeof(text));
	if (!client)
		fail(text);
	return client;
}

/* The offsets at which the partitions end. */
static int64_t count_messages(rd_kafka_t *client, const char *topic, int partitions)
{
	int64_t low, high, sum = 0;

	for (int i = 0; i < partitions; i++) {
		rd_kafka_resp_err_t code =
			rd_kafka_query_watermark_offsets(client, topic, i, &low, &high, TIMEOUT_MS);

		if (code)
			fail(rd_kafka_err2str(code));
		sum += high;
	}
	return sum;
}

int main(int argc, char **argv)
{
	int partitions = argc == 3 ? atoi(argv[2]) : 0;
	rd_kafka_mock_cluster_t *cluster;
	rd_kafka_t *owner, *client;
	const char *brokers;
	char line[16];

	if (partitions <= 0)
		fail("TOPIC PARTITIONS");
	owner = client_new(RD_KAFKA_PRODUCER, NULL);
	cluster = rd_kafka_mock_cluster_new(owner, BROKERS);
	if (!cluster || rd_kafka_mock_topic_create(cluster, argv[1], partitions, BROKERS))
		fail("there is no mock cluster");
	brokers = rd_kafka_mock_cluster_bootstraps(cluster);
	client = client_new(RD_KAFKA_CONSUMER, brokers);
	printf("%s\n", brokers);
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin)) {
		printf("%" PRId64 "\n", count_messages(client, argv[1], partitions));
		fflush(stdout);
	}
	rd_kafka_destroy(client);
	rd_kafka_mock_cluster_destroy(cluster);
	rd_kafka_destroy(owner);
	return 0;
}
