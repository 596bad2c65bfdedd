/* SPDX-License-Identifier: MIT */
/* Connected sockets: of addresses in turn, and of paths; limits of time. */
#include "output/targets/connection.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "patience.h"
#include "peer.h"
#include "tree.h"
#include "unit.h"

#define MS UINT64_C(1000000)

static struct output_stop stop;

static int setup(void **state)
{
	return output_stop_init(&stop);
}

static int teardown(void **state)
{
	output_stop_finish(&stop);
	return 0;
}

/* The address of a port of the loopback. */
static struct addrinfo place(struct sockaddr_in *address, uint16_t port, int type)
{
	*address = (struct sockaddr_in){.sin_family = AF_INET,
					.sin_port = htons(port),
					.sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	return (struct addrinfo){.ai_family = AF_INET,
				 .ai_socktype = type,
				 .ai_addr = (struct sockaddr *)address,
				 .ai_addrlen = sizeof(*address)};
}

static int option(int fd, int level, int name)
{
	socklen_t len = sizeof(int);
	int value = -1;

	assert_return_code(getsockopt(fd, level, name, &value, &len), errno);
	return value;
}

static void test_next_address(void **state)
{
	struct sockaddr_in address[2];
	struct addrinfo places[2];
	struct peer peer;
	int fd = -1;

	peer_open(&peer, SOCK_STREAM, 0);
	places[0] = place(&address[0], peer_free_port(), SOCK_STREAM);
	places[1] = place(&address[1], peer.port, SOCK_STREAM);
	assert_int_equal(
		connection_dial(places, 900 * MS, &stop, connection_deadline(60000 * MS), &fd),
		-ECONNREFUSED);
	assert_int_equal(fd, -1);
	places[0].ai_next = &places[1];
	assert_int_equal(
		connection_dial(places, 900 * MS, &stop, connection_deadline(60000 * MS), &fd), 0);
	assert_true(fcntl(fd, F_GETFL) & O_NONBLOCK);
	assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	assert_int_equal(option(fd, SOL_SOCKET, SO_KEEPALIVE), 1);
	assert_int_equal(option(fd, IPPROTO_TCP, TCP_NODELAY), 1);
	assert_int_equal(option(fd, IPPROTO_TCP, TCP_USER_TIMEOUT), 900);
	close(fd);
	peer_close(&peer);
}

/* A server that does not answer gets its share of the time, and the next one is tried. */
static void test_no_answer(void **state)
{
	struct sockaddr_in address[2];
	struct addrinfo places[2];
	struct peer silent, peer;
	uint64_t begin, time_ns = 200 * MS;
	int waiting[2], fd = -1, code;

	peer_open(&silent, SOCK_STREAM, 0);
	peer_open(&peer, SOCK_STREAM, 0);
	places[0] = place(&address[0], silent.port, SOCK_STREAM);
	places[1] = place(&address[1], peer.port, SOCK_STREAM);
	/* With a full queue the kernel drops requests. */
	assert_return_code(listen(silent.fd, 0), errno);
	for (int i = 0; i < 2; i++) {
		waiting[i] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
		connect(waiting[i], places[0].ai_addr, places[0].ai_addrlen);
	}
	assert_int_equal(
		connection_dial(places, 900 * MS, &stop, connection_deadline(200 * MS), &fd),
		-ETIMEDOUT);
	places[0].ai_next = &places[1];
	/* A slow machine needs more than the other half. */
	do {
		time_ns *= 2;
		begin = clock_ns(CLOCK_MONOTONIC);
		code = connection_dial(places, 900 * MS, &stop, connection_deadline(time_ns), &fd);
	} while (code == -ETIMEDOUT && time_ns < PATIENCE_NS);
	assert_int_equal(code, 0);
	assert_true(clock_ns(CLOCK_MONOTONIC) - begin >= 190 * MS);
	close(fd);
	output_stop_now(&stop);
	assert_int_equal(
		connection_dial(places, 900 * MS, &stop, connection_deadline(60000 * MS), &fd),
		-ECANCELED);
	for (int i = 0; i < 2; i++)
		close(waiting[i]);
	peer_close(&silent);
	peer_close(&peer);
}

static void test_paths(void **state)
{
	struct tree tree;
	struct peer peer;
	char path[TREE_PATH_BYTES], large[200];
	int fd = -1;

	tree_create(&tree);
	tree_path(&tree, "s", path);
	assert_int_equal(
		connection_dial_unix(path, SOCK_STREAM, &stop, connection_deadline(MS), &fd),
		-ENOENT);
	peer_open_unix(&peer, SOCK_STREAM, path);
	assert_int_equal(
		connection_dial_unix(path, SOCK_DGRAM, &stop, connection_deadline(MS), &fd),
		-EPROTOTYPE);
	assert_int_equal(
		connection_dial_unix(path, SOCK_STREAM, &stop, connection_deadline(MS), &fd), 0);
	close(fd);
	peer_close(&peer);
	assert_int_equal(
		connection_dial_unix(path, SOCK_STREAM, &stop, connection_deadline(MS), &fd),
		-ECONNREFUSED);
	peer_open_unix(&peer, SOCK_DGRAM, "@lanner-test-dial");
	assert_int_equal(connection_dial_unix("@lanner-test-dial", SOCK_DGRAM, &stop,
					      connection_deadline(MS), &fd),
			 0);
	close(fd);
	peer_close(&peer);
	memset(large, 'x', sizeof(large) - 1);
	large[sizeof(large) - 1] = '\0';
	assert_int_equal(
		connection_dial_unix(large, SOCK_STREAM, &stop, connection_deadline(MS), &fd),
		-ENAMETOOLONG);
	tree_destroy(&tree);
}

/* A server that accepts nothing: there is no event to wait for. */
static void test_full_path(void **state)
{
	struct tree tree;
	struct peer peer;
	char path[TREE_PATH_BYTES];
	int fds[16], count = 0, code;

	tree_create(&tree);
	tree_path(&tree, "s", path);
	peer_open_unix(&peer, SOCK_STREAM, path);
	do {
		code = connection_dial_unix(path, SOCK_STREAM, &stop, connection_deadline(50 * MS),
					    &fds[count]);
		count += code == 0;
	} while (code == 0 && count < 16);
	assert_int_equal(code, -ETIMEDOUT);
	output_stop_now(&stop);
	assert_int_equal(connection_dial_unix(path, SOCK_STREAM, &stop,
					      connection_deadline(60000 * MS), &fds[count]),
			 -ECANCELED);
	while (count > 0)
		close(fds[--count]);
	peer_close(&peer);
	tree_destroy(&tree);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_next_address, setup, teardown),
	cmocka_unit_test_setup_teardown(test_no_answer, setup, teardown),
	cmocka_unit_test_setup_teardown(test_paths, setup, teardown),
	cmocka_unit_test_setup_teardown(test_full_path, setup, teardown),
};

UNIT_GROUP(tests);
