/* SPDX-License-Identifier: MIT */
/* Connections whose peers are slow, go, come again, or never were there. */
#include "output/targets/connection.h"

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
#include "tree.h"
#include "unit.h"

#define MS UINT64_C(1000000)

enum { LARGE_BYTES = 8 << 20, GOOD_BYTES = 1 << 20 };

static struct output_stop stop;
static struct connection connection;
static struct peer peer;
static struct error err;

static int setup(void **state)
{
	return output_stop_init(&stop);
}

static int teardown(void **state)
{
	connection_close(&connection);
	peer_close(&peer);
	output_stop_finish(&stop);
	return 0;
}

static void init(uint16_t port, bool datagrams, uint64_t timeout_ns)
{
	struct connection_config config = {.datagrams = datagrams, .timeout_ns = timeout_ns};

	strcpy(config.endpoint.host, "127.0.0.1");
	snprintf(config.endpoint.port, sizeof(config.endpoint.port), "%u", (unsigned int)port);
	connection_init(&connection, &config, &stop);
}

static void init_path(const char *path, bool datagrams)
{
	const struct connection_config config = {
		.path = path, .datagrams = datagrams, .timeout_ns = 60000 * MS};

	connection_init(&connection, &config, &stop);
}

/* Waits until the kernel knows of the connection that it failed. */
static void await_failure(void)
{
	assert_int_equal(poll(&(struct pollfd){.fd = connection.fd}, 1, PATIENCE_MS), 1);
}

static int write_text(const char *text)
{
	size_t done = 0;
	int code = connection_write(&connection, text, strlen(text), &done, &err);

	assert_true(code || done == strlen(text));
	return code;
}

static void test_no_server(void **state)
{
	uint16_t port = peer_free_port();
	int fd;

	init(port, false, 60000 * MS);
	assert_int_equal(connection_open(&connection, &err), -ECONNREFUSED);
	assert_string_equal(err.text, "cannot connect: Connection refused");
	assert_int_equal(connection.fd, -1);
	assert_int_equal(connection_check(&connection, &err), 0);
	peer_open(&peer, SOCK_STREAM, port);
	assert_int_equal(connection_open(&connection, &err), 0);
	assert_int_equal(write_text("hello"), 0);
	fd = peer_accept(&peer);
	peer_expect(fd, "hello");
	close(fd);
}

/* What a server sends is discarded; its orderly end is seen before the next write. */
static void test_server_ends(void **state)
{
	int fd;

	peer_open(&peer, SOCK_STREAM, 0);
	init(peer.port, false, 60000 * MS);
	assert_int_equal(connection_open(&connection, &err), 0);
	fd = peer_accept(&peer);
	assert_int_equal(write(fd, "welcome", 7), 7);
	assert_int_equal(write_text("1"), 0);
	assert_int_equal(connection_open(&connection, &err), 0);
	assert_int_equal(write_text("2"), 0);
	peer_expect(fd, "12");
	assert_int_equal(connection_check(&connection, &err), 0);
	assert_true(connection.fd >= 0);
	close(fd);
	assert_int_equal(connection_open(&connection, &err), 0);
	assert_int_equal(write_text("3"), 0);
	fd = peer_accept(&peer);
	peer_expect(fd, "3");
	close(fd);
	assert_int_equal(connection_check(&connection, &err), 0);
	assert_int_equal(connection.fd, -1);
}

/* A reset: something may be lost. */
static void test_server_resets(void **state)
{
	int fd;

	peer_open(&peer, SOCK_STREAM, 0);
	init(peer.port, false, 60000 * MS);
	assert_int_equal(connection_open(&connection, &err), 0);
	assert_int_equal(write_text("1"), 0);
	peer_reset(peer_accept(&peer));
	assert_int_equal(connection_open(&connection, &err), -ECONNRESET);
	assert_string_equal(err.text, "Connection reset by peer; lost is what it had not read");
	assert_int_equal(connection.fd, -1);
	assert_int_equal(connection_open(&connection, &err), 0);
	fd = peer_accept(&peer);
	peer_reset(fd);
	await_failure();
	assert_int_equal(write_text("2"), -ECONNRESET);
	assert_int_equal(connection.fd, -1);
}

