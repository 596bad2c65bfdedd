/* SPDX-License-Identifier: MIT */
#include "peer.h"

#include <stdarg.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { READ_BYTES = 65536, SILENCE_MS = 20, BACKLOG = 8 };

static void begin(struct peer *peer, int type, const void *address, socklen_t len)
{
	const int one = 1;

	assert_return_code(peer->fd, errno);
	setsockopt(peer->fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	assert_return_code(bind(peer->fd, address, len), errno);
	if (type == SOCK_STREAM)
		assert_return_code(listen(peer->fd, BACKLOG), errno);
}

void peer_open(struct peer *peer, int type, uint16_t port)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET,
		.sin_port = htons(port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	socklen_t len = sizeof(address);

	peer->fd = socket(AF_INET, type | SOCK_CLOEXEC, 0);
	begin(peer, type, &address, len);
	assert_return_code(getsockname(peer->fd, (struct sockaddr *)&address, &len), errno);
	peer->port = ntohs(address.sin_port);
}

void peer_open_unix(struct peer *peer, int type, const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	socklen_t len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(path));

	assert_in_range(strlen(path), 1, sizeof(address.sun_path) - 1);
	memcpy(address.sun_path, path, strlen(path));
	if (path[0] == '@')
		address.sun_path[0] = '\0';
	else
		len++;
	peer->port = 0;
	peer->fd = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);
	begin(peer, type, &address, len);
}

void peer_close(struct peer *peer)
{
	close(peer->fd);
	peer->fd = -1;
}

uint16_t peer_free_port(void)
{
	struct peer peer;

	peer_open(&peer, SOCK_STREAM, 0);
	peer_close(&peer);
	return peer.port;
}

static void await(int fd)
{
	struct pollfd poll_fd = {.fd = fd, .events = POLLIN};

	assert_int_equal(poll(&poll_fd, 1, PEER_WAIT_MS), 1);
}

int peer_accept(const struct peer *peer)
{
	int fd;

	await(peer->fd);
	fd = accept4(peer->fd, NULL, NULL, SOCK_CLOEXEC);
	assert_return_code(fd, errno);
	return fd;
}

void peer_reset(int fd)
{
	const struct linger now = {.l_onoff = 1};

	setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
	close(fd);
}

void peer_read(int fd, void *bytes, size_t len)
{
	for (size_t done = 0; done < len;) {
		ssize_t n;

		await(fd);
		n = read(fd, (char *)bytes + done, len - done);
		assert_true(n > 0);
		done += (size_t)n;
	}
}

void peer_receive(const struct peer *peer, char *text, size_t size)
{
	ssize_t n;

	await(peer->fd);
	n = recv(peer->fd, text, size - 1, 0);
	assert_return_code((int)n, errno);
	text[n] = '\0';
}

void peer_expect(int fd, const char *text)
{
	struct pollfd poll_fd = {.fd = fd, .events = POLLIN};
	char *bytes = calloc(1, strlen(text) + 1);

	peer_read(fd, bytes, strlen(text));
	assert_string_equal(bytes, text);
	free(bytes);
	assert_int_equal(poll(&poll_fd, 1, SILENCE_MS), 0);
}

struct peer_reader {
	pthread_t thread;
	int fd;
	unsigned int pause_us;
	char *bytes;
	size_t len;
};

static void *read_all(void *argument)
{
	struct peer_reader *reader = argument;
	ssize_t n;

	do {
		usleep(reader->pause_us);
		reader->bytes = realloc(reader->bytes, reader->len + READ_BYTES);
		n = read(reader->fd, reader->bytes + reader->len, READ_BYTES);
		reader->len += n > 0 ? (size_t)n : 0;
	} while (n > 0);
	return NULL;
}

struct peer_reader *peer_reader_start(int fd, unsigned int pause_us)
{
	struct peer_reader *reader = calloc(1, sizeof(*reader));

	reader->fd = fd;
	reader->pause_us = pause_us;
	assert_int_equal(pthread_create(&reader->thread, NULL, read_all, reader), 0);
	return reader;
}

char *peer_reader_join(struct peer_reader *reader, size_t *len)
{
	char *bytes;

	pthread_join(reader->thread, NULL);
	bytes = reader->bytes;
	*len = reader->len;
	free(reader);
	return bytes;
}
