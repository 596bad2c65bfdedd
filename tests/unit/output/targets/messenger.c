/* SPDX-License-Identifier: MIT */
/* Frames and datagrams, and what becomes of the records when a peer goes. */
#include "output/targets/messenger.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "patience.h"
#include "peer.h"
#include "sent.h"
#include "unit.h"

enum { MANY = 20000, LINE_BYTES = 200 };

static struct output_stop stop;
static struct connection connection;
static struct messenger messenger;
static struct peer peer;
static struct error err;

static int setup_type(int type)
{
	struct connection_config config = {.datagrams = type == SOCK_DGRAM,
					   .timeout_ns = UINT64_C(60000000000)};

	peer_open(&peer, type, 0);
	strcpy(config.endpoint.host, "127.0.0.1");
	snprintf(config.endpoint.port, sizeof(config.endpoint.port), "%u", (unsigned int)peer.port);
	messenger = (struct messenger){0};
	connection_init(&connection, &config, &stop);
	return output_stop_init(&stop);
}

static int setup(void **state)
{
	return setup_type(SOCK_STREAM);
}

static int setup_datagrams(void **state)
{
	return setup_type(SOCK_DGRAM);
}

static int teardown(void **state)
{
	connection_close(&connection);
	messenger_finish(&messenger);
	peer_close(&peer);
	output_stop_finish(&stop);
	return 0;
}

static void expect_stream(const char *text, size_t len)
{
	struct sent sent;
	char *got = malloc(len);
	int fd;

	sent_init(&sent, 8, 3, 5);
	assert_int_equal(messenger_write(&messenger, &connection, &sent.batch, &err), 0);
	assert_int_equal(sent_count(&sent, OUTPUT_DELIVERED), 3);
	assert_false(sent.batch.uncertain);
	fd = peer_accept(&peer);
	peer_read(fd, got, len);
	assert_memory_equal(got, text, len);
	free(got);
	sent_finish(&sent);
	close(fd);
	connection_close(&connection);
}

static void test_framing(void **state)
{
	static const char lengths[] = "\0\0\0\0048 ..\0\0\0\0049 ..\0\0\0\00410 .";

	expect_stream("8 ..\n9 ..\n10 .\n", 15);
	messenger.framing = FRAMING_OCTETS;
	expect_stream("4 8 ..4 9 ..4 10 .", 18);
	messenger.framing = FRAMING_LENGTH;
	expect_stream(lengths, sizeof(lengths) - 1);
}

static void make(void *context, const struct output_batch *batch,
		 const struct output_record *record, struct messenger_message *message)
{
	buf_printf(&message->head, "<%d>", (int)record->number);
	message->body++;
	message->body_len -= 2;
	buf_append_string(&message->tail, context);
}

static void test_parts(void **state)
{
	messenger.make = make;
	messenger.context = "!";
	expect_stream("<8> .!\n<9> .!\n<10>0 !\n", 22);
	messenger.framing = FRAMING_OCTETS;
	expect_stream("6 <8> .!6 <9> .!7 <10>0 !", 25);
}

static void test_one_line(void **state)
{
	struct sent sent;
	char got[10];
	int fd;

	sent_init_text(&sent, 1, "ab\nc_ef\n");
	sent.bytes[4] = '\0';
	messenger.one_line = true;
	messenger.framing = FRAMING_OCTETS;
	assert_int_equal(messenger_write(&messenger, &connection, &sent.batch, &err), 0);
	fd = peer_accept(&peer);
	peer_read(fd, got, 9);
	assert_memory_equal(got, "7 ab c ef", 9);
	close(fd);
	sent_finish(&sent);
}

/* More than a chunk, to a slow reader. */
static void test_many(void **state)
{
	struct peer_reader *reader;
	struct sent sent;
	size_t len, at = 0;
	char *got;

	messenger.framing = FRAMING_OCTETS;
	assert_int_equal(connection_open(&connection, &err), 0);
	reader = peer_reader_start(peer_accept(&peer), 500);
	sent_init(&sent, 1, MANY, LINE_BYTES);
	assert_int_equal(messenger_write(&messenger, &connection, &sent.batch, &err), 0);
	assert_int_equal(sent_count(&sent, OUTPUT_DELIVERED), MANY);
	connection_close(&connection);
	got = peer_reader_join(reader, &len);
	assert_int_equal(len, MANY * (LINE_BYTES + 3));
	for (int i = 1; i <= MANY; i++, at += LINE_BYTES + 3) {
		assert_memory_equal(got + at, "199 ", 4);
		assert_int_equal(atoi(got + at + 4), i);
	}
	free(got);
	sent_finish(&sent);
}