static void test_slow_server(void **state)
{
	struct peer_reader *reader;
	char *bytes = malloc(LARGE_BYTES), *got;
	size_t done = 3, len;

	for (size_t i = 0; i < LARGE_BYTES; i++)
		bytes[i] = (char)(i * 31 >> 3);
	peer_open(&peer, SOCK_STREAM, 0);
	init(peer.port, false, 60000 * MS);
	assert_int_equal(connection_open(&connection, &err), 0);
	reader = peer_reader_start(peer_accept(&peer), 1000);
	assert_int_equal(connection_write(&connection, bytes, LARGE_BYTES, &done, &err), 0);
	assert_int_equal(done, LARGE_BYTES + 3);
	connection_close(&connection);
	got = peer_reader_join(reader, &len);
	assert_int_equal(len, LARGE_BYTES);
	assert_memory_equal(got, bytes, LARGE_BYTES);
	free(bytes);
	free(got);
}

/* A server that reads nothing, for too long; and one for which nobody waits any more. */
static void test_stalled_server(void **state)
{
	char *bytes = calloc(1, LARGE_BYTES);
	size_t done = 0;
	unsigned int lost = 0;
	int fd;

	peer_open(&peer, SOCK_STREAM, 0);
	init(peer.port, false, 150 * MS);
	assert_int_equal(connection_open(&connection, &err), 0);
	fd = peer_accept(&peer);
	assert_int_equal(connection_write(&connection, bytes, LARGE_BYTES, &done, &err),
			 -ETIMEDOUT);
	assert_in_range(done, 1, LARGE_BYTES - 1);
	assert_int_equal(sscanf(err.text,
				"the peer takes nothing; lost is what it had not read, and %u",
				&lost),
			 1);
	assert_in_range(lost, 1, done);
	assert_int_equal(connection.fd, -1);
	close(fd);
	connection.config.timeout_ns = 60000 * MS;
	assert_int_equal(connection_open(&connection, &err), 0);
	output_stop_now(&stop);
	assert_int_equal(connection_write(&connection, bytes, LARGE_BYTES, &done, &err),
			 -ECANCELED);
	assert_true(connection.fd >= 0);
	free(bytes);
}

static void test_unix_stream(void **state)
{
	struct tree tree;
	char path[TREE_PATH_BYTES];
	int fd;

	tree_create(&tree);
	tree_path(&tree, "s", path);
	peer_open_unix(&peer, SOCK_STREAM, path);
	init_path(path, false);
	assert_int_equal(connection_open(&connection, &err), 0);
	assert_int_equal(write_text("1"), 0);
	fd = peer_accept(&peer);
	peer_expect(fd, "1");
	close(fd);
	assert_int_equal(write_text("2"), -EPIPE);
	assert_string_equal(err.text, "the peer closed the connection");
	tree_destroy(&tree);
}

static int send_texts(const char *first, const char *second, const char *third, size_t *done)
{
	struct iovec texts[] = {{(char *)first, strlen(first)},
				{(char *)second, strlen(second)},
				{(char *)third, strlen(third)}};

	*done = 0;
	return connection_send(&connection, texts, 3, done, &err);
}

static void test_datagrams(void **state)
{
	char *large = malloc(70001), text[16];
	size_t done;

	memset(large, 'x', 70000);
	large[70000] = '\0';
	peer_open(&peer, SOCK_DGRAM, 0);
	init(peer.port, true, 60000 * MS);
	assert_int_equal(connection_open(&connection, &err), 0);
	assert_int_equal(send_texts("a", "bc", "d", &done), 0);
	assert_int_equal(done, 3);
	peer_receive(&peer, text, sizeof(text));
	assert_string_equal(text, "a");
	peer_receive(&peer, text, sizeof(text));
	assert_string_equal(text, "bc");
	peer_receive(&peer, text, sizeof(text));
	assert_string_equal(text, "d");
	assert_int_equal(send_texts("e", large, "f", &done), -EMSGSIZE);
	assert_int_equal(done, 1);
	peer_receive(&peer, text, sizeof(text));
	assert_string_equal(text, "e");
	free(large);
}

