/* SPDX-License-Identifier: MIT */
#include "fake_server.h"

#include <stdarg.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { REQUESTS_MAX = 16, HEAD_MAX = 4096, WAIT_MS = 10 };

struct request {
	char head[HEAD_MAX];
	char body[FAKE_BODY_MAX + 1];
	size_t body_len;
};

struct fake_server {
	char url[64];
	int listening;
	pthread_t thread;
	atomic_bool ending;
	const struct fake_response *responses;
	size_t count;
	atomic_size_t requests, connections;
	struct request received[REQUESTS_MAX];
	struct request next; /* that comes */
};

/* Returns false if the server is to end. */
static bool wait_for(struct fake_server *server, int fd)
{
	struct pollfd poll_fd = {.fd = fd, .events = POLLIN};

	while (!server->ending)
		if (poll(&poll_fd, 1, WAIT_MS) > 0)
			return true;
	return false;
}

static ssize_t receive_some(struct fake_server *server, int fd, void *bytes, size_t len)
{
	return wait_for(server, fd) ? recv(fd, bytes, len, 0) : 0;
}

static void take_body(struct request *request, const char *bytes, size_t len)
{
	size_t at = request->body_len < FAKE_BODY_MAX ? request->body_len : FAKE_BODY_MAX;

	memcpy(request->body + at, bytes, len < FAKE_BODY_MAX - at ? len : FAKE_BODY_MAX - at);
	request->body_len += len;
}

/* Reads the body, of which a part may have come with the head. */
static bool receive_body(struct fake_server *server, int fd, const char *begun, size_t begun_len)
{
	struct request *request = &server->next;
	const char *header = strstr(request->head, "Content-Length: ");
	size_t wanted = header ? strtoul(header + strlen("Content-Length: "), NULL, 10) : 0;
	char bytes[HEAD_MAX];

	memset(request->body, 0, sizeof(request->body));
	request->body_len = 0;
	take_body(request, begun, begun_len);
	while (request->body_len < wanted) {
		ssize_t n = receive_some(server, fd, bytes, sizeof(bytes));

		if (n <= 0)
			return false;
		take_body(request, bytes, (size_t)n);
	}
	return true;
}

/* Reads a request. Returns false at the end of the connection. */
static bool receive(struct fake_server *server, int fd)
{
	char *head = server->next.head, *end;
	size_t len = 0;

	do {
		ssize_t n = receive_some(server, fd, head + len, HEAD_MAX - 1 - len);

		if (n <= 0)
			return false;
		len += (size_t)n;
		head[len] = '\0';
		end = strstr(head, "\r\n\r\n");
	} while (!end);
	end += strlen("\r\n\r\n");
	if (!receive_body(server, fd, end, len - (size_t)(end - head)))
		return false;
	*end = '\0';
	return true;
}

static void send_all(int fd, const char *bytes, size_t len)
{
	while (len) {
		ssize_t n = send(fd, bytes, len, MSG_NOSIGNAL);

		if (n <= 0)
			return;
		bytes += n;
		len -= (size_t)n;
	}
}

static void serve_connection(struct fake_server *server, int fd)
{
	while (receive(server, fd)) {
		size_t number = server->requests;
		const struct fake_response *response = &server->responses[number];

		if (number < REQUESTS_MAX)
			server->received[number] = server->next;
		server->requests++;
		if (number >= server->count)
			return;
		send_all(fd, response->bytes,
			 response->len ? response->len : strlen(response->bytes));
		if (!response->goes_on)
			return;
	}
}

static void *serve(void *context)
{
	struct fake_server *server = context;

	while (wait_for(server, server->listening)) {
		int fd = accept(server->listening, NULL, NULL);

		server->connections++;
		serve_connection(server, fd);
		close(fd);
	}
	return NULL;
}

struct fake_server *fake_server_start(const struct fake_response *responses, size_t count)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
				      .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(address);
	struct fake_server *server = calloc(1, sizeof(*server));

	assert_non_null(server);
	server->responses = responses;
	server->count = count;
	server->listening = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(bind(server->listening, (struct sockaddr *)&address, len), 0);
	assert_int_equal(listen(server->listening, 8), 0);
	assert_int_equal(getsockname(server->listening, (struct sockaddr *)&address, &len), 0);
	snprintf(server->url, sizeof(server->url), "http://127.0.0.1:%d", ntohs(address.sin_port));
	assert_int_equal(pthread_create(&server->thread, NULL, serve, server), 0);
	return server;
}

void fake_server_stop(struct fake_server *server)
{
	server->ending = true;
	pthread_join(server->thread, NULL);
	close(server->listening);
	free(server);
}

const char *fake_server_url(const struct fake_server *server)
{
	return server->url;
}

const char *fake_server_request(struct fake_server *server, size_t number)
{
	return number < server->requests && number < REQUESTS_MAX ? server->received[number].head
								  : "";
}

const char *fake_server_body(struct fake_server *server, size_t number)
{
	return number < server->requests && number < REQUESTS_MAX ? server->received[number].body
								  : "";
}

size_t fake_server_body_len(struct fake_server *server, size_t number)
{
	return number < server->requests && number < REQUESTS_MAX
		       ? server->received[number].body_len
		       : 0;
}

size_t fake_server_requests(struct fake_server *server)
{
	return server->requests;
}

size_t fake_server_connections(struct fake_server *server)
{
	return server->connections;
}