/* The peer reads a part of the batch and goes: what it got is unknown. */
static void peer_goes(enum messenger_framing framing)
{
	struct sent sent;
	char first[LINE_BYTES * 3];
	int fd;

	messenger.framing = framing;
	assert_int_equal(connection_open(&connection, &err), 0);
	fd = peer_accept(&peer);
	sent_init(&sent, 1, 3, LINE_BYTES);
	assert_int_equal(messenger_write(&messenger, &connection, &sent.batch, &err), 0);
	peer_read(fd, first, sizeof(first));
	sent_finish(&sent);
	sent_init(&sent, 4, MANY, LINE_BYTES);
	output_stop_now(&stop);
	assert_int_equal(messenger_write(&messenger, &connection, &sent.batch, &err), -ECANCELED);
	assert_true(sent.batch.uncertain);
	/* At a stop the kernel still sends what it took. */
	assert_in_range(sent_count(&sent, OUTPUT_DELIVERED), 1, MANY - 1);
	assert_int_equal(connection.fd, -1);
	close(fd);
	output_stop_finish(&stop);
	assert_int_equal(output_stop_init(&stop), 0);
	assert_int_equal(connection_open(&connection, &err), 0);
	peer_reset(peer_accept(&peer));
	assert_int_equal(poll(&(struct pollfd){.fd = connection.fd}, 1, PATIENCE_MS), 1);
	memset(sent.batch.results, OUTPUT_RETRY, MANY);
	sent.batch.uncertain = false;
	assert_int_equal(messenger_write(&messenger, &connection, &sent.batch, &err), -ECONNRESET);
	/* Nothing of this one was taken. */
	assert_false(sent.batch.uncertain);
	assert_int_equal(sent_count(&sent, OUTPUT_RETRY), MANY);
	sent_finish(&sent);
}

static void test_peer_goes(void **state)
{
	peer_goes(FRAMING_NEWLINE);
	peer_goes(FRAMING_LENGTH);
}

static void *reset_later(void *fd)
{
	char bytes[1000];

	peer_read(*(int *)fd, bytes, sizeof(bytes));
	usleep(50000);
	peer_reset(*(int *)fd);
	return NULL;
}

static void test_peer_goes_within(void **state)
{
	struct sent sent;
	pthread_t thread;
	int fd;

	assert_int_equal(connection_open(&connection, &err), 0);
	fd = peer_accept(&peer);
	assert_int_equal(pthread_create(&thread, NULL, reset_later, &fd), 0);
	sent_init(&sent, 1, MANY * 3, LINE_BYTES);
	assert_int_equal(messenger_write(&messenger, &connection, &sent.batch, &err), -ECONNRESET);
	pthread_join(thread, NULL);
	assert_true(sent.batch.uncertain);
	assert_int_equal(sent_count(&sent, OUTPUT_RETRY), MANY * 3);
	sent_finish(&sent);
}

static void test_datagrams(void **state)
{
	struct sent sent;
	char text[LINE_BYTES];

	sent_init(&sent, 1, 100, LINE_BYTES);
	assert_int_equal(messenger_send(&messenger, &connection, &sent.batch, &err), 0);
	assert_int_equal(sent_count(&sent, OUTPUT_DELIVERED), 100);
	for (int i = 1; i <= 100; i++) {
		peer_receive(&peer, text, sizeof(text));
		assert_int_equal(strlen(text), LINE_BYTES - 1);
		assert_int_equal(atoi(text), i);
	}
	sent_finish(&sent);
}

static void test_large_datagram(void **state)
{
	static char large[70000];
	struct output_record records[3];
	struct sent sent;
	char text[LINE_BYTES];

	sent_init(&sent, 1, 3, LINE_BYTES);
	memcpy(records, sent.records, sizeof(records));
	memset(large, 'x', sizeof(large));
	records[1].bytes = large;
	records[1].len = sizeof(large);
	sent.batch.records = records;
	assert_int_equal(messenger_send(&messenger, &connection, &sent.batch, &err), -EMSGSIZE);
	assert_string_equal(err.text, "a message of 70000 bytes is too large for a datagram");
	assert_int_equal(sent.batch.results[0], OUTPUT_DELIVERED);
	assert_int_equal(sent.batch.results[1], OUTPUT_REJECTED);
	assert_int_equal(sent.batch.results[2], OUTPUT_DELIVERED);
	peer_receive(&peer, text, sizeof(text));
	peer_receive(&peer, text, sizeof(text));
	assert_int_equal(atoi(text), 3);
	sent_finish(&sent);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_framing, setup, teardown),
	cmocka_unit_test_setup_teardown(test_parts, setup, teardown),
	cmocka_unit_test_setup_teardown(test_one_line, setup, teardown),
	cmocka_unit_test_setup_teardown(test_many, setup, teardown),
	cmocka_unit_test_setup_teardown(test_peer_goes, setup, teardown),
	cmocka_unit_test_setup_teardown(test_peer_goes_within, setup, teardown),
	cmocka_unit_test_setup_teardown(test_datagrams, setup_datagrams, teardown),
	cmocka_unit_test_setup_teardown(test_large_datagram, setup_datagrams, teardown),
};

UNIT_GROUP(tests);