/* Nobody listens: the answer to one datagram is the error of the next. */
static void test_refused_datagram(void **state)
{
	struct iovec text = {"a", 1};
	size_t done = 0;

	init(peer_free_port(), true, 60000 * MS);
	assert_int_equal(connection_open(&connection, &err), 0);
	assert_int_equal(connection_send(&connection, &text, 1, &done, &err), 0);
	await_failure();
	assert_int_equal(connection_open(&connection, &err), -ECONNREFUSED);
	assert_string_equal(err.text, "Connection refused");
	assert_int_equal(connection_open(&connection, &err), 0);
	assert_int_equal(connection_send(&connection, &text, 1, &done, &err), 0);
	await_failure();
	assert_int_equal(connection_send(&connection, &text, 1, &done, &err), -ECONNREFUSED);
	assert_string_equal(err.text, "cannot send: Connection refused");
	assert_int_equal(connection.fd, -1);
	assert_int_equal(done, 2);
	peer_open(&peer, SOCK_DGRAM, 0);
}

/* The queue of a local socket is short. */
static void test_full_queue(void **state)
{
	struct iovec text = {"a", 1};
	struct tree tree;
	char path[TREE_PATH_BYTES], got[16];
	size_t done = 0;
	int code;

	tree_create(&tree);
	tree_path(&tree, "s", path);
	peer_open_unix(&peer, SOCK_DGRAM, path);
	init_path(path, true);
	connection.config.timeout_ns = 50 * MS;
	assert_int_equal(connection_open(&connection, &err), 0);
	do
		code = connection_send(&connection, &text, 1, &done, &err);
	while (code == 0 && done < 100000);
	assert_int_equal(code, -ETIMEDOUT);
	assert_int_equal(connection_open(&connection, &err), 0);
	for (size_t i = 0; i < done; i++)
		peer_receive(&peer, got, sizeof(got));
	assert_int_equal(connection_send(&connection, &text, 1, &done, &err), 0);
	peer_receive(&peer, got, sizeof(got));
	peer_close(&peer);
	assert_int_equal(connection_send(&connection, &text, 1, &done, &err), -ECONNREFUSED);
	tree_destroy(&tree);
}

/* A server that says something, which nobody reads, and reads later. */
static void *read_late(void *count)
{
	static char bytes[1 << 16];
	const int small = 16384;
	int fd = peer_accept(&peer);
	ssize_t n;

	setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small));
	(void)!write(fd, "welcome", 7);
	while ((n = read(fd, bytes, sizeof(bytes))) > 0) {
		*(size_t *)count += (size_t)n;
		usleep(1000);
	}
	close(fd);
	return NULL;
}

/*
 * An end in good order costs nothing of what was sent: with bytes that were not read close(2)
 * would reset the connection, and drop what the server has not taken yet.
 */
static void test_good_end(void **state)
{
	char *bytes = calloc(1, GOOD_BYTES);
	size_t done = 0, count = 0;
	pthread_t thread;

	peer_open(&peer, SOCK_STREAM, 0);
	init(peer.port, false, 60000 * MS);
	assert_int_equal(pthread_create(&thread, NULL, read_late, &count), 0);
	assert_int_equal(connection_open(&connection, &err), 0);
	assert_int_equal(connection_write(&connection, bytes, GOOD_BYTES, &done, &err), 0);
	connection_finish(&connection);
	assert_int_equal(connection.fd, -1);
	pthread_join(thread, NULL);
	assert_int_equal(count, GOOD_BYTES);
	free(bytes);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_good_end, setup, teardown),
	cmocka_unit_test_setup_teardown(test_no_server, setup, teardown),
	cmocka_unit_test_setup_teardown(test_server_ends, setup, teardown),
	cmocka_unit_test_setup_teardown(test_server_resets, setup, teardown),
	cmocka_unit_test_setup_teardown(test_slow_server, setup, teardown),
	cmocka_unit_test_setup_teardown(test_stalled_server, setup, teardown),
	cmocka_unit_test_setup_teardown(test_unix_stream, setup, teardown),
	cmocka_unit_test_setup_teardown(test_datagrams, setup, teardown),
	cmocka_unit_test_setup_teardown(test_refused_datagram, setup, teardown),
	cmocka_unit_test_setup_teardown(test_full_queue, setup, teardown),
};

UNIT_GROUP(tests);
